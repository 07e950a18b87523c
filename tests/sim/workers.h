/*
 * Runs shared out among processes: one a core, because the simulation itself is one thread and has globals. Each takes every
 * N-th of a batch and sends back what it counted; what it has to say about a run comes out in one piece.
 */
#pragma once

#include "promises.h"
#include "scenario.h"

struct totals {
	uint64_t runs, failed, steps, crashes;
	uint64_t arose[RULES];
	struct figures figures;
};

struct batch {
	uint64_t first, last, every;                /* numbers of the runs, both inclusive; each EVERY-th of them */
	struct setup (*make)(uint64_t number);
	/* Adds what it came to; returns how many requests there were. */
	uint64_t (*run)(const struct setup *setup, struct totals *t);
};

#define FAILURES_MAX 10 /* of a process: more of them say nothing new */

/* Runs the batch in JOBS processes, in this one when that is 1, and adds what it came to. */
void workers_run(const struct batch *b, unsigned jobs, struct totals *t);
/* Writes what was printed so far, undisturbed by the other processes. */
void workers_flush(void);
