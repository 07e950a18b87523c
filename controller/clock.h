/* The two clocks: the one that people read, and the one that never jumps, for deadlines. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline int64_t clock_wall_ms(void)
{
	return clock_ms(CLOCK_REALTIME);
}

static inline int64_t clock_steady_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}
