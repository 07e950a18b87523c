/*
 * The decision of one pass, pure: what was seen goes in, what shall be written and done comes out. No IO, no clock, no
 * malloc, no global; the same snapshot gives the same verdict (DESIGN section 3).
 *
 * Intent first: a verdict's status is written before its actions run, and whatever a crash could lose or repeat is in
 * that status. Results of actions come back in the next snapshot, which alone turns them into status.
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/gen/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a call of the launcher in a member came to. Everything but the answers leaves open what happened there (P2). */
enum answer {
	ANSWER_NONE,
	ANSWER_DONE,       /* the handler ended; see exit_code */
	ANSWER_RUNNING,    /* it runs; ask again */
	ANSWER_TIMEOUT,    /* it ran past its limit and was killed: a failure */
	ANSWER_NO_SETUP,   /* the set-up named in the call is not there; nothing was run */
	ANSWER_SETUP,      /* a check: the set-up is there */
	ANSWER_NO_CONFIG,  /* the configmeta named in the call is not there, nor was it sent; nothing was run */
	ANSWER_REFUSED,    /* the call never started (no 101, container not running) */
	ANSWER_UNKNOWN,    /* connection lost, no answer line, time up: it may have run */
};

/* The newest call to one member. The shell keeps it until a newer one replaces it. */
struct exec_report {
	const char *pod;
	const char *container;  /* the container ID that was meant */
	int64_t id;             /* notification; 0 is a check of the set-up */
	int64_t attempt;
	bool flying;            /* not back yet: the fields below are those of the call before, if it was about this run */
	enum answer answer;
	int exit_code;
	bool ran_again;         /* a run that was cut with its container was started again (N6) */
	int64_t config;         /* generation of the configmeta that the member holds, by this answer; 0: none, or no word of it */
	bool config_aside;      /* it is in the launcher's own folder: KubeDirector's place cannot be written */
	const char *config_why; /* why not, if this call tried */
	const char *detail;     /* end of the output, or why there is no answer */
	int64_t ended_at;       /* ms */
	bool may_have_run;      /* one of the calls about this run was not refused: its handler may have been started */
	int tries;              /* calls in a row for this (container, id, attempt) that brought no end */
};

/* A request of the last pass that failed. */
struct request_failure {
	const char *what;       /* "apply statefulset/shop-web-1a2b3" */
	enum err_kind kind;
	const char *message;
};

struct snapshot {
	int64_t now;                        /* ms since 1970 */
	const struct cluster *cluster;
	const struct app *app;              /* that spec.app names; NULL when there is none */
	const struct app *running_app;      /* that status.app names; NULL likewise */
	const struct app *prev_app;         /* that status.upgradeInfo.prevApp names; NULL likewise */
	const struct app *to_app;           /* that status.upgradeInfo.toApp names; NULL likewise */
	const struct statefulset *const *sets;
	size_t set_count;
	const struct service *const *services;
	size_t service_count;
	const struct pod *const *pods;      /* the cluster's, in any order */
	size_t pod_count;
	const struct setback *const *setbacks; /* of these StatefulSets, in any order */
	size_t setback_count;
	const struct exec_report *execs;
	size_t exec_count;
	const struct request_failure *failures;
	size_t failure_count;
};

enum object_kind {
	OBJECT_APP,
	OBJECT_CLUSTER,
	OBJECT_STATEFULSET,
	OBJECT_SERVICE,
	OBJECT_POD,
	OBJECT_SETBACK, /* an Event that says why a StatefulSet's pod could not be made */
	OBJECT_KINDS
};

enum action_kind {
	ACTION_APPLY,   /* server-side apply of .body with .overlays laid over it, forced */
	ACTION_DELETE,  /* with .uid as precondition */
	ACTION_EXEC,    /* one call of the launcher */
	ACTION_EVENT,   /* a Kubernetes Event about the object */
	ACTION_PATCH,   /* JSON merge patch .patch of the object's metadata */
};

/* One call of the launcher (controller/exec/launcher.sh says what it does with this). */
struct exec_call {
	const char *pod_uid;            /* of the pod that is meant: an exec names it by its name only, and so may reach its successor */
	const char *container;          /* container ID that is meant */
	int64_t id;                     /* 0: look whether the set-up is there, run nothing */
	int64_t attempt;
	const char *setup;              /* the set-up expected: "UID nodeID"; NULL when the role has none */
	bool is_configure;              /* leaves the set-up behind when it ends with 0 */
	bool is_urgent;                 /* the rest of an upgrade waits for this member: its answer is not left lying */
	int64_t timeout_s;              /* limit of the handler */
	int64_t generation;             /* of the configmeta without which nothing runs; 0: none is needed */
	const char *config;             /* that configmeta, JSON text in two parts: what all members share; NULL: it is not sent */
	const char *config_own;         /* and what is the member's own; owned like .config by the verdict */
	const char *const *argv;        /* handler and its arguments, byte for byte */
	size_t argc;
};

struct action {
	enum action_kind kind;
	enum object_kind object;        /* apply, delete, patch */
	const char *name;               /* of the object, or the pod of an exec */
	const char *uid;                /* delete */
	const char *resource_version;   /* apply, patch: refused with 409 when the object has moved on; NULL to create */
	const void *body;               /* apply: struct statefulset or struct service */
	const char *const *overlays;    /* apply: JSON texts laid over .spec.template */
	size_t overlay_count;
	struct exec_call exec;
	const char *reason, *message;   /* event */
	bool warning;                   /* event: type Warning instead of Normal */
	const char *patch;
};

struct verdict {
	const void *status;             /* struct cluster_status or struct app_status: always the whole of it */
	const struct action *actions;
	size_t action_count;
	int64_t requeue_at;             /* ms; 0: only when something changes */
	const char *trace;              /* one line a step: "name result message" */
};

/* A Cluster. The verdict lives in ARENA and may borrow from the snapshot. */
struct verdict decide_cluster(const struct snapshot *s, struct arena *arena);

/* An App: who uses it. CLUSTERS are all of its namespace. */
struct app_snapshot {
	int64_t now;
	const struct app *app;
	const struct cluster *const *clusters;
	size_t cluster_count;
};
struct verdict decide_app(const struct app_snapshot *s, struct arena *arena);
