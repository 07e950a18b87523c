#include "reconcile/upgrade/rollback.h"

#include "reconcile/desired/children.h"
#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/turn.h"
#include "reconcile/upgrade/upgrade.h"

bool event_is_upgraded(enum event_kind event)
{
	switch (event) {
	case EVENT_KIND_POD_UPGRADED:
	case EVENT_KIND_ROLE_UPGRADED:
	case EVENT_KIND_CLUSTER_UPGRADED:
		return true;
	case EVENT_KIND_NONE:
	case EVENT_KIND_CONFIGURE:
	case EVENT_KIND_ADDNODES:
	case EVENT_KIND_DELNODES:
	case EVENT_KIND_POD_REVERTED:
	case EVENT_KIND_ROLE_REVERTED:
	case EVENT_KIND_CLUSTER_REVERTED:
		return false;
	}
	return false;
}

static struct upgrade_trace *trace_of(struct draft *d, struct member *m)
{
	if (!m->upgrade_trace)
		m->upgrade_trace = arena_alloc(d->arena, sizeof *m->upgrade_trace);
	return m->upgrade_trace;
}

void trace_ran(struct draft *d, struct member *m)
{
	trace_of(d, m)->container_ran = true;
}

void trace_sent(struct draft *d, struct member *m, enum event_kind event)
{
	if (event == EVENT_KIND_ROLE_UPGRADED)
		trace_of(d, m)->role_told = true;
	else if (event == EVENT_KIND_CLUSTER_UPGRADED)
		trace_of(d, m)->cluster_told = true;
}

static bool ran(const struct member *m)
{
	return m->upgrade_trace && m->upgrade_trace->container_ran;
}

/* Only a head is ever sent (N3). See the header for what cannot be known. */
bool head_may_have_been_sent(const struct draft *d, const struct member *m)
{
	const struct queue_entry *head = queue_head(m);
	const struct exec_report *r = draft_exec(d, m->pod);
	if (head->attempts > 0 || !r || r->id != head->id || r->attempt != head->attempts + 1)
		return head->attempts > 0 || !r || member_look(d, m).container != NULL;
	return r->flying || r->may_have_run;
}

static void withdraw(struct draft *d, struct member *m, size_t i, const char *why)
{
	const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];
	plan_warn(d, "withdraw", "%s: %s %lld withdrawn: %s", m->pod, event_kind_text(e->event), (long long)e->id, why);
	queue_remove(d, m, i);
}

/* Upgrade events that no handler was asked for are withdrawn; a head that was sent counts as heard and stays for now. */
static void withdraw_unsent(struct draft *d, struct member *m)
{
	for (size_t i = m->state_detail->pending_notify_cmds_count; i-- > 0;) {
		const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];
		if (!event_is_upgraded(e->event))
			continue;
		if (i > 0 || !head_may_have_been_sent(d, m)) {
			withdraw(d, m, i, "it was not sent before the rollback");
			continue;
		}
		trace_sent(d, m, e->event);
		if (e->attempts > 0)
			withdraw(d, m, i, "its handler failed, and a failed one does not block a rollback");
	}
}

static void trace_container(struct draft *d, const struct role_status *role, struct member *m)
{
	const struct app *b = draft_app(d, d->status->upgrade_info->to_app);
	struct member_view v = member_look(d, m);
	if (b && v.pod && same_text(v.hash, desired_hash(d, b, role->id)) && pod_has_run(v.pod))
		trace_ran(d, m);
}

void rollback_begin(struct draft *d, bool automatic)
{
	struct cluster_status *st = d->status;
	struct upgrade_info *info = st->upgrade_info;
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m) {
			trace_container(d, role, m);
			withdraw_unsent(d, m);
		}
	plan_end(d, PLAN_OUTCOME_FAILED, "RolledBack");
	info->is_rolling_back = true;
	st->app = info->prev_app;
	if (automatic) {
		st->rolled_back = arena_alloc(d->arena, sizeof *st->rolled_back);
		st->rolled_back->app = info->to_app;
		st->rolled_back->generation = d->s->cluster->metadata->generation;
	}

	upgrade_plan(d, PLAN_KIND_ROLLBACK);
	draft_event(d, automatic, "RollbackStarted", "from App %s back to App %s%s", info->to_app, info->prev_app,
	            automatic ? ": no progress within the deadline" : "");
}

/* The container in which it was sent no longer runs: there will be no answer. */
static bool its_container_is_gone(const struct draft *d, const struct member *m)
{
	struct member_view v = member_look(d, m);
	const struct exec_report *r = draft_exec(d, m->pod);
	return !v.container || (r && r->id == queue_head(m)->id && !same_text(r->container, v.container)) ||
	       !same_text(v.app, d->status->upgrade_info->to_app);
}

void rollback_withdraw(struct draft *d)
{
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m) {
			const struct queue_entry *head = queue_head(m);
			if (!head || !event_is_upgraded(head->event))
				continue;
			if (head->attempts > 0)
				withdraw(d, m, 0, "its handler failed, and a failed one does not block a rollback");
			else if (its_container_is_gone(d, m))
				withdraw(d, m, 0, "its container is gone without an answer");
		}
}

void rollback_role(struct draft *d, struct role_status *role)
{
	const struct app *a = draft_app(d, d->status->upgrade_info->prev_app);
	if (!a)
		return;
	if (role->role_upgrade_status == UPGRADE_STATE_UPGRADING || role->role_upgrade_status == UPGRADE_STATE_UPGRADED) {
		role->role_upgrade_status = UPGRADE_STATE_ROLLING_BACK;
		plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_RUNNING, NULL);
	}
	struct turn t = turn_begin(d, role, a);
	t.moving = UPGRADE_STATE_ROLLING_BACK;
	t.moved = UPGRADE_STATE_ROLLED_BACK;
	t.event = EVENT_KIND_POD_REVERTED;
	t.is_told = ran;
	t.leaves_untouched = true;
	FOR_EACH_MEMBER(role, m) {
		bool had_run = ran(m);
		trace_container(d, role, m);
		if (!had_run && ran(m) && m->pod_upgrade_status == t.moving)
			turn_mark(d, &t, m); /* its container came up while the pod was on its way out */
	}
	turn_run(d, &t);
}

bool role_is_back(const struct role_status *role)
{
	if (role->role_upgrade_status == UPGRADE_STATE_NONE)
		return true;
	for (size_t i = 0; i < role->members_count; i++)
		if (role->members[i].pod_upgrade_status != UPGRADE_STATE_NONE &&
		    role->members[i].pod_upgrade_status != UPGRADE_STATE_ROLLED_BACK && !role->members[i].given_up)
			return false;
	return role->role_upgrade_status == UPGRADE_STATE_ROLLING_BACK ||
	       role->role_upgrade_status == UPGRADE_STATE_ROLLED_BACK;
}
