/*
 * One simulated run: a seed, a scenario, the real operator in a world of memory and virtual time. README.md beside this
 * file tells how the parts fit together.
 *
 * Everything with the lifetime of a run is in .arena; JSON trees are the store's.
 */
#pragma once

#include "api.h"
#include "book.h"
#include "clock.h"
#include "etcd.h"
#include "faults.h"
#include "kube.h"
#include "promises.h"
#include "rules.h"
#include "scenario.h"
#include "seat.h"
#include "wire.h"

#include "controller/operator.h"

#define TRACE_LINES 40
#define TRACE_LENGTH 240

/* How much of the time from an edit of spec.app to its end the world was at work (cost.c). */
struct cost {
	const char *image;           /* that the members move to */
	int64_t began_at, looked_at;
	bool was_at_work;
	int64_t work_ms;
	size_t history;              /* length of the API server's history at the edit */
};

struct sim {
	uint64_t seed;
	struct setup setup;
	struct arena arena;
	struct arena *scratch;       /* for what an answer is made of: .arena here, one that is emptied in tests/kubesim */
	struct clock clock;
	struct rng rng_wire, rng_kube, rng_faults, rng_chaos, rng_users, rng_sizes, rng_operator;
	struct etcd etcd;
	struct kube kube;
	struct seat *seats;          /* by name */
	struct seat *newest_seat;
	struct strmap seat_index;    /* "namespace/pod" -> struct seat */
	struct wire wire;
	struct faults faults;
	struct book book;
	struct cost cost;
	struct figures figures;
	struct world world;
	struct operator *op;         /* NULL while it is down */
	int64_t op_wants_at;
	int64_t op_since;            /* when it was last started */
	bool is_mended;              /* what was to fail for ever no longer does */
	bool by_operator;            /* the request that takes effect now is the operator's, */
	int64_t acts_since;          /* which sent it at this time */
	uint64_t steps, crashes;
	uint64_t busy_requests;      /* sent until there was nothing left to do */
	struct {
		int64_t at;
		char text[TRACE_LENGTH];
	} trace[TRACE_LINES];
	size_t trace_count;
	bool is_loud;                /* the trace is printed as it comes */
	bool broken;                 /* a promise was: the run is over */
};

void sim_init(struct sim *sim, const struct setup *setup, bool is_loud);
void sim_release(struct sim *sim);

/* Runs until DONE says so or UNTIL is reached. False: UNTIL was reached, or a promise was broken. */
bool sim_run(struct sim *sim, int64_t until, bool (*done)(struct sim *sim));
/* The operator is gone from one moment to the next and comes back DOWN_MS later. */
void sim_crash(struct sim *sim, int64_t down_ms);

/* One line "[  12.340s] ..." that is printed when a promise is broken. */
void trace(struct sim *sim, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A promise was broken: prints what and the last lines of the trace. The first of a run counts. */
void violation(struct sim *sim, enum rule rule, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
