/* Which of some words was meant by one that is none of them. Pure. */
#pragma once

#include "crd/base/arena.h"

#include <stddef.h>

#define NEAREST_LEN_MAX 64  /* longer words are compared no further */
#define NEAREST_NAMED_MAX 6 /* words that a message lists */

/*
 * The word of WORDS nearest to TEXT by letters that were left out, added, changed or swapped; NULL when none is near:
 * at most one such mistake in three letters counts as near.
 */
const char *nearest(const char *text, const char *const *words, size_t count);

/* For the end of a message: ": did you mean b? There are: a, b, c", "; there are: a, b, c", or "" without any words. */
const char *nearest_suggest(struct arena *a, const char *text, const char *const *words, size_t count);
