#include "reconcile/draft.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_pod_name(const void *a, const void *b)
{
	const struct pod *x = *(const struct pod *const *)a, *y = *(const struct pod *const *)b;
	return strcmp(x->metadata->name, y->metadata->name);
}

static int by_exec_pod(const void *a, const void *b)
{
	const struct exec_report *x = *(const struct exec_report *const *)a, *y = *(const struct exec_report *const *)b;
	return strcmp(x->pod, y->pod);
}

static struct cluster_status *copy_status(const struct cluster *cluster, struct arena *arena)
{
	if (!cluster->status)
		return arena_alloc(arena, sizeof(struct cluster_status));
	struct cluster_status *status = crd_copy(&cluster_status_type, cluster->status, arena);
	for (size_t r = 0; r < status->roles_count; r++)
		for (size_t m = 0; m < status->roles[r].members_count; m++) {
			struct member *member = &status->roles[r].members[m];
			if (!member->state_detail)
				member->state_detail = arena_alloc(arena, sizeof *member->state_detail);
		}
	return status;
}

void draft_begin(struct draft *d, const struct snapshot *s, struct arena *arena)
{
	*d = (struct draft){ .s = s, .arena = arena, .status = copy_status(s->cluster, arena), .trace = { .arena = arena } };
	d->fqdns = arena_alloc(arena, sizeof *d->fqdns);
	d->pods = arena_array(arena, s->pod_count, sizeof *d->pods);
	for (size_t i = 0; i < s->pod_count; i++)
		d->pods[i] = s->pods[i];
	qsort(d->pods, s->pod_count, sizeof *d->pods, by_pod_name);
	d->execs = arena_array(arena, s->exec_count, sizeof *d->execs);
	for (size_t i = 0; i < s->exec_count; i++)
		d->execs[i] = &s->execs[i];
	qsort(d->execs, s->exec_count, sizeof *d->execs, by_exec_pod);
}

const char *draft_annotation(const struct draft *d, const char *key)
{
	const struct object_meta *meta = d->s->cluster->metadata;
	for (size_t i = 0; i < meta->annotations_count; i++)
		if (strcmp(meta->annotations[i].key, key) == 0)
			return meta->annotations[i].value;
	return NULL;
}

bool draft_is_paused(const struct draft *d)
{
	return same_text(draft_annotation(d, ANNOTATION_PAUSED), "true");
}

void draft_run(struct draft *d, const struct step *steps, size_t count)
{
	bool paused = draft_is_paused(d);
	for (size_t i = 0; i < count; i++) {
		if (paused && steps[i].when == UNLESS_PAUSED)
			continue;
		strbuf_addf(&d->trace, "%s%s", d->trace.len > 0 ? "\n" : "", steps[i].name);
		if (steps[i].run(d) == STEP_STOP)
			return;
	}
}

struct verdict draft_verdict(const struct draft *d)
{
	return (struct verdict){
		.status = d->status,
		.actions = d->actions,
		.action_count = d->action_count,
		.requeue_at = d->requeue_at,
		.trace = strbuf_str(&d->trace),
	};
}

void draft_requeue(struct draft *d, int64_t at_ms)
{
	if (!d->requeue_at || at_ms < d->requeue_at)
		d->requeue_at = at_ms;
}

void draft_act(struct draft *d, struct action action)
{
	if (d->action_count == d->action_room) {
		d->action_room = d->action_room ? 2 * d->action_room : 16;
		d->actions = arena_grow(d->arena, d->actions, d->action_count, d->action_room, sizeof *d->actions);
	}
	d->actions[d->action_count++] = action;
}

__attribute__((format(printf, 2, 0))) static const char *format(struct arena *arena, const char *fmt, va_list args)
{
	char text[1024];
	vsnprintf(text, sizeof text, fmt, args);
	return arena_strdup(arena, text);
}

void draft_event(struct draft *d, bool warning, const char *reason, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	const char *message = format(d->arena, fmt, args);
	va_end(args);
	draft_act(d, (struct action){
		.kind = ACTION_EVENT,
		.object = OBJECT_CLUSTER,
		.name = d->s->cluster->metadata->name,
		.reason = reason,
		.message = message,
		.warning = warning,
	});
}

void draft_note(struct draft *d, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	strbuf_addf(&d->trace, "; %s", format(d->arena, fmt, args));
	va_end(args);
}

const struct app *draft_app(const struct draft *d, const char *name)
{
	const struct app *known[] = { d->s->app, d->s->running_app, d->s->prev_app, d->s->to_app };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] && same_text(known[i]->metadata->name, name))
			return known[i];
	return NULL;
}

static int pod_is_named(const void *key, const void *item)
{
	return strcmp(key, (*(const struct pod *const *)item)->metadata->name);
}

const struct pod *draft_pod(const struct draft *d, const char *name)
{
	const struct pod **found = bsearch(name, d->pods, d->s->pod_count, sizeof *d->pods, pod_is_named);
	return found ? *found : NULL;
}

static int exec_is_of(const void *key, const void *item)
{
	return strcmp(key, (*(const struct exec_report *const *)item)->pod);
}

const struct exec_report *draft_exec(const struct draft *d, const char *pod)
{
	const struct exec_report **found = bsearch(pod, d->execs, d->s->exec_count, sizeof *d->execs, exec_is_of);
	return found ? *found : NULL;
}

const struct statefulset *draft_set(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->s->set_count; i++)
		if (same_text(d->s->sets[i]->metadata->name, name))
			return d->s->sets[i];
	return NULL;
}

const struct cluster_role *draft_spec_role(const struct draft *d, const char *id)
{
	const struct cluster_spec *spec = d->s->cluster->spec;
	for (size_t i = 0; i < spec->roles_count; i++)
		if (same_text(spec->roles[i].id, id))
			return &spec->roles[i];
	return NULL;
}

struct role_status *draft_role(const struct draft *d, const char *id)
{
	for (size_t i = 0; i < d->status->roles_count; i++)
		if (same_text(d->status->roles[i].id, id))
			return &d->status->roles[i];
	return NULL;
}

const struct app_role *app_role_find(const struct app *app, const char *id)
{
	for (size_t i = 0; app && i < app->spec->roles_count; i++)
		if (same_text(app->spec->roles[i].id, id))
			return &app->spec->roles[i];
	return NULL;
}

/* In an upgrade a role runs A until its turn; in a rollback it runs B until its turn. */
const struct app *draft_role_app(const struct draft *d, const struct role_status *role)
{
	const struct upgrade_info *info = d->status->upgrade_info;
	if (!info)
		return draft_app(d, d->status->app);
	switch (role->role_upgrade_status) {
	case UPGRADE_STATE_NONE:
	case UPGRADE_STATE_ROLLING_BACK:
	case UPGRADE_STATE_ROLLED_BACK:
		return draft_app(d, info->prev_app);
	case UPGRADE_STATE_UPGRADING:
	case UPGRADE_STATE_UPGRADED:
		return draft_app(d, info->to_app);
	}
	return NULL;
}
