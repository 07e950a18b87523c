/*
 * Text from outside (a handler's output, a runtime's message) as one short line for a status: valid UTF-8, no control
 * characters, each run of white space one blank, "?" for each byte that belongs to no character.
 */
#pragma once

#include <stddef.h>

struct arena;

/* The first or the last MAX bytes of the line, less at the cut so that no character is broken. NULL when it is empty. */
const char *detail_head(const char *text, size_t len, size_t max, struct arena *a);
const char *detail_tail(const char *text, size_t len, size_t max, struct arena *a);
