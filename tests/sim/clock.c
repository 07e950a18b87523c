#include "clock.h"

#include <assert.h>
#include <stdlib.h>

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
	r->is_flat = false;
	r->state = seed * UINT64_C(0x9E3779B97F4A7C15) + stream * UINT64_C(0xD1B54A32D192ED03) + 1;
	rng_next(r);
}

/* splitmix64: small, and good from the first number on for any seed. */
uint32_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);

	if (r->is_flat)
		return UINT32_MAX / 2;
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (uint32_t)((z ^ (z >> 31)) >> 32);
}

uint32_t rng_below(struct rng *r, uint32_t bound)
{
	return bound ? (uint32_t)(((uint64_t)rng_next(r) * bound) >> 32) : 0;
}

int64_t rng_between(struct rng *r, int64_t low, int64_t high)
{
	return low + (int64_t)rng_below(r, (uint32_t)(high - low + 1));
}

bool rng_chance(struct rng *r, uint32_t per_mille)
{
	return per_mille && rng_below(r, 1000) < per_mille;
}

void clock_init(struct clock *c)
{
	*c = (struct clock){.now = CLOCK_START};
}

void clock_release(struct clock *c)
{
	free(c->heap);
	*c = (struct clock){0};
}

static bool comes_first(const struct clock_event *a, const struct clock_event *b)
{
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

static void swap(struct clock_event *a, struct clock_event *b)
{
	struct clock_event t = *a;

	*a = *b;
	*b = t;
}

void clock_at(struct clock *c, int64_t at, void (*fn)(struct sim *sim, void *arg), void *arg)
{
	size_t i = c->count++;

	if (c->count > c->room) {
		c->room = c->room ? c->room * 2 : 256;
		c->heap = realloc(c->heap, c->room * sizeof(*c->heap));
		assert(c->heap);
	}
	c->heap[i] = (struct clock_event){.at = at > c->now ? at : c->now, .seq = c->seq++, .fn = fn, .arg = arg};
	for (; i > 0 && comes_first(&c->heap[i], &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&c->heap[i], &c->heap[(i - 1) / 2]);
}

void clock_in(struct clock *c, int64_t delay_ms, void (*fn)(struct sim *sim, void *arg), void *arg)
{
	clock_at(c, c->now + (c->speed > 0 ? (int64_t)((double)delay_ms / c->speed) : delay_ms), fn, arg);
}

int64_t clock_next(const struct clock *c)
{
	return c->count ? c->heap[0].at : CLOCK_NEVER;
}

struct clock_event clock_pop(struct clock *c)
{
	struct clock_event first = c->heap[0];
	size_t i = 0;

	assert(c->count > 0);
	c->heap[0] = c->heap[--c->count];
	for (;;) {
		size_t least = i, left = 2 * i + 1;

		if (left < c->count && comes_first(&c->heap[left], &c->heap[least]))
			least = left;
		if (left + 1 < c->count && comes_first(&c->heap[left + 1], &c->heap[least]))
			least = left + 1;
		if (least == i)
			return first;
		swap(&c->heap[i], &c->heap[least]);
		i = least;
	}
}
