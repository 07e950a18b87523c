/*
 * A bump allocator: memory that is given out piece by piece and given back all at once.
 *
 * Pieces are zeroed and aligned for any type. Running out of memory, or over the cap, aborts: the process is
 * restartable by design, and a core that had to handle failure at every allocation could not be read.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
	size_t used;                /* bytes given out since the last reset */
	size_t cap;                 /* bound on .used; 0 means ARENA_CAP */
};

/* One pass of the largest cluster (1,000 members, full queues) needs about 4 MiB; beyond this it is a bug. */
#define ARENA_CAP ((size_t)64 << 20)

void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size);
/* A copy of OLD with room for COUNT items of SIZE, of which the first OLD_COUNT are OLD's. */
void *arena_grow(struct arena *a, const void *old, size_t old_count, size_t count, size_t size);
char *arena_strdup(struct arena *a, const char *s); /* NULL stays NULL */
char *arena_strndup(struct arena *a, const char *s, size_t len); /* at most LEN bytes; S may end before */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Forgets what was given out and keeps one chunk for the next use. */
void arena_reset(struct arena *a);
void arena_release(struct arena *a);
#define cleanup_arena __attribute__((cleanup(arena_release)))
