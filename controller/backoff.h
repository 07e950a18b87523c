/* Waiting longer after each failure in a row: 1 s, 2 s, 4 s ... 30 s, and up to a quarter more at random. */
#pragma once

#include "controller/world.h"

#define BACKOFF_FIRST_MS 1000
#define BACKOFF_MAX_MS 30000
/* 1 s doubled this often is beyond the maximum. */
#define BACKOFF_DOUBLINGS 5

/* FAILURES in a row, from 1; ERR (may be NULL) may ask for more. */
static inline int64_t backoff_ms(const struct world *world, int failures, const struct err *err)
{
	int doublings = failures - 1 < BACKOFF_DOUBLINGS ? failures - 1 : BACKOFF_DOUBLINGS;
	int64_t delay = (int64_t)BACKOFF_FIRST_MS << (doublings > 0 ? doublings : 0);

	if (delay > BACKOFF_MAX_MS)
		delay = BACKOFF_MAX_MS;
	delay += world->random(world->self) % (delay / 4);
	if (err && delay < (int64_t)err->retry_after_s * 1000)
		delay = (int64_t)err->retry_after_s * 1000;
	return delay;
}
