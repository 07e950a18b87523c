#include "reconcile/steps/steps.h"

#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/gates.h"
#include "reconcile/upgrade/rollback.h"
#include "reconcile/upgrade/upgrade.h"

#include <string.h>

/*
 * From one App to the next, and back. Roles go one after the other; the next begins when every member of the one before is
 * recorded as done, without waiting until they have all been told so.
 */

static bool is_asked_for(const struct draft *d)
{
	return d->accepted && d->status->app && !draft_is_upgrading(d) &&
	       !same_text(d->s->cluster->spec->app, d->status->app);
}

/* Back by the user's edit, or by the deadline if the user wanted that. */
static void turn_round(struct draft *d)
{
	const struct cluster_spec *spec = d->s->cluster->spec;
	if (same_text(spec->app, d->status->upgrade_info->prev_app))
		rollback_begin(d, false);
	else if (spec->upgrade && spec->upgrade->on_failure == FAILURE_POLICY_ROLLBACK && deadline_has_passed(d, NULL))
		rollback_begin(d, true);
}

static bool is_told(const struct member *m, enum event_kind event)
{
	const struct upgrade_trace *t = m->upgrade_trace;
	if (event == EVENT_KIND_ROLE_REVERTED)
		return t && t->role_told;
	if (event == EVENT_KIND_CLUSTER_REVERTED)
		return t && (t->container_ran || t->role_told || t->cluster_told);
	return true;
}

/* Queues EVENT for the members of ROLE that are told it, under one id. */
static void tell_role(struct draft *d, struct role_status *role, enum event_kind event, const char *about, int64_t *id)
{
	const struct app *app = draft_role_app(d, role);
	if (!app || !event_is_heard(app, role->id, event))
		return;
	FOR_EACH_MEMBER(role, m) {
		if (m->given_up || !is_told(m, event))
			continue;
		if (!*id)
			*id = notification_new(d, event, about);
		queue_push(d, m, *id, event);
	}
}

static void finish_role(struct draft *d, struct role_status *role, enum upgrade_state moved, enum event_kind event)
{
	int64_t id = 0;
	role->role_upgrade_status = moved;
	role->waiting_for = NULL;
	plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_DONE, NULL);
	tell_role(d, role, event, role->id, &id);
	draft_event(d, false, moved == UPGRADE_STATE_UPGRADED ? "RoleUpgraded" : "RoleRolledBack",
	            "every member of role %s runs App %s", role->id, d->status->app);
}

static void tell_cluster(struct draft *d, enum event_kind event)
{
	int64_t id = 0;
	plan_step(d, UPGRADE_NOTIFY_STEP, STEP_STATUS_RUNNING, NULL);
	FOR_EACH_ROLE(d, role)
		tell_role(d, role, event, NULL, &id);
}

/* The progress deadline stood still while the upgrade was paused: it counts anew from the end of the pause. */
static void end_pause(struct draft *d)
{
	const struct upgrade_policy *policy = d->s->cluster->spec->upgrade;
	FOR_EACH_ROLE(d, role)
		if (role->waiting_for && strncmp(role->waiting_for, "Paused:", 7) == 0 && !(policy && policy->paused))
			plan_progress(d);
}

/* false: ROLE is not done yet, and the next one waits. */
static bool go_forward(struct draft *d, struct role_status *role)
{
	upgrade_role(d, role);
	if (role->role_upgrade_status == UPGRADE_STATE_UPGRADED)
		return true;
	if (!role_is_upgraded(role))
		return false;
	finish_role(d, role, UPGRADE_STATE_UPGRADED, EVENT_KIND_ROLE_UPGRADED);
	return true;
}

static bool go_back(struct draft *d, struct role_status *role)
{
	if (role->role_upgrade_status == UPGRADE_STATE_NONE)
		return true; /* its turn in the upgrade never came */
	rollback_role(d, role);
	if (!role_is_back(role))
		return false;
	if (role->role_upgrade_status == UPGRADE_STATE_ROLLING_BACK)
		finish_role(d, role, UPGRADE_STATE_ROLLED_BACK, EVENT_KIND_ROLE_REVERTED);
	return true;
}

enum step_result step_upgrade(struct draft *d)
{
	upgrade_repair(d);
	if (is_asked_for(d) && !plan_is_running(d))
		upgrade_begin(d, d->s->app);
	if (!draft_is_upgrading(d))
		return STEP_NEXT;
	end_pause(d);
	if (!draft_is_rolling_back(d))
		turn_round(d);

	bool back = draft_is_rolling_back(d), all = true;
	if (back)
		rollback_withdraw(d);
	if (queue_holds(d, QUEUE_STEP))
		return STEP_NEXT;
	struct role_status **order = upgrade_order(d);
	size_t count = d->status->roles_count;
	for (size_t i = 0; i < count && all; i++)
		all = back ? go_back(d, order[count - 1 - i]) : go_forward(d, order[i]);
	for (size_t i = 0; i < count && all && !back; i++)
		all = role_is_upgraded(order[i]); /* one in config error does not count (U4) */
	if (all && plan_step_is(d, UPGRADE_NOTIFY_STEP, STEP_STATUS_PENDING))
		tell_cluster(d, back ? EVENT_KIND_CLUSTER_REVERTED : EVENT_KIND_CLUSTER_UPGRADED);
	return STEP_NEXT;
}
