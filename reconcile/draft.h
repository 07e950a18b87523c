/*
 * The verdict in the making: the status as the steps change it, and the actions collected on the way.
 *
 * The steps of a kind are a table (cluster.c) that reads as prose; each looks at the snapshot and at what earlier steps
 * left in the draft, changes the draft's status, and adds actions. Nothing else composes status.
 */
#pragma once

#include "crd/base/strbuf.h"
#include "reconcile/reconcile.h"

#define DRAFT_APPS 4 /* that a snapshot holds */

/* A list of names as one text. A role's thousand members are told the same one: it is made once. */
struct joined {
	const void *of; /* the list */
	size_t count;
	const char *text;
};

struct draft {
	const struct snapshot *s;
	struct arena *arena;
	struct cluster_status *status;   /* a copy of the stored one, changed freely */
	bool accepted;                   /* the spec can be followed (steps/admit.c) */
	const char *trouble;             /* what stands in the way of a child (steps/children.c); NULL: nothing */
	const struct pod **pods;         /* the snapshot's, sorted by name */
	const struct exec_report **execs; /* likewise, by pod */
	struct joined *fqdns;            /* that member/event.c made last */
	struct action *actions;
	size_t action_count, action_room;
	struct draft_config { const struct app *app; const char *text; } configs[DRAFT_APPS]; /* desired/configmeta.c's, once made */
	int64_t requeue_at;
	struct strbuf trace;             /* a large cluster has thousands of notes */
};

enum step_result {
	STEP_NEXT, /* go on with the next step */
	STEP_STOP, /* the pass ends here */
};

enum step_when {
	ALWAYS,
	UNLESS_PAUSED, /* not while the annotation "paused" is there: status and deletion go on, nothing else */
};

struct step {
	const char *name;
	enum step_result (*run)(struct draft *d);
	enum step_when when;
};

void draft_begin(struct draft *d, const struct snapshot *s, struct arena *arena);
void draft_run(struct draft *d, const struct step *steps, size_t count);
struct verdict draft_verdict(const struct draft *d);

/* Asks for another pass at AT (ms), or earlier if somebody asked for that. */
void draft_requeue(struct draft *d, int64_t at_ms);

/* Adds ACTION, whose strings live as long as the arena. */
void draft_act(struct draft *d, struct action action);
/* A Kubernetes Event about the cluster; the reasons are listed in reconcile/README.md. */
void draft_event(struct draft *d, bool warning, const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* What the running step has to say, for the trace. */
void draft_note(struct draft *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define ANNOTATION_PAUSED "rolecall.dev/paused"
/* The value of an annotation of the cluster, or NULL. */
const char *draft_annotation(const struct draft *d, const char *key);
bool draft_is_paused(const struct draft *d);

/* What the snapshot knows; NULL when it does not. */
const struct app *draft_app(const struct draft *d, const char *name);
const struct pod *draft_pod(const struct draft *d, const char *name);
const struct exec_report *draft_exec(const struct draft *d, const char *pod);
const struct statefulset *draft_set(const struct draft *d, const char *name);
const struct cluster_role *draft_spec_role(const struct draft *d, const char *id);
struct role_status *draft_role(const struct draft *d, const char *id);
const struct app_role *app_role_find(const struct app *app, const char *id);

/* Whether the cluster is moving from one App to another. */
static inline bool draft_is_upgrading(const struct draft *d)
{
	return d->status->upgrade_info != NULL;
}
static inline bool draft_is_rolling_back(const struct draft *d)
{
	return d->status->upgrade_info && d->status->upgrade_info->is_rolling_back;
}
/* The App that ROLE's members shall run now: its turn in an upgrade decides (DESIGN section 3). NULL when it is gone. */
const struct app *draft_role_app(const struct draft *d, const struct role_status *role);

static inline bool same_text(const char *a, const char *b)
{
	return a && b ? __builtin_strcmp(a, b) == 0 : a == b;
}
