/*
 * Memory of small things that live long. On the heap each of them would end between what libraries use and free in a
 * burst, a TLS connection above all, and would keep a page of its own when that is gone. Here things of one size lie together.
 *
 * Whoever frees a thing says its size. What is free is used again for things of the same size; it goes back to the system
 * when the last one of them is gone. Slabs are mapped beside the heap, so that they keep none of its pages, and what was never
 * used of one takes no memory. Things over SLABS_ITEM_MAX, and all when the slabs are NULL, come from malloc().
 */
#pragma once

#include <stddef.h>

/* A Cluster of ten members with its status takes 3.8 KiB, while it is upgraded 4.1 KiB. */
#define SLABS_ITEM_MAX 8192
#define SLABS_STEP 16
#define SLABS_CLASSES (SLABS_ITEM_MAX / SLABS_STEP)

struct slab;
struct slab_item;

/* A zeroed struct has none. */
struct slabs {
	struct {
		struct slab *slabs; /* newest first */
		size_t cut;         /* bytes of the newest one that were ever given out */
		struct slab_item *free;
		size_t used;
	} classes[SLABS_CLASSES];
};

/* Zeroed. Running out of memory ends the process. */
void *slabs_new(struct slabs *s, size_t size);
/* THING may be NULL. */
void slabs_free(struct slabs *s, const void *thing, size_t size);
/* NULL stays NULL. */
const char *slabs_strdup(struct slabs *s, const char *text);
void slabs_free_text(struct slabs *s, const char *text);
