/*
 * The members: a seat is a member's stable name, a box one container in it, a run one start of a handler there.
 *
 * A box holds what controller/exec/launcher.sh keeps in a container: the set-up and the runs by key. It is gone with
 * the container, as where a role has no storage. A seat's runs stay: they are the log against which every promise is
 * judged, written by what happened and by nobody's word.
 */
#pragma once

#include "wire.h"

#include "crd/gen/types.h"

enum run_state { RUN_GOING, RUN_ENDED, RUN_TIMED_OUT, RUN_CUT };

struct run {
	struct seat *seat;
	struct box *box;
	int64_t id, attempt;
	const char *key;
	enum event_kind event;
	const char *args;           /* what the handler got after the event's word, joined by blanks */
	int64_t sent_at;            /* when the exec that started it left the operator */
	int64_t config;             /* generation of the configmeta that it found */
	const char *config_text;
	int64_t started_at, ended_at;
	enum run_state state;
	int exit_code;
	const char *setup;          /* of a configure: left in the box when it ends with 0 */
	struct wait *waits;         /* execs that wait for the end */
	enum run_state due;         /* how it would have ended while the box was frozen: ends so when it thaws */
};

/* An exec that waits in a box for a run. */
struct wait {
	struct exec_flight *flight;
	struct run *run;
	struct wait *next;
};

struct box {
	struct seat *seat;
	const char *id;             /* containerID */
	const char *pod_uid, *image, *hash;
	bool alive, frozen, ready;
	int64_t started_at, ready_at, thawed_at;
	const char *setup;          /* NULL: none */
	int64_t config;             /* generation of its configmeta; 0: none */
	const char *config_text;
	uint64_t config_held;       /* bit 1 << generation, of all that it ever held */
	int64_t first_told_at;      /* first start of a handler here; 0: none yet */
	struct box *older;          /* the one before it in the same seat */
};

struct seat {
	const char *namespace;
	const char *pod;            /* name */
	const char *role;           /* id of the role */
	const char *uid;            /* of the pod that has the name now; NULL: none */
	struct box *box;            /* newest container of that pod, dead or alive; NULL before the first */
	struct box *boxes;          /* all that there ever were, newest first */
	int restarts;
	bool ending;                /* the pod is being deleted */
	struct run **runs;          /* by start */
	size_t run_count, run_room;
	struct seat *next;          /* by namespace and name */
};

struct sim;

/* NULL when there was never such a pod. */
struct seat *seat_in(const struct sim *sim, const char *namespace, const char *pod);
struct seat *seat_find(const struct sim *sim, const char *pod); /* in SIM_NAMESPACE */
/* Whoever had it left for good. */
void seat_remove(struct sim *sim, struct seat *seat);
struct seat *seat_get(struct sim *sim, const char *namespace, const char *pod, const char *role);

/* Whether this is a call of the launcher; nothing else can run in a member. *RET_INPUT is how many bytes it announces. */
bool seat_is_launch(const struct exec_request *r, size_t *ret_input);
/* An exec reaches the pod: answers through wire_exec_ended(). */
void seat_call(struct sim *sim, struct exec_flight *f);
/* The handler ended: writes the log, leaves a set-up behind, answers who waits. */
void seat_run_ended(struct sim *sim, struct run *run, enum run_state how);

/* The container is gone: what ran in it is cut. */
void box_kill(struct sim *sim, struct box *box);
void box_freeze(struct sim *sim, struct box *box);
void box_thaw(struct sim *sim, struct box *box);
/* The kernel kills a running handler and nothing else, if there is one. */
void box_kill_handler(struct sim *sim, struct box *box);
