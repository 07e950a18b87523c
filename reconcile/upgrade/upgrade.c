#include "reconcile/upgrade/upgrade.h"

#include "reconcile/member/member.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/rollback.h"
#include "reconcile/upgrade/turn.h"

#include <assert.h>

static void add_in_order(struct role_status **order, size_t *count, struct role_status *role)
{
	for (size_t i = 0; i < *count; i++)
		if (order[i] == role)
			return;
	if (role)
		order[(*count)++] = role;
}

struct role_status **upgrade_order(const struct draft *d)
{
	struct role_status **order = arena_array(d->arena, d->status->roles_count + 1, sizeof(struct role_status *));
	size_t count = 0;
	const struct upgrade_policy *policy = d->s->cluster->spec->upgrade;
	for (size_t i = 0; policy && i < policy->role_order_count; i++)
		add_in_order(order, &count, draft_role(d, policy->role_order[i]));
	const struct upgrade_info *info = d->status->upgrade_info;
	const struct app *app = draft_app(d, info ? info->to_app : d->status->app);
	for (size_t i = 0; app && i < app->spec->config->selected_roles_count; i++)
		add_in_order(order, &count, draft_role(d, app->spec->config->selected_roles[i]));
	FOR_EACH_ROLE(d, role)
		add_in_order(order, &count, role);
	return order;
}

void upgrade_plan(struct draft *d, enum plan_kind kind)
{
	bool back = kind == PLAN_KIND_ROLLBACK;
	size_t count = d->status->roles_count, n = 0;
	struct role_status **order = upgrade_order(d);
	const char **steps = arena_array(d->arena, count + 1, sizeof *steps);
	for (size_t i = 0; i < count; i++) {
		const struct role_status *role = order[back ? count - 1 - i : i];
		if (!back || role->role_upgrade_status != UPGRADE_STATE_NONE)
			steps[n++] = arena_printf(d->arena, "role %s", role->id);
	}
	steps[n++] = UPGRADE_NOTIFY_STEP;
	plan_begin(d, kind, steps, n);
	d->status->plan->from_app = back ? d->status->upgrade_info->to_app : d->status->upgrade_info->prev_app;
}

void upgrade_begin(struct draft *d, const struct app *b)
{
	struct cluster_status *st = d->status;
	st->upgrade_info = arena_alloc(d->arena, sizeof *st->upgrade_info);
	st->upgrade_info->prev_app = st->app;
	st->upgrade_info->to_app = b->metadata->name;
	st->upgrade_info->started_at = d->s->now - d->s->now % 1000;
	st->app = b->metadata->name;
	upgrade_plan(d, PLAN_KIND_UPGRADE);
	draft_event(d, false, "UpgradeStarted", "from App %s to App %s", st->upgrade_info->prev_app, st->app);
}

static void forget_upgrade(struct draft *d)
{
	FOR_EACH_ROLE(d, role) {
		role->role_upgrade_status = UPGRADE_STATE_NONE;
		FOR_EACH_MEMBER(role, m) {
			m->pod_upgrade_status = UPGRADE_STATE_NONE;
			m->upgrade_trace = NULL;
		}
	}
}

/* A role is where its members are, and does not go back while the cluster goes forward. */
static void repair_role(const struct draft *d, struct role_status *role)
{
	bool is_back = role->role_upgrade_status == UPGRADE_STATE_ROLLING_BACK ||
	               role->role_upgrade_status == UPGRADE_STATE_ROLLED_BACK;
	if (is_back && !draft_is_rolling_back(d))
		role->role_upgrade_status = UPGRADE_STATE_UPGRADING;
	FOR_EACH_MEMBER(role, m)
		if (m->pod_upgrade_status != UPGRADE_STATE_NONE && role->role_upgrade_status == UPGRADE_STATE_NONE)
			role->role_upgrade_status = UPGRADE_STATE_UPGRADING;
}

void upgrade_repair(struct draft *d)
{
	struct upgrade_info *info = d->status->upgrade_info;
	bool planned = plan_is(d, PLAN_KIND_UPGRADE) || plan_is(d, PLAN_KIND_ROLLBACK);
	if (!info && planned)
		plan_end(d, PLAN_OUTCOME_UNKNOWN, "UpgradeInfoLost");
	if (!info) {
		forget_upgrade(d);
		return;
	}
	info->prev_app = info->prev_app ? info->prev_app : d->status->app;
	info->to_app = info->to_app ? info->to_app : d->status->app;
	FOR_EACH_ROLE(d, role)
		repair_role(d, role);
	if (planned)
		return;
	if (plan_is_running(d))
		plan_end(d, PLAN_OUTCOME_UNKNOWN, "PlanOfAnUpgradeLost");
	upgrade_plan(d, info->is_rolling_back ? PLAN_KIND_ROLLBACK : PLAN_KIND_UPGRADE);
	plan_warn(d, UPGRADE_NOTIFY_STEP, "the plan was not in the status and was made anew");
}

void upgrade_role(struct draft *d, struct role_status *role)
{
	const struct app *b = draft_app(d, d->status->upgrade_info->to_app);
	if (!b)
		return;
	if (role->role_upgrade_status == UPGRADE_STATE_NONE) {
		role->role_upgrade_status = UPGRADE_STATE_UPGRADING;
		plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_RUNNING, NULL);
	}
	struct turn t = turn_begin(d, role, b);
	t.moving = UPGRADE_STATE_UPGRADING;
	t.moved = UPGRADE_STATE_UPGRADED;
	t.event = EVENT_KIND_POD_UPGRADED;
	turn_run(d, &t);
	FOR_EACH_MEMBER(role, m) {
		struct member_view v = member_look(d, m);
		if (m->pod_upgrade_status == UPGRADE_STATE_UPGRADED || (v.leaving && turn_has_new_pod(&t, &v) && pod_has_run(v.pod)))
			trace_ran(d, m);
	}
}

bool role_is_upgraded(const struct role_status *role)
{
	for (size_t i = 0; i < role->members_count; i++)
		if (role->members[i].pod_upgrade_status != UPGRADE_STATE_UPGRADED && !role->members[i].given_up)
			return false;
	return true;
}

bool upgrade_waits_for_queues_only(const struct draft *d)
{
	if (!draft_is_upgrading(d) || !plan_step_is(d, UPGRADE_NOTIFY_STEP, STEP_STATUS_RUNNING))
		return false;
	bool back = draft_is_rolling_back(d);
	FOR_EACH_ROLE(d, role)
		if (back ? !role_is_back(role)
		         : role->role_upgrade_status != UPGRADE_STATE_UPGRADED || !role_is_upgraded(role))
			return false;
	return true;
}

void upgrade_assert(const struct draft *d)
{
	bool upgrading = draft_is_upgrading(d);
	assert(upgrading == (plan_is(d, PLAN_KIND_UPGRADE) || plan_is(d, PLAN_KIND_ROLLBACK)));
	FOR_EACH_ROLE(d, role) {
		assert(upgrading || role->role_upgrade_status == UPGRADE_STATE_NONE);
		FOR_EACH_MEMBER(role, m)
			assert(role->role_upgrade_status || m->pod_upgrade_status == UPGRADE_STATE_NONE);
	}
}
