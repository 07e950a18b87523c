/*
 * The virtual clock of the simulation: a queue of what is going to happen, and the dice that say when.
 *
 * Nothing here waits. Time moves only from one event to the next, in the order (time, order of scheduling), so that a
 * seed gives the same run on every machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One independent stream of numbers; a stream a part, so that a change in one part does not reshuffle the others. */
struct rng {
	uint64_t state;
	bool is_flat; /* always the number in the middle: two runs then differ by nothing but what is made to differ */
};

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream);
uint32_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t bound);                /* 0 .. bound-1 */
int64_t rng_between(struct rng *r, int64_t low, int64_t high);    /* both inclusive */
bool rng_chance(struct rng *r, uint32_t per_mille);

struct sim;

struct clock_event {
	int64_t at;
	uint64_t seq;
	void (*fn)(struct sim *sim, void *arg);
	void *arg;
};

struct clock {
	int64_t now;  /* ms since 1970 */
	double speed; /* what takes time goes by so many times as fast; 0: once */
	uint64_t seq;
	struct clock_event *heap;
	size_t count, room;
};

#define CLOCK_START INT64_C(1767225600000) /* 2026-01-01T00:00:00Z */
#define CLOCK_NEVER INT64_MAX

void clock_init(struct clock *c);
void clock_release(struct clock *c);

/* Calls fn(sim, arg) when the clock reaches AT, or at once when that is past. ARG must live until then. */
void clock_at(struct clock *c, int64_t at, void (*fn)(struct sim *sim, void *arg), void *arg);
void clock_in(struct clock *c, int64_t delay_ms, void (*fn)(struct sim *sim, void *arg), void *arg);

int64_t clock_next(const struct clock *c); /* time of the next event or CLOCK_NEVER */
struct clock_event clock_pop(struct clock *c);
