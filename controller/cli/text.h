/* Text for people's terminals: what is printed can neither move the cursor nor break a table. Pure. */
#pragma once

#include "crd/base/arena.h"

#include <stddef.h>
#include <stdint.h>

/*
 * TEXT without control characters, which become spaces, and without bytes that are not UTF-8, which become "?":
 * members' handlers wrote it, and anything can be in it. NULL stays NULL.
 */
const char *text_clean(struct arena *a, const char *text);

/* How many characters TEXT, which is UTF-8, has; each is taken to be one column wide. */
size_t text_width(const char *text);

/* TEXT in at most WIDTH (3 or more) characters: the middle of a longer one becomes "..": names differ at their ends. */
const char *text_shorten(struct arena *a, const char *text, size_t width);

/* Bytes of TEXT that make a line of at most WIDTH characters, cut between words if that can be. */
size_t text_line(const char *text, size_t width);

/* A span of time in as many words as matter, as kubectl writes them: "45s", "5m30s", "3h", "12d". */
const char *text_span(struct arena *a, int64_t ms);

/* How long ago: text_span(NOW - THEN), or "" when THEN is 0. */
const char *text_since(struct arena *a, int64_t now, int64_t then);
