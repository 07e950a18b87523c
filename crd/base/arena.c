#include "arena.h"

#include "die.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Holds what a pass of a small cluster needs, so that most passes never ask for a second one. */
#define FIRST_CHUNK ((size_t)32 << 10)
#define LARGEST_STEP ((size_t)4 << 20)
#define LINE_SIZE 256 /* most of what is printed is shorter, and is then printed once, not twice */

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used;
	alignas(max_align_t) char data[];
};

static size_t round_up(size_t size)
{
	return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

/* Each chunk is twice the one before, so that even a large pass makes few of them. */
static void add_chunk(struct arena *a, size_t size)
{
	size_t step = a->chunks ? a->chunks->size * 2 : FIRST_CHUNK;
	if (step > LARGEST_STEP)
		step = LARGEST_STEP;
	if (step < size)
		step = size;

	struct arena_chunk *chunk = malloc(sizeof(*chunk) + step);
	if (!chunk)
		die("arena", "out of memory", size);
	*chunk = (struct arena_chunk){ .next = a->chunks, .size = step };
	a->chunks = chunk;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t cap = a->cap ? a->cap : ARENA_CAP;
	if (size > cap || a->used + round_up(size) > cap)
		die("arena", "over its cap", size);

	/* Even nothing has an address of its own: an empty list is not an absent one. */
	size_t room = round_up(size ? size : 1);
	if (!a->chunks || a->chunks->size - a->chunks->used < room)
		add_chunk(a, room);

	struct arena_chunk *chunk = a->chunks;
	void *piece = chunk->data + chunk->used;
	chunk->used += room;
	a->used += room;
	return memset(piece, 0, room);
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		die("arena", "too many items", count);
	return arena_alloc(a, bytes);
}

void *arena_grow(struct arena *a, const void *old, size_t old_count, size_t count, size_t size)
{
	void *grown = arena_array(a, count, size);
	if (old_count > 0)
		memcpy(grown, old, old_count * size);
	return grown;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	len = strnlen(s, len);
	char *copy = arena_alloc(a, len + 1);
	return memcpy(copy, s, len);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char line[LINE_SIZE];
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len < 0)
		die("arena", "a format that cannot be printed", 0);

	char *text = arena_alloc(a, (size_t)len + 1);
	if ((size_t)len < sizeof(line))
		memcpy(text, line, (size_t)len);
	else
		vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	return text;
}

static void free_chunks(struct arena_chunk *chunk)
{
	while (chunk) {
		struct arena_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
}

void arena_reset(struct arena *a)
{
	a->used = 0;
	if (!a->chunks)
		return;
	free_chunks(a->chunks->next);
	a->chunks->next = NULL;
	a->chunks->used = 0;
}

void arena_release(struct arena *a)
{
	if (!a)
		return;
	free_chunks(a->chunks);
	a->chunks = NULL;
	a->used = 0;
}
