#include "table.h"

#include "text.h"

#include <assert.h>
#include <string.h>

#define GAP      2
#define BRANCH   3 /* columns that a branch takes */
#define SHORTEST 8 /* names are shortened to no less */

struct layout {
	const struct table *t;
	const struct style *style;
	struct strbuf *out;
	bool shown[TABLE_COLUMNS_MAX];
	size_t widths[TABLE_COLUMNS_MAX];
};

struct table_row *table_add(struct table *t, size_t depth)
{
	assert(depth < TABLE_DEPTH_MAX);
	if (t->row_count == t->room) {
		t->room = t->room ? 2 * t->room : 16;
		t->rows = arena_grow(t->arena, t->rows, t->row_count, t->room, sizeof(*t->rows));
	}
	t->rows[t->row_count].depth = depth;
	return &t->rows[t->row_count++];
}

static const char *text_of(const struct table_row *row, size_t column)
{
	return row->cells[column].text ? row->cells[column].text : "";
}

static size_t indent(const struct table_row *row, size_t column)
{
	return column == 0 ? row->depth * BRANCH : 0;
}

/* From the last row to the first: whether a level goes on below a row is known when what is below was seen. */
static void lay_rails(struct table *t)
{
	unsigned open = 0;

	for (size_t i = t->row_count; i-- > 0;) {
		struct table_row *row = &t->rows[i];
		unsigned bit = 1u << row->depth;
		row->rails = open & (2 * bit - 1);
		open = (open & (bit - 1)) | bit;
	}
}

static void measure(struct layout *l)
{
	const struct table *t = l->t;

	for (size_t c = 0; c < t->column_count; c++) {
		size_t widest = 0;
		for (size_t i = 0; i < t->row_count; i++) {
			size_t width = indent(&t->rows[i], c) + text_width(text_of(&t->rows[i], c));
			widest = width > widest ? width : widest;
		}
		l->shown[c] = l->style->wide || (!t->columns[c].wide_only && !(t->leave_out_empty && widest == 0));
		size_t title = text_width(t->columns[c].title);
		l->widths[c] = widest > title ? widest : title;
	}
}

/* The least width that the shown columns need. */
static size_t needed(const struct layout *l)
{
	size_t sum = 0;

	for (size_t c = 0; c < l->t->column_count; c++) {
		if (!l->shown[c])
			continue;
		bool breaks = l->t->columns[c].free_text && l->widths[c] > TABLE_TEXT_MIN;
		sum += (sum ? GAP : 0) + (breaks ? TABLE_TEXT_MIN : l->widths[c]);
	}
	return sum;
}

/* Leaves out the column of the lowest rank. False when there is none left. */
static bool leave_one_out(struct layout *l)
{
	size_t lowest = SIZE_MAX;

	for (size_t c = 0; c < l->t->column_count; c++) {
		int rank = l->t->columns[c].rank;
		if (l->shown[c] && rank && (lowest == SIZE_MAX || rank < l->t->columns[lowest].rank))
			lowest = c;
	}
	if (lowest != SIZE_MAX)
		l->shown[lowest] = false;
	return lowest != SIZE_MAX;
}

static bool shorten_widest(struct layout *l, size_t excess)
{
	size_t widest = SIZE_MAX;

	for (size_t c = 0; c < l->t->column_count; c++)
		if (l->shown[c] && l->widths[c] > SHORTEST && (widest == SIZE_MAX || l->widths[c] > l->widths[widest]))
			widest = c;
	if (widest == SIZE_MAX)
		return false;
	size_t can = l->widths[widest] - SHORTEST;
	l->widths[widest] -= excess < can ? excess : can;
	return true;
}

static void fit(struct layout *l)
{
	size_t width = l->style->wide ? 0 : l->style->width;

	while (width && needed(l) > width && leave_one_out(l))
		;
	while (width && needed(l) > width && shorten_widest(l, needed(l) - width))
		;
	for (size_t c = 0; c < l->t->column_count; c++) {
		if (!width || !l->shown[c] || !l->t->columns[c].free_text || l->widths[c] <= TABLE_TEXT_MIN)
			continue;
		size_t least = needed(l), room = TABLE_TEXT_MIN + (width > least ? width - least : 0);
		l->widths[c] = room < l->widths[c] ? room : l->widths[c];
	}
}

/* The lines that lead to a row, or, when CONTINUED, past its second and later lines to what is below. */
static size_t put_branches(struct layout *l, const struct table_row *row, bool continued)
{
	static const char *const ascii[] = { "   ", "|  ", "+- ", "`- " };
	static const char *const utf8[] = { "   ", "\u2502  ", "\u251c\u2500 ", "\u2514\u2500 " };
	const char *const *glyphs = l->style->utf8 ? utf8 : ascii;

	for (size_t level = 1; level <= row->depth; level++) {
		bool goes_on = row->rails & 1u << level;
		bool here = level == row->depth && !continued;
		strbuf_adds(l->out, glyphs[here ? (goes_on ? 2 : 3) : goes_on]);
	}
	if (!continued)
		return row->depth * BRANCH;
	bool has_children = row + 1 < l->t->rows + l->t->row_count && row[1].depth > row->depth;
	strbuf_adds(l->out, glyphs[has_children]);
	return (row->depth + 1) * BRANCH;
}

static void put_toned(struct layout *l, enum tone tone, const char *text, size_t len)
{
	/* ECMA-48 SGR: green, yellow, red. */
	static const char *const start[] = { NULL, "\033[32m", "\033[33m", "\033[31m" };
	bool colour = l->style->colour && tone && len > 0;

	if (colour)
		strbuf_adds(l->out, start[tone]);
	strbuf_add(l->out, text, len);
	if (colour)
		strbuf_adds(l->out, "\033[0m");
}

/* Text at column FROM of the line, of which AT are written. Returns how many are written then. */
static size_t put_text(struct layout *l, size_t at, size_t from, enum tone tone, const char *text, size_t len)
{
	if (len == 0)
		return at;
	strbuf_addf(l->out, "%*s", from > at ? (int)(from - at) : 0, "");
	put_toned(l, tone, text, len);
	return from + text_width(text);
}

/* Free text is the last column: what is behind it on the line does not matter. */
static void put_lines(struct layout *l, const struct table_row *row, size_t c, size_t at, size_t from)
{
	const char *text = text_of(row, c);
	size_t len = text_line(text, l->widths[c]);

	put_text(l, at, from, row->cells[c].tone, text, len);
	for (text += len; *(text += strspn(text, " ")); text += len) {
		strbuf_addc(l->out, '\n');
		len = text_line(text, l->widths[c]);
		at = put_branches(l, row, true);
		put_text(l, at, from > at ? from : at, row->cells[c].tone, text, len);
	}
}

static void put_row(struct layout *l, const struct table_row *row)
{
	size_t at = put_branches(l, row, false), start = 0;

	for (size_t c = 0; c < l->t->column_count; c++) {
		if (!l->shown[c])
			continue;
		size_t from = c == 0 ? at : start, left = start + l->widths[c] - from;
		if (l->t->columns[c].free_text) {
			put_lines(l, row, c, at, from);
			break;
		}
		const char *text = text_shorten(l->t->arena, text_of(row, c), left > SHORTEST ? left : SHORTEST);
		at = put_text(l, at, from, row->cells[c].tone, text, strlen(text));
		start += l->widths[c] + GAP;
	}
	strbuf_addc(l->out, '\n');
}

void table_print(struct table *t, const struct style *style, struct strbuf *out)
{
	struct layout l = { .t = t, .style = style, .out = out };
	struct table_row titles = { 0 };

	lay_rails(t);
	measure(&l);
	fit(&l);
	for (size_t c = 0; c < t->column_count; c++)
		titles.cells[c].text = t->columns[c].title;
	put_row(&l, &titles);
	for (size_t i = 0; i < t->row_count; i++)
		put_row(&l, &t->rows[i]);
}
