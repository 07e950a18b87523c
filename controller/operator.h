/*
 * The operator: caches, work queue and passes around the decisions of reconcile/, driven from outside.
 *
 * Everything happens in operator_tick() and in the callbacks that the world makes; nothing here waits, starts a thread
 * or reads a clock but world->now(). So the same code runs on the real loop and on the simulation's virtual clock.
 */
#pragma once

#include "controller/stats.h"
#include "controller/world.h"
#include "reconcile/reconcile.h"

struct operator;

struct operator_options {
	const char *namespace; /* the only one that is looked after; NULL: all */
	const char *instance;  /* reportingInstance of Events: the pod's name or the host's; NULL: "rolecall" */
	/* Stand-ins for tests; NULL means reconcile/'s own. */
	struct verdict (*decide_cluster)(const struct snapshot *s, struct arena *arena);
	struct verdict (*decide_app)(const struct app_snapshot *s, struct arena *arena);
};

/* WORLD must outlive the operator and every exec that was started; OPTIONS is copied. */
struct operator *operator_new(const struct world *world, const struct operator_options *options);

/*
 * Does all that is due and returns the wall-clock time in ms at which it wants to be called next; INT64_MAX: only
 * after a callback. Call it after each round of callbacks as well: they only take note, the work is done here.
 */
int64_t operator_tick(struct operator *op);

/* Frees memory that passes keep for the next ones. For when none is due for a while; not from a callback. */
void operator_give_back(struct operator *op);

/* Every kind was listed once: passes run from now on. */
bool operator_is_synced(const struct operator *op);

/* Starts nothing new from now on: ends lists and watches and lets the writes under way finish. */
void operator_stop(struct operator *op);
/* No write is under way. */
bool operator_is_quiet(const struct operator *op);

/*
 * May be called at any moment but from a callback, and is what a crash looks like from outside: requests are cancelled.
 * Execs that still run keep a few bytes of their own until the world answers them; their answers are then dropped.
 */
void operator_free(struct operator *op);

struct stats operator_get_stats(const struct operator *op);
void operator_log_stats(const struct operator *op);
