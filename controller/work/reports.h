/*
 * What the members of one Cluster answered last: one report a pod, which the next call to that pod replaces. They live
 * in memory only: after a restart every member is asked again, and answers what it stored (N6).
 */
#pragma once

#include "crd/base/strmap.h"
#include "reconcile/reconcile.h"

struct report {
	struct exec_report seen; /* its texts are owned */
	uint64_t call;           /* number of the call that is under way, or was the last */
	bool is_member;          /* the pod is one of the cluster's still: set by observe.c */
};

/* Pod -> struct report. A zeroed struct is empty. What is kept is of .map.slabs. */
struct reports {
	struct strmap map;
};

struct report *reports_find(const struct reports *r, const char *pod);

/* A call to a container is on its way to it or back: no second one may start. */
bool reports_is_flying(const struct reports *r, const char *pod, const char *container);

/* A call with this number starts: the report shows it as flying, with the answer of the call before. */
void reports_start(struct reports *r, const char *pod, const struct exec_call *call, uint64_t number);
/* The answer: ANSWER's .answer, .exit_code, .ran_again, .config* and .detail. Of any but the newest call it is dropped. */
bool reports_end(struct reports *r, const char *pod, uint64_t number, const struct exec_report *answer, int64_t now);

/* Drops what .is_member does not keep, and clears the marks. */
void reports_sweep(struct reports *r);

/* All, in A; the texts are borrowed. */
const struct exec_report *reports_list(const struct reports *r, struct arena *a, size_t *ret_count);

void reports_release(struct reports *r);
