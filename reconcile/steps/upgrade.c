#include "reconcile/steps/steps.h"

#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/upgrade.h"

#include <string.h>

/*
 * From one App to the next. Roles go one after the other; the next begins when every member of the one before is recorded
 * as upgraded, without waiting until they have all been told so.
 */

static bool is_asked_for(const struct draft *d)
{
	return d->accepted && d->status->app && !draft_is_upgrading(d) &&
	       !same_text(d->s->cluster->spec->app, d->status->app);
}

/* Queues EVENT for the members of ROLE that hear it, under one id. */
static void tell_role(struct draft *d, struct role_status *role, enum event_kind event, int64_t *id)
{
	const struct app *b = draft_app(d, d->status->app);
	if (!b || !event_is_heard(b, role->id, event))
		return;
	FOR_EACH_MEMBER(role, m) {
		if (!*id)
			*id = notification_new(d, event, event == EVENT_KIND_ROLE_UPGRADED ? role->id : NULL);
		queue_push(d, m, *id, event);
	}
}

static void finish_role(struct draft *d, struct role_status *role)
{
	int64_t id = 0;
	role->role_upgrade_status = UPGRADE_STATE_UPGRADED;
	role->waiting_for = NULL;
	plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_DONE, NULL);
	tell_role(d, role, EVENT_KIND_ROLE_UPGRADED, &id);
	draft_event(d, false, "RoleUpgraded", "every member of role %s runs App %s", role->id, d->status->app);
}

static void tell_cluster(struct draft *d)
{
	int64_t id = 0;
	plan_step(d, UPGRADE_NOTIFY_STEP, STEP_STATUS_RUNNING, NULL);
	FOR_EACH_ROLE(d, role)
		tell_role(d, role, EVENT_KIND_CLUSTER_UPGRADED, &id);
}

/* The progress deadline stood still while the upgrade was paused: it counts anew from the end of the pause. */
static void end_pause(struct draft *d)
{
	const struct upgrade_policy *policy = d->s->cluster->spec->upgrade;
	FOR_EACH_ROLE(d, role)
		if (role->waiting_for && strncmp(role->waiting_for, "Paused:", 7) == 0 && !(policy && policy->paused))
			plan_progress(d);
}

enum step_result step_upgrade(struct draft *d)
{
	if (is_asked_for(d) && !plan_is_running(d))
		upgrade_begin(d, d->s->app);
	if (!draft_is_upgrading(d))
		return STEP_NEXT;
	end_pause(d);
	struct role_status **order = upgrade_order(d);
	for (size_t i = 0; i < d->status->roles_count; i++) {
		upgrade_role(d, order[i]);
		if (order[i]->role_upgrade_status == UPGRADE_STATE_UPGRADING) {
			if (!role_is_upgraded(order[i]))
				break;
			finish_role(d, order[i]);
		}
	}
	bool all = true;
	FOR_EACH_ROLE(d, role)
		all = all && role->role_upgrade_status == UPGRADE_STATE_UPGRADED;
	if (all && plan_step_is(d, UPGRADE_NOTIFY_STEP, STEP_STATUS_PENDING))
		tell_cluster(d);
	return STEP_NEXT;
}
