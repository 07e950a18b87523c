/*
 * Tables and trees of text, fitted into the width of a terminal. Pure: rows in, text out.
 *
 * What does not fit goes in this order: columns by their rank, the lowest first; then the widest of the rest are
 * shortened in the middle. The last column, if it is free text, is broken into lines instead.
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/base/strbuf.h"

#include <stdbool.h>

#define TABLE_COLUMNS_MAX 12
#define TABLE_DEPTH_MAX 8
/* A column of free text narrower than this is left out rather than broken into more lines. */
#define TABLE_TEXT_MIN 20

enum tone { TONE_PLAIN, TONE_GOOD, TONE_BUSY, TONE_BAD };

struct column {
	const char *title;
	int rank;       /* 0: never left out */
	bool wide_only;
	bool free_text; /* the last column only */
};

struct cell {
	const char *text; /* NULL is "": clean, one line */
	enum tone tone;
};

struct table_row {
	size_t depth; /* in the tree: 0 is a root */
	struct cell cells[TABLE_COLUMNS_MAX];
	unsigned rails; /* set by table_print(): bit D: a later row continues level D */
};

struct table {
	const struct column *columns;
	size_t column_count;
	bool leave_out_empty; /* columns without any text, unless wide */
	struct table_row *rows;
	size_t row_count, room;
	struct arena *arena;
};

struct style {
	size_t width; /* 0: as wide as it gets */
	bool wide;    /* -o wide: everything, however wide */
	bool utf8, colour;
};

/* A new empty row, to be filled before the next one is made. */
struct table_row *table_add(struct table *t, size_t depth);
/* Appends the table to OUT, with a line of titles. */
void table_print(struct table *t, const struct style *style, struct strbuf *out);
