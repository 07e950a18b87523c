#include "reconcile/steps/steps.h"

#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/gates.h"
#include "reconcile/upgrade/upgrade.h"

/*
 * The end of a plan. U1: upgradeInfo, and with it the hold on the App that was left, goes only in a status in which every
 * queue is empty and every role is done. P4: another plan past its deadline has failed; an upgrade never ends that way.
 */

static void finish_upgrade(struct draft *d)
{
	struct cluster_status *st = d->status;
	if (!upgrade_waits_for_queues_only(d) || queues_total(st) > 0)
		return;
	plan_step(d, UPGRADE_NOTIFY_STEP, STEP_STATUS_DONE, NULL);
	bool back = draft_is_rolling_back(d);
	const struct upgrade_info *info = st->upgrade_info;
	plan_end(d, PLAN_OUTCOME_SUCCEEDED, back ? "RolledBack" : "Upgraded");
	draft_event(d, false, back ? "RollbackCompleted" : "UpgradeCompleted", "from App %s to App %s: %s",
	            back ? info->to_app : info->prev_app, st->app, plan_summary(&st->last_plans[0], d->arena));
	st->upgrade_info = NULL;
	upgrade_repair(d); /* without upgradeInfo nothing of the upgrade stays */
}

static bool role_is_configured(const struct role_status *role)
{
	for (size_t i = 0; i < role->members_count; i++)
		if (!role->members[i].given_up && (role->members[i].state != MEMBER_STATE_CONFIGURED ||
		                                   !queue_is_empty(&role->members[i])))
			return false;
	return true;
}

static void finish_creation(struct draft *d)
{
	bool all = true;
	FOR_EACH_ROLE(d, role) {
		if (role_is_configured(role))
			plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_DONE, NULL);
		else
			all = false;
	}
	if (all) {
		plan_end(d, PLAN_OUTCOME_SUCCEEDED, "Created");
		draft_event(d, false, "Created", "every member is configured: %s",
		            plan_summary(&d->status->last_plans[0], d->arena));
	} else if (deadline_has_passed(d, NULL)) {
		plan_end(d, PLAN_OUTCOME_FAILED, "ProgressDeadlineExceeded");
		draft_event(d, true, "PlanFailed", "the cluster was not created in time; its members are still being tried");
	}
}

/* N9: membership is finished when the pods are there or gone, not when the queues are empty. */
static bool role_is_settled(const struct role_status *role)
{
	for (size_t i = 0; i < role->members_count; i++)
		if (role->members[i].joined_generation || member_is_leaving(&role->members[i]))
			return false;
	return true;
}

static void finish_scale(struct draft *d)
{
	bool all = true;
	FOR_EACH_ROLE(d, role) {
		if (role_is_settled(role))
			plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_DONE, NULL);
		else
			all = false;
	}
	if (all) {
		plan_end(d, PLAN_OUTCOME_SUCCEEDED, "Scaled");
		draft_event(d, false, "Scaled", "%s", plan_summary(&d->status->last_plans[0], d->arena));
	} else if (deadline_has_passed(d, NULL)) {
		plan_end(d, PLAN_OUTCOME_FAILED, "ProgressDeadlineExceeded");
		draft_event(d, true, "PlanFailed", "the change of membership was not finished in time; it is still being tried");
	}
}

enum step_result step_finish(struct draft *d)
{
	if (plan_is(d, PLAN_KIND_UPGRADE) || plan_is(d, PLAN_KIND_ROLLBACK))
		finish_upgrade(d);
	else if (plan_is(d, PLAN_KIND_CREATE))
		finish_creation(d);
	else if (plan_is(d, PLAN_KIND_SCALE))
		finish_scale(d);
	upgrade_assert(d);
	return STEP_NEXT;
}
