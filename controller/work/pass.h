/*
 * The passes of one Cluster or App, one at a time (DESIGN section 3):
 *
 *              status differs           written
 *      IDLE -----------------> WRITING ---------> ACTING ---> IDLE, when every request is answered
 *       | \                       |                  ^
 *       |  \ status is the same   | failed: what     |
 *       |   +---------------------|-- was decided ---+
 *       |                         v   is dropped
 *       +---- unsure ----> READING, then IDLE and all anew
 *
 * Observe (observe.c) borrows from the store, decides, and prepares the actions as requests of their own, since nothing
 * that was decided on may be looked at once the loop has turned. Record (record.c) writes the status. Only then execute
 * (execute.c) sends the requests, all at once. Execs are started and not waited for: an answer becomes the member's
 * report and makes the next pass due.
 *
 * After a status write whose end is not known (conflict, timeout, a lost answer) the pass is .unsure: before anything
 * else is decided the object is read from the API server. What was seen, the members' answers above all, is kept.
 */
#pragma once

#include "controller/cache/store.h"
#include "controller/stats.h"
#include "controller/work/failures.h"
#include "controller/work/queue.h"
#include "controller/work/reports.h"
#include "controller/world.h"

#define PASS_REQUEST_TIMEOUT_MS 30000
/* The launcher answers after 10 s at the latest; the rest is for starting it. */
#define PASS_EXEC_TIMEOUT_MS 20000
/* Of a verdict. The largest cluster has 1,000 members; what is beyond is asked for again by the next pass. */
#define PASS_ACTIONS_MAX 4096

/* Under this name a status that the API server refuses is told to the next decision. */
#define PASS_WRITE_STATUS "write status"

/* What all passes have in common. */
struct pass_common {
	const struct world *world;
	struct store *store;
	struct workqueue *queue;
	struct stats *stats;
	struct verdict (*decide_cluster)(const struct snapshot *s, struct arena *arena);
	struct verdict (*decide_app)(const struct app_snapshot *s, struct arena *arena);
	const char *instance; /* reportingInstance of Events */
	struct arena arena;   /* of the decision that is being made */
	struct slabs slabs;   /* of passes, and of what is kept of members' answers */
	uint64_t calls;       /* execs ever started */
	bool stopping;        /* nothing new is sent */
};

enum pass_state { PASS_IDLE, PASS_WRITING, PASS_READING, PASS_ACTING };

struct pass {
	struct pass_common *common;
	enum object_kind kind; /* OBJECT_CLUSTER or OBJECT_APP */
	const char *namespace, *name;
	const char *uid;            /* of the object that .failures and .reports are about */

	enum pass_state state;
	bool again;            /* came due while one was under way */
	bool unsure;           /* the stored object may be older than our own write */
	int write_failures;    /* of the status, in a row */
	int64_t not_before;    /* no pass until then: they failed */

	/* Record: the one request to the object itself. */
	struct request request;
	struct strbuf path, body;
	void *handle;

	/* Execute: prepared or under way. */
	struct task *tasks;
	struct call *calls;
	size_t awaited;        /* tasks without which the pass does not end */

	struct failures failures;
	struct reports reports;
};

struct pass *pass_new(struct pass_common *common, enum object_kind kind, const char *namespace, const char *name);
/* Cancels what is under way; answers of execs that come later are dropped. */
void pass_free(struct pass *p);

/* The object came due: starts a pass now, or remembers to. */
void pass_run(struct pass *p);

/* No write is under way: status, children, Events. Of an exec the next operator finds out what it came to. */
bool pass_is_quiet(const struct pass *p);
/* The object is gone and nothing is under way: it may be freed. */
bool pass_is_over(const struct pass *p);
