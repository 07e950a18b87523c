#include "trees.h"

#include "crd/base/arena.h"

#include <cjson/cJSON.h>

/* A tree takes up to 40 times its text, which is at most HTTP_BODY_MAX. */
#define TREES_MAX ((size_t)1 << 30)

static struct arena arena = { .cap = TREES_MAX };
static size_t nodes;

static void *take(size_t size)
{
	nodes++;
	return arena_alloc(&arena, size);
}

static void give_back(void *node)
{
	if (node && --nodes == 0)
		arena_reset(&arena);
}

void trees_use_arena(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ take, give_back });
}

void trees_give_back(void)
{
	if (nodes == 0)
		arena_release(&arena);
}
