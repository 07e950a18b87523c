#include "reconcile/steps/steps.h"

#include "reconcile/condition.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/gates.h"

#include <stdio.h>
#include <string.h>

/*
 * The summary: conditions, state and counts, each a pure function of what the status holds and what is seen, so that no
 * part of it can say something else than the rest. This is their only writer.
 */

#define NAMED_MAX 5 /* members that a message names; the rest is counted */

struct tally {
	size_t total, ready, configured, down, errors, given_up;
	const char *not_ready, *trouble, *waiting; /* "a-2 (reason), b-1 (reason)" */
	size_t not_ready_named, trouble_named, waiting_named;
};

/* A status that was edited by hand may lack the reason. */
static const char *or_else(const char *text, const char *fallback)
{
	return text ? text : fallback;
}

static void name_member(struct draft *d, const char **list, size_t *named, const char *pod, const char *why)
{
	if (++*named > NAMED_MAX)
		return;
	*list = arena_printf(d->arena, "%s%s%s (%.120s)", *list ? *list : "", *list ? ", " : "", pod, why);
}

static const char *with_rest(struct draft *d, const char *list, size_t named)
{
	if (named <= NAMED_MAX)
		return list;
	return arena_printf(d->arena, "%s and %zu more", list, named - NAMED_MAX);
}

static const char *events_waiting(struct draft *d, const struct member *m)
{
	const char *list = NULL;
	for (size_t i = 0; i < m->state_detail->pending_notify_cmds_count; i++)
		list = arena_printf(d->arena, "%s%s%s", list ? list : "", list ? ", " : "",
		                    event_kind_text(m->state_detail->pending_notify_cmds[i].event));
	return list;
}

static bool is_overdue(const struct draft *d)
{
	return d->status->plan && deadline_has_passed(d, NULL);
}

static const char *why_not_ready(const struct draft *d, const struct member *m)
{
	struct member_view v = member_look(d, m);
	if (m->given_up)
		return "given up";
	if (m->state == MEMBER_STATE_CONFIG_ERROR)
		return "config error";
	if (m->state_detail->down_reason)
		return m->state_detail->down_reason;
	/* The stations of a pod on its way up would each cost a write and tell nobody anything. */
	if (member_is_expected_down(m) && !is_overdue(d))
		return m->state == MEMBER_STATE_CREATE_PENDING ? "being created" : "being replaced";
	if (v.reason)
		return v.reason;
	return v.ready ? member_state_text(m->state) : "running, not ready";
}

static void count_member(struct draft *d, struct state_rollup *rollup, struct tally *t, const struct member *m)
{
	const struct state_detail *detail = m->state_detail;
	struct member_view v = member_look(d, m);
	bool ready = member_is_serving(d, m) && !detail->down_since && !m->given_up;
	rollup->membership_changing |= member_is_leaving(m);
	if (member_is_leaving(m))
		return; /* it no longer counts */
	t->total++;
	t->ready += ready;
	t->configured += m->state == MEMBER_STATE_CONFIGURED || m->given_up;
	if (!ready)
		name_member(d, &t->not_ready, &t->not_ready_named, m->pod, why_not_ready(d, m));
	if (m->given_up) {
		t->given_up++;
		name_member(d, &t->trouble, &t->trouble_named, m->pod, "given up: to be configured as new");
	} else if (m->state == MEMBER_STATE_CONFIG_ERROR) {
		t->errors++;
		name_member(d, &t->trouble, &t->trouble_named, m->pod, or_else(detail->config_error_detail, "config error"));
	} else if (detail->down_since) {
		t->down++;
		name_member(d, &t->trouble, &t->trouble_named, m->pod, or_else(detail->down_reason, "down"));
	}
	if (!queue_is_empty(m))
		name_member(d, &t->waiting, &t->waiting_named, m->pod, events_waiting(d, m));

	rollup->members_down |= detail->down_since != 0;
	rollup->config_errors |= m->state == MEMBER_STATE_CONFIG_ERROR;
	rollup->membership_changing |= m->state == MEMBER_STATE_CREATE_PENDING && !m->pod_upgrade_status;
	rollup->members_initializing |= m->state == MEMBER_STATE_CREATING;
	rollup->members_waiting |= detail->last_known_container_state == CONTAINER_STATE_WAITING;
	rollup->members_not_scheduled |= v.in_trouble && !(v.pod && v.pod->spec && v.pod->spec->node_name);
	rollup->members_upgrading |= m->pod_upgrade_status == UPGRADE_STATE_UPGRADING;
	rollup->members_rolling_back |= m->pod_upgrade_status == UPGRADE_STATE_ROLLING_BACK;
}

static void set(struct draft *d, const char *type, bool is_true, const char *reason, const char *message)
{
	struct cluster_status *st = d->status;
	condition_set((struct condition_list){ &st->conditions, &st->conditions_count, d->s->now,
	                                       d->s->cluster->metadata->generation },
	              d->arena, type, is_true, reason, message);
}

static void set_ready(struct draft *d, const struct tally *t)
{
	if (d->status->app && t->ready == t->total)
		set(d, "Ready", true, "AllMembersReady", arena_printf(d->arena, "%zu of %zu members serve", t->ready, t->total));
	else
		set(d, "Ready", false, d->status->app ? "MembersNotReady" : "NotCreated",
		    t->not_ready ? with_rest(d, t->not_ready, t->not_ready_named) : "no member has been made yet");
}

static void set_degraded(struct draft *d, const struct tally *t)
{
	if (d->trouble)
		set(d, "Degraded", true, "ChildNotOurs", d->trouble);
	else if (d->s->failure_count)
		set(d, "Degraded", true, "RequestFailed",
		    arena_printf(d->arena, "%s: %s", d->s->failures[0].what, d->s->failures[0].message));
	else if (t->errors || t->down || t->given_up)
		set(d, "Degraded", true, t->errors ? "ConfigError" : t->down ? "MembersDown" : "MembersGivenUp",
		    with_rest(d, t->trouble, t->trouble_named));
	else
		set(d, "Degraded", false, "AsExpected", "no member is down or in config error");
}

static void set_notified(struct draft *d, const struct tally *t)
{
	if (d->status->pending_notifies)
		set(d, "Notified", false, "Pending",
		    t->waiting ? with_rest(d, t->waiting, t->waiting_named) : "members that are about to leave");
	else
		set(d, "Notified", true, "QueuesEmpty", "every member has been told everything");
}

/* What the plan waits for, the most telling thing first. */
static const char *what_is_waited_for(struct draft *d, const struct tally *t)
{
	if (t->trouble)
		return with_rest(d, t->trouble, t->trouble_named);
	FOR_EACH_ROLE(d, role)
		if (role->waiting_for && strncmp(role->waiting_for, "ProgressDeadline:", 17) != 0)
			return role->waiting_for;
	if (t->waiting && !(t->not_ready && is_overdue(d)))
		return with_rest(d, t->waiting, t->waiting_named);
	return t->not_ready ? with_rest(d, t->not_ready, t->not_ready_named) : "nothing";
}

static const char *plan_reason(enum plan_kind kind)
{
	switch (kind) {
	case PLAN_KIND_CREATE:
		return "Creating";
	case PLAN_KIND_SCALE:
		return "Scaling";
	case PLAN_KIND_UPGRADE:
		return "Upgrading";
	case PLAN_KIND_ROLLBACK:
		return "RollingBack";
	case PLAN_KIND_NONE:
		break;
	}
	return "Unknown";
}

static void set_progressing(struct draft *d, const struct tally *t)
{
	const struct cluster_status *st = d->status;
	int64_t deadline;
	if (draft_is_paused(d)) {
		set(d, "Progressing", false, "Paused", "the annotation " ANNOTATION_PAUSED " is true: nothing is changed");
		return;
	}
	if (!st->plan) {
		const struct plan *last = st->last_plans_count ? &st->last_plans[0] : NULL;
		if (last && last->outcome == PLAN_OUTCOME_FAILED)
			set(d, "Progressing", false, last->reason,
			    arena_printf(d->arena, "%s: waiting for %s", plan_kind_text(last->kind), what_is_waited_for(d, t)));
		else if (last)
			set(d, "Progressing", true, "PlanCompleted",
			    arena_printf(d->arena, "%s: %s", plan_kind_text(last->kind), plan_summary(last, d->arena)));
		else
			set(d, "Progressing", false, "NotAccepted", "the spec has not been accepted yet");
		return;
	}
	const char *what = arena_printf(d->arena, "%s: waiting for %s", plan_kind_text(st->plan->kind),
	                                what_is_waited_for(d, t));
	bool stalled = deadline_has_passed(d, &deadline);
	if (stalled && st->plan->phase == PLAN_PHASE_RUNNING)
		draft_event(d, true, "Stalled", "%s", what);
	st->plan->phase = stalled ? PLAN_PHASE_STALLED : PLAN_PHASE_RUNNING;
	if (stalled) {
		set(d, "Progressing", false, "ProgressDeadlineExceeded", what);
		return;
	}
	if (deadline > d->s->now)
		draft_requeue(d, deadline);
	set(d, "Progressing", true, plan_reason(st->plan->kind), what);
}

static enum cluster_state state_of(const struct draft *d, const struct tally *t)
{
	const struct cluster_status *st = d->status;
	bool settled = st->app && !st->plan && !st->upgrade_info && !st->pending_notifies && t->configured == t->total;
	if (settled)
		return CLUSTER_STATE_CONFIGURED;
	bool was_settled = st->state == CLUSTER_STATE_CONFIGURED || st->state == CLUSTER_STATE_UPDATING;
	return was_settled || st->upgrade_info ? CLUSTER_STATE_UPDATING : CLUSTER_STATE_CREATING;
}

enum step_result step_rollup(struct draft *d)
{
	struct cluster_status *st = d->status;
	struct tally t = { .total = 0 };
	st->member_state_rollup = arena_alloc(d->arena, sizeof *st->member_state_rollup);
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			count_member(d, st->member_state_rollup, &t, m);
	notifications_sweep(d);
	st->pending_notifies = (int64_t)queues_total(st);
	st->has_pending_notifies = true;
	st->ready_members = arena_printf(d->arena, "%zu/%zu", t.ready, t.total);
	set_ready(d, &t);
	set_degraded(d, &t);
	set_notified(d, &t);
	set_progressing(d, &t);
	st->state = state_of(d, &t);
	return STEP_NEXT;
}
