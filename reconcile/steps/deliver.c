#include "reconcile/steps/steps.h"

#include "reconcile/desired/children.h"
#include "reconcile/desired/configmeta.h"
#include "reconcile/member/call.h"
#include "reconcile/member/config.h"
#include "reconcile/member/event.h"
#include "reconcile/member/queue.h"
#include "reconcile/upgrade/rollback.h"

/*
 * The heads of the queues that are due. The head blocks the rest of its member's queue and nobody else's (N3); a container
 * that does not run is sent nothing (N4); a member in config error is left alone until something changes (N5).
 *
 * The status that holds these entries is written before any of these calls is made, so only stored notifications are
 * delivered (N1).
 */

/* Marked for replacement, and its pod is still the old one: it is about to go, and "your pod is new" would be a lie. */
static bool is_about_to_go(const struct draft *d, const struct role_status *role, const struct member *m,
                           const struct member_view *v)
{
	if (!member_is_moving(m))
		return false;
	const struct app *target = draft_role_app(d, role);
	return !target || !same_text(v->hash, desired_hash(d, target, role->id));
}

/* N7: written before the handler is told, by the same call. */
static void send_config(struct draft *d, const struct role_status *role, const struct member *m, const struct app *app,
                        struct exec_call *exec)
{
	exec->config = configmeta_common(d, app);
	exec->config_own = configmeta_own(d, app, role, m);
	exec->generation = d->status->spec_generation_to_process;
}

static void call(struct draft *d, const struct role_status *role, const struct member *m, const struct member_view *v,
                 const struct app *app, const struct queue_entry *entry)
{
	const struct app_role *app_role = app_role_find(app, role->id);
	struct action a = {
		.kind = ACTION_EXEC,
		.object = OBJECT_POD,
		.name = m->pod,
		.exec = {
			.pod_uid = v->pod->metadata->uid,
			.container = v->container,
			.setup = role_has_setup(app, role->id) ? member_setup(d, m) : NULL,
			.is_urgent = member_is_moving(m),
			.timeout_s = handler_timeout_s(app_role),
		},
	};
	if (entry ? config_goes_with(d, m, v, entry) : config_is_behind(d, m))
		send_config(d, role, m, app, &a.exec);
	if (entry) {
		a.exec.generation = d->status->spec_generation_to_process;
		a.exec.id = entry->id;
		a.exec.attempt = entry->attempts + 1;
		a.exec.is_configure = entry->event == EVENT_KIND_CONFIGURE;
		const struct notification *n = notification_find(d, entry->id), bare = { .event = entry->event };
		a.exec.argv = event_argv(d, app_role, role, n ? n : &bare, &a.exec.argc);
	}
	draft_act(d, a);
	draft_note(d, "%s: %s", m->pod, entry ? event_kind_text(entry->event) : "is its set-up there?");
}

static void deliver(struct draft *d, const struct role_status *role, const struct member *m)
{
	struct member_view v = member_look(d, m);
	const struct app *app = member_app(d, role, &v);
	const struct app_role *app_role = app_role_find(app, role->id);
	if (!v.container || member_is_leaving(m) || m->state == MEMBER_STATE_CONFIG_ERROR || !app_role || !app_role->handler ||
	    !app_role->handler->exec || is_about_to_go(d, role, m, &v))
		return;
	const struct queue_entry *head = queue_head(m);
	if (head && draft_is_rolling_back(d) && event_is_upgraded(head->event))
		return; /* U3: nothing is announced as upgraded any more; what was sent is only waited for */
	if (head) {
		if (call_is_due(d, m, &v, head->id, head->attempts + 1, head->next_attempt))
			call(d, role, m, &v, app, head);
	} else if ((role_hears_anything(app, role->id) && config_is_behind(d, m)) ||
	           (role_has_setup(app, role->id) &&
	            !same_text(m->state_detail->last_configured_container, v.container))) {
		if (call_is_due(d, m, &v, 0, 0, 0))
			call(d, role, m, &v, app, NULL);
	}
}

enum step_result step_deliver(struct draft *d)
{
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m) {
			config_settle(d, m);
			deliver(d, role, m);
		}
	return STEP_NEXT;
}
