/* Heap memory of the controller's long-lived things: zeroed, never NULL. */
#pragma once

#include "crd/base/die.h"

#include <stdlib.h>
#include <string.h>

static inline void *mem_new(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		die("mem", "out of memory", size);
	return p;
}

/* NULL stays NULL. */
static inline char *mem_strdup(const char *s)
{
	if (!s)
		return NULL;

	size_t size = strlen(s) + 1;
	return memcpy(mem_new(size), s, size);
}

/* *AT becomes a copy of S, and what it was is freed. S may be (part of) *AT. */
static inline void mem_replace(char **at, const char *s)
{
	char *copy = mem_strdup(s);

	free(*at);
	*at = copy;
}
