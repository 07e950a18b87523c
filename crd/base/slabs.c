#include "slabs.h"

#include "die.h"
#include "sanitized.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLAB_SIZE ((size_t)64 << 10)

struct slab {
	struct slab *next;
	alignas(max_align_t) char data[];
};
#define SLAB_ROOM (SLAB_SIZE - sizeof(struct slab))

struct slab_item {
	struct slab_item *next;
};

static size_t class_of(size_t size)
{
	return size > 0 ? (size - 1) / SLABS_STEP : 0;
}

static void *allocate(size_t size)
{
	void *p = calloc(1, size);
	if (!p)
		die("slabs", "out of memory", size);
	return p;
}

static void add_slab(struct slabs *s, size_t class)
{
	struct slab *slab = mmap(NULL, SLAB_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slab == MAP_FAILED)
		die("slabs", "out of memory", SLAB_SIZE);
	slab->next = s->classes[class].slabs;
	s->classes[class].slabs = slab;
	s->classes[class].cut = 0;
}

static void free_class(struct slabs *s, size_t class)
{
	struct slab *slab = s->classes[class].slabs;
	while (slab) {
		struct slab *next = slab->next;
		munmap(slab, SLAB_SIZE);
		slab = next;
	}
	s->classes[class].slabs = NULL;
	s->classes[class].free = NULL;
}

/* The next piece that no thing has had yet. */
static void *cut(struct slabs *s, size_t class, size_t size)
{
	if (!s->classes[class].slabs || s->classes[class].cut + size > SLAB_ROOM)
		add_slab(s, class);
	void *item = s->classes[class].slabs->data + s->classes[class].cut;
	s->classes[class].cut += size;
	return item;
}

void *slabs_new(struct slabs *s, size_t size)
{
	if (!s || size > SLABS_ITEM_MAX || SANITIZED_ADDRESS)
		return allocate(size);
	size_t class = class_of(size), room = (class + 1) * SLABS_STEP;
	struct slab_item *item = s->classes[class].free;
	s->classes[class].used++;
	if (!item)
		return cut(s, class, room);
	s->classes[class].free = item->next;
	return memset(item, 0, room);
}

void slabs_free(struct slabs *s, const void *thing, size_t size)
{
	struct slab_item *item = (struct slab_item *)thing;
	if (!s || size > SLABS_ITEM_MAX || SANITIZED_ADDRESS) {
		free(item);
		return;
	}
	if (!item)
		return;
	size_t class = class_of(size);
	item->next = s->classes[class].free;
	s->classes[class].free = item;
	if (--s->classes[class].used == 0)
		free_class(s, class);
}

const char *slabs_strdup(struct slabs *s, const char *text)
{
	if (!text)
		return NULL;
	size_t size = strlen(text) + 1;
	return memcpy(slabs_new(s, size), text, size);
}

void slabs_free_text(struct slabs *s, const char *text)
{
	if (text)
		slabs_free(s, text, strlen(text) + 1);
}
