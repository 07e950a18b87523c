#include "reconcile/steps/steps.h"

#include "reconcile/condition.h"
#include "reconcile/desired/children.h"
#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/rollback.h"

#include <stdlib.h>
#include <string.h>

/*
 * What the user asks for by annotation: retry, skip-notify, give-up. Each is acted on once: what was done and that it was done
 * stand in the same status write (handledCommands), then the annotation is removed, then the note of it goes.
 */

/* Commands return why they are refused, or NULL when they were done. */

static const char *retry(struct draft *d, struct role_status *role, struct member *m, int64_t id)
{
	(void)role, (void)id;
	if (queue_is_empty(m))
		return "its queue is empty";
	member_forgive(m);
	plan_progress(d);
	return NULL;
}

static void drop(struct draft *d, const struct role_status *role, struct member *m, size_t i, const char *why)
{
	const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];
	if (i == 0 && draft_is_upgrading(d) && head_may_have_been_sent(d, m))
		trace_sent(d, m, e->event);
	plan_warn(d, arena_printf(d->arena, "role %s", role->id), "%s: %s %lld %s", m->pod, event_kind_text(e->event),
	          (long long)e->id, why);
	queue_remove(d, m, i);
}

static const char *skip(struct draft *d, struct role_status *role, struct member *m, int64_t id)
{
	struct state_detail *detail = m->state_detail;
	for (size_t i = 0; i < detail->pending_notify_cmds_count; i++) {
		if (detail->pending_notify_cmds[i].id != id)
			continue;
		if (detail->pending_notify_cmds[i].event == EVENT_KIND_CONFIGURE)
			return "configure cannot be skipped";
		drop(d, role, m, i, "skipped by the user");
		if (i == 0)
			member_forgive(m);
		plan_progress(d);
		return NULL;
	}
	return "it has no such notification in its queue";
}

static const char *give_up(struct draft *d, struct role_status *role, struct member *m, int64_t id)
{
	(void)id;
	while (!queue_is_empty(m))
		drop(d, role, m, m->state_detail->pending_notify_cmds_count - 1, "withdrawn: the user gave the member up");
	m->given_up = true;
	m->state_detail->config_error_detail = NULL;
	plan_warn(d, arena_printf(d->arena, "role %s", role->id), "%s was given up by the user", m->pod);
	plan_progress(d);
	return NULL;
}

static const struct {
	const char *annotation;
	const char *(*run)(struct draft *d, struct role_status *role, struct member *m, int64_t id);
	bool takes_id; /* "<member>/<id>" instead of "<member>" */
} commands[] = {
	{ "rolecall.dev/retry", retry, false },
	{ "rolecall.dev/skip-notify", skip, true },
	{ "rolecall.dev/give-up", give_up, false },
};
#define COMMANDS (sizeof commands / sizeof *commands)

static struct member *find_member(const struct draft *d, const char *pod, struct role_status **ret_role)
{
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			if (same_text(m->pod, pod)) {
				*ret_role = role;
				return m;
			}
	return NULL;
}

/* Digits only; what is no id, or none that there can be, is 0, which no notification has. */
static int64_t id_of(const char *text)
{
	bool is_number = *text && strspn(text, "0123456789") == strlen(text);
	return is_number ? strtoll(text, NULL, 10) : 0;
}

static const char *carry_out(struct draft *d, size_t which, const char *value)
{
	const char *slash = strchr(value, '/');
	if (commands[which].takes_id != (slash != NULL))
		return commands[which].takes_id ? "the value must be MEMBER/ID" : "the value must be MEMBER";
	const char *pod = slash ? arena_strndup(d->arena, value, (size_t)(slash - value)) : value;
	struct role_status *role = NULL;
	struct member *m = find_member(d, pod, &role);
	if (!m)
		return "there is no such member";
	return commands[which].run(d, role, m, slash ? id_of(slash + 1) : 0);
}

static bool is_handled(const struct cluster_status *st, const char *command)
{
	for (size_t i = 0; i < st->handled_commands_count; i++)
		if (strcmp(st->handled_commands[i], command) == 0)
			return true;
	return false;
}

/* The annotation goes by a patch that names the version it was read in: one that came meanwhile is not lost. */
static void remove_annotation(struct draft *d, const char *key)
{
	const struct object_meta *meta = d->s->cluster->metadata;
	draft_act(d, (struct action){
		.kind = ACTION_PATCH,
		.object = OBJECT_CLUSTER,
		.name = meta->name,
		.resource_version = meta->resource_version,
		.patch = arena_printf(d->arena, "{\"metadata\":{\"resourceVersion\":\"%s\",\"annotations\":{\"%s\":null}}}",
		                      meta->resource_version, key),
	});
}

#define COMMAND_MAX 512 /* bytes; the CRD's maxLength of a handled command, which counts characters */

/*
 * As it is noted in status, in whole characters: half of one would come back from there as another character, the note would
 * fit no annotation, and the command would be carried out in every pass.
 */
static const char *command_text(const struct draft *d, const char *annotation, const char *value)
{
	size_t len = strnlen(value, COMMAND_MAX - strlen(annotation) - strlen("="));
	for (; len && ((unsigned char)value[len] & 0xc0) == 0x80; len--)
		;
	return arena_printf(d->arena, "%s=%.*s", annotation, (int)len, value);
}

static void obey(struct draft *d)
{
	struct cluster_status *st = d->status;
	const char **handled = arena_array(d->arena, COMMANDS, sizeof *handled);
	size_t count = 0;
	for (size_t i = 0; i < COMMANDS; i++) {
		const char *value = draft_annotation(d, commands[i].annotation);
		if (!value)
			continue;
		handled[count++] = command_text(d, commands[i].annotation, value);
		if (is_handled(st, handled[count - 1])) {
			remove_annotation(d, commands[i].annotation);
			continue;
		}
		const char *refused = carry_out(d, i, value);
		if (refused)
			draft_event(d, true, "CommandRefused", "%s: %s: %s", commands[i].annotation, value, refused);
		else
			draft_event(d, false, "CommandDone", "%s: %s", commands[i].annotation, value);
		draft_requeue(d, d->s->now); /* to remove it, when the write that says so is done */
	}
	st->handled_commands = count ? handled : NULL;
	st->handled_commands_count = count;
}

/* A member that was given up is back: it is configured as new, once nothing else is going on that it could hold up. */
static void take_back(struct draft *d, struct role_status *role, struct member *m)
{
	struct member_view v = member_look(d, m);
	const struct app *app = draft_role_app(d, role);
	if (!app || !v.container || queue_is_full(m))
		return;
	if (!same_text(v.hash, desired_hash(d, app, role->id))) {
		draft_act(d, (struct action){ .kind = ACTION_DELETE, .object = OBJECT_POD, .name = m->pod,
		                              .uid = v.pod->metadata->uid });
		return;
	}
	if (role_has_setup(app, role->id)) {
		queue_push(d, m, notification_new(d, EVENT_KIND_CONFIGURE, role->id), EVENT_KIND_CONFIGURE);
		m->state = MEMBER_STATE_CREATING;
	} else {
		m->state = MEMBER_STATE_CONFIGURED;
	}
	m->given_up = false;
	draft_event(d, false, "MemberBack", "%s was given up and is back: it is configured as new", m->pod);
}

enum step_result step_commands(struct draft *d)
{
	const struct cluster_status *st = d->status;
	const struct condition *progressing = condition_find(st->conditions, st->conditions_count, "Progressing");
	if (progressing && same_text(progressing->reason, "Paused"))
		plan_progress(d); /* the deadline stood still while everything did */
	obey(d);
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			if (m->given_up && !plan_is_running(d))
				take_back(d, role, m);
	return STEP_NEXT;
}
