#include "pieces.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "crd/base/sanitized.h"

#define STEP 32
#define PIECE_MAX 256 /* the rest is malloc()'s: a node takes 64 bytes, few texts more than a line */
#define CLASSES (PIECE_MAX / STEP + 1)
#define LOT 128 /* pieces that are made at once */

/* What lies in front of a piece. */
struct piece {
	alignas(max_align_t) size_t class; /* 0: malloc()'s */
	struct piece *next;                /* while it is free */
};

static struct piece *spare[CLASSES];

static size_t room_of(size_t class)
{
	return sizeof(struct piece) + class * STEP;
}

/* Never given back: a run needs no more than the largest before it. */
static void make_lot(size_t class)
{
	char *lot = malloc(LOT * room_of(class));

	assert(lot);
	for (size_t i = 0; i < LOT; i++) {
		struct piece *p = (struct piece *)(lot + i * room_of(class));

		p->class = class;
		p->next = spare[class];
		spare[class] = p;
	}
}

static void *new_large(size_t size)
{
	struct piece *p = malloc(sizeof(struct piece) + size);

	assert(p);
	p->class = 0;
	return p + 1;
}

static void *new_piece(size_t size)
{
	size_t class = (size + STEP - 1) / STEP;
	struct piece *p;

	if (class == 0 || class >= CLASSES)
		return new_large(size);
	if (!spare[class])
		make_lot(class);
	p = spare[class];
	spare[class] = p->next;
	return p + 1;
}

static void free_piece(void *data)
{
	struct piece *p = data ? (struct piece *)data - 1 : NULL;

	if (p && p->class == 0) {
		free(p);
	} else if (p) {
		p->next = spare[p->class];
		spare[p->class] = p;
	}
}

void pieces_use(void)
{
	cJSON_Hooks hooks = {.malloc_fn = new_piece, .free_fn = free_piece};

	if (!SANITIZED_ADDRESS)
		cJSON_InitHooks(&hooks);
}
