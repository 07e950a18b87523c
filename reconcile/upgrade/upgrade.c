#include "reconcile/upgrade/upgrade.h"

#include "reconcile/desired/children.h"
#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/gates.h"

#include <assert.h>

static void add_in_order(const struct draft *d, struct role_status **order, size_t *count, const char *id)
{
	struct role_status *role = draft_role(d, id);
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
		add_in_order(d, order, &count, policy->role_order[i]);
	const struct app *app = draft_app(d, d->status->app);
	for (size_t i = 0; app && i < app->spec->config->selected_roles_count; i++)
		add_in_order(d, order, &count, app->spec->config->selected_roles[i]);
	FOR_EACH_ROLE(d, role)
		add_in_order(d, order, &count, role->id);
	return order;
}

void upgrade_begin(struct draft *d, const struct app *b)
{
	struct cluster_status *st = d->status;
	st->upgrade_info = arena_alloc(d->arena, sizeof *st->upgrade_info);
	st->upgrade_info->prev_app = st->app;
	st->upgrade_info->started_at = d->s->now - d->s->now % 1000;
	st->app = b->metadata->name;

	size_t count = st->roles_count;
	struct role_status **order = upgrade_order(d);
	const char **steps = arena_array(d->arena, count + 1, sizeof *steps);
	for (size_t i = 0; i < count; i++)
		steps[i] = arena_printf(d->arena, "role %s", order[i]->id);
	steps[count] = UPGRADE_NOTIFY_STEP;
	plan_begin(d, PLAN_KIND_UPGRADE, steps, count + 1);
	st->plan->from_app = st->upgrade_info->prev_app;
	draft_event(d, false, "UpgradeStarted", "from App %s to App %s", st->upgrade_info->prev_app, st->app);
}

/* The member's turn has come: it is to be told, and failures of the old image no longer count. */
static void mark(struct draft *d, struct role_status *role, struct member *m, const struct app *b)
{
	m->pod_upgrade_status = UPGRADE_STATE_UPGRADING;
	m->state_detail->last_known_container_state = CONTAINER_STATE_WAITING;
	member_forgive(m);
	if (!event_is_heard(b, role->id, EVENT_KIND_POD_UPGRADED) || queue_has(m, EVENT_KIND_POD_UPGRADED))
		return;
	queue_push(d, m, notification_new(d, EVENT_KIND_POD_UPGRADED, role->id), EVENT_KIND_POD_UPGRADED);
}

static void replace(struct draft *d, const struct member *m, const struct pod *pod)
{
	draft_act(d, (struct action){
		.kind = ACTION_DELETE,
		.object = OBJECT_POD,
		.name = m->pod,
		.uid = pod->metadata->uid,
	});
	draft_note(d, "replace %s", m->pod);
}

/* All that the pod had to answer before it counts; what was queued for the role or the cluster may still be owed. */
static bool owes_nothing_of_its_pod(const struct member *m)
{
	return !queue_has(m, EVENT_KIND_CONFIGURE) && !queue_has(m, EVENT_KIND_POD_UPGRADED);
}

/* A member whose pod is B's: is it done? */
static void judge_new_pod(struct draft *d, struct role_status *role, struct member *m, const struct member_view *v,
                          const struct app *b)
{
	if (m->pod_upgrade_status == UPGRADE_STATE_NONE)
		mark(d, role, m, b); /* its pod was lost in the role's turn and came back on B: that was its replacement */
	if (m->pod_upgrade_status == UPGRADE_STATE_UPGRADED && m->state == MEMBER_STATE_CONFIG_ERROR)
		m->pod_upgrade_status = UPGRADE_STATE_UPGRADING;
	if (m->pod_upgrade_status == UPGRADE_STATE_UPGRADING && v->ready && m->state == MEMBER_STATE_CONFIGURED &&
	    owes_nothing_of_its_pod(m)) {
		m->pod_upgrade_status = UPGRADE_STATE_UPGRADED;
		plan_progress(d);
		draft_event(d, false, "MemberUpgraded", "%s runs App %s", m->pod, b->metadata->name);
	}
}

/* A member that still has A's pod, or none. Returns the gate that blocks it, or NULL. */
static const char *judge_old_pod(struct draft *d, struct member *m, const struct member_view *v, struct gate_input *in,
                                 const struct app *b)
{
	struct role_status *role = draft_role(d, in->role->id);
	if (!v->pod || v->leaving) {
		if (m->pod_upgrade_status == UPGRADE_STATE_NONE)
			mark(d, role, m, b);
		return NULL;
	}
	if (m->pod_upgrade_status == UPGRADE_STATE_UPGRADED)
		m->pod_upgrade_status = UPGRADE_STATE_NONE; /* another hash takes it back; being down does not */
	in->member = m;
	const char *blocked = gates_block(in);
	if (blocked)
		return blocked;
	if (member_is_serving(d, m)) {
		in->not_serving++;
		in->for_example = m->pod;
	}
	if (m->pod_upgrade_status == UPGRADE_STATE_NONE)
		mark(d, role, m, b);
	replace(d, m, v->pod);
	return NULL;
}

static void count_not_serving(const struct draft *d, struct gate_input *in)
{
	FOR_EACH_MEMBER(in->role, m)
		if (!member_is_serving(d, m)) {
			in->not_serving++;
			in->for_example = in->for_example ? in->for_example : m->pod;
		}
}

static bool runs_new_pod(const struct member_view *v, const struct gate_input *in)
{
	return v->pod && same_text(v->hash, in->want_hash);
}

/* New pods are judged first: a member that is done makes room for the next one in the same pass. */
void upgrade_role(struct draft *d, struct role_status *role)
{
	const struct app *b = draft_app(d, d->status->app);
	if (!b)
		return;
	if (role->role_upgrade_status == UPGRADE_STATE_NONE) {
		role->role_upgrade_status = UPGRADE_STATE_UPGRADING;
		plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_RUNNING, NULL);
	}
	struct gate_input in = { .d = d, .role = role, .want_hash = desired_hash(d, b, role->id) };
	FOR_EACH_MEMBER(role, m) {
		struct member_view v = member_look(d, m);
		if (runs_new_pod(&v, &in))
			judge_new_pod(d, role, m, &v, b);
	}
	count_not_serving(d, &in);
	role->waiting_for = NULL;
	for (size_t i = role->members_count; i-- > 0;) {
		struct member *m = &role->members[i];
		struct member_view v = member_look(d, m);
		const char *blocked = runs_new_pod(&v, &in) ? NULL : judge_old_pod(d, m, &v, &in, b);
		role->waiting_for = role->waiting_for ? role->waiting_for : blocked;
	}
}

bool role_is_upgraded(const struct role_status *role)
{
	for (size_t i = 0; i < role->members_count; i++)
		if (role->members[i].pod_upgrade_status != UPGRADE_STATE_UPGRADED)
			return false;
	return true;
}

bool upgrade_waits_for_queues_only(const struct draft *d)
{
	if (!draft_is_upgrading(d) || !plan_step_is(d, UPGRADE_NOTIFY_STEP, STEP_STATUS_RUNNING))
		return false;
	FOR_EACH_ROLE(d, role)
		if (role->role_upgrade_status != UPGRADE_STATE_UPGRADED || !role_is_upgraded(role))
			return false;
	return true;
}

void upgrade_assert(const struct draft *d)
{
	bool upgrading = draft_is_upgrading(d);
	assert(upgrading == plan_is(d, PLAN_KIND_UPGRADE));
	FOR_EACH_ROLE(d, role) {
		assert(upgrading || role->role_upgrade_status == UPGRADE_STATE_NONE);
		FOR_EACH_MEMBER(role, m)
			assert(role->role_upgrade_status || m->pod_upgrade_status == UPGRADE_STATE_NONE);
	}
}
