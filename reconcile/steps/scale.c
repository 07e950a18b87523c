#include "reconcile/steps/steps.h"

#include "reconcile/desired/names.h"
#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/accept.h"

/*
 * Members that come and go (N9). A change of membership is a generation g.
 *
 *   comes: create pending --> ... --> configured | config error; when the last new member of its role is so far, addnodes(g)
 *          is queued to the members that have not digested g
 *   goes:  delete pending --(every running survivor has answered delnodes(g), or the limit)--> deleting --(no pod)--> gone
 *
 * A leaver keeps its pod until then, so that survivors can still reach what they are told to let go. Only leavers that were
 * ever configured are spoken of. Ordinals are a StatefulSet's: members come at the end, and leave from there.
 */

#define LEAVE_LIMIT_MS 600000

static bool was_ever_configured(const struct member *m)
{
	return m->state_detail->last_setup_generation > 0;
}

/* Whether M must hear of generation G: it stays, was configured, and has not digested it yet. */
static bool owes_digestion(const struct member *m, int64_t g)
{
	return !member_is_leaving(m) && was_ever_configured(m) && m->state_detail->last_setup_generation < g;
}

/* Queues EVENT about the given members of ROLE for everybody who must hear of it (N8: the receiver's own list decides). */
static void tell_others(struct draft *d, const struct role_status *role, enum event_kind event, const char **fqdns,
                        size_t count, int64_t g)
{
	int64_t id = 0;
	FOR_EACH_ROLE(d, receiver) {
		const struct app *app = draft_role_app(d, receiver);
		bool heard = app && event_is_heard(app, receiver->id, event);
		FOR_EACH_MEMBER(receiver, m) {
			if (!owes_digestion(m, g) || m->joined_generation == g)
				continue;
			if (!heard || m->given_up) {
				if (!app || !role_hears_anything(app, receiver->id))
					m->state_detail->last_setup_generation = g; /* it can be told nothing, ever */
				continue;
			}
			if (!id) {
				id = notification_new(d, event, role->id);
				struct notification *n = &d->status->notifications[d->status->notifications_count - 1];
				n->generation = g;
				n->fqdns = fqdns;
				n->fqdns_count = count;
			}
			queue_push(d, m, id, event);
		}
	}
}

static void add_members(struct draft *d, struct role_status *role, size_t count, int64_t g)
{
	bool told = event_is_heard(d->s->app, role->id, EVENT_KIND_CONFIGURE);
	int64_t configure = told ? notification_new(d, EVENT_KIND_CONFIGURE, role->id) : 0;
	size_t old = role->members_count;
	role->members = arena_grow(d->arena, role->members, old, old + count, sizeof *role->members);
	role->members_count = old + count;
	for (size_t i = old; i < old + count; i++) {
		member_begin(d, role, i, configure);
		role->members[i].joined_generation = g;
	}
	draft_event(d, false, "ScalingOut", "role %s from %zu to %zu members", role->id, old, old + count);
}

/* A leaver is told nothing more; what it had still to hear goes with it (N2). */
static void withdraw_queue(struct draft *d, struct member *m)
{
	for (; !queue_is_empty(m); queue_pop(m))
		plan_warn(d, NULL, "%s: %s %lld withdrawn: the member leaves", m->pod, event_kind_text(queue_head(m)->event),
		          (long long)queue_head(m)->id);
}

static void remove_members(struct draft *d, struct role_status *role, size_t count, int64_t g)
{
	size_t stay = role->members_count - count, spoken_of = 0;
	const char **fqdns = arena_array(d->arena, count, sizeof *fqdns);
	for (size_t i = stay; i < role->members_count; i++) {
		struct member *m = &role->members[i];
		if (was_ever_configured(m))
			fqdns[spoken_of++] = member_fqdn(d, m);
		m->state = was_ever_configured(m) ? MEMBER_STATE_DELETE_PENDING : MEMBER_STATE_DELETING;
		m->joined_generation = 0;
		withdraw_queue(d, m);
	}
	if (spoken_of)
		tell_others(d, role, EVENT_KIND_DELNODES, fqdns, spoken_of, g);
	draft_event(d, false, "ScalingIn", "role %s from %zu to %zu members", role->id, role->members_count, stay);
}

static bool differs(const struct draft *d, const struct role_status *role, size_t *ret_wanted)
{
	const struct cluster_role *spec = draft_spec_role(d, role->id);
	if (!spec || !app_role_find(d->s->app, role->id))
		return false;
	*ret_wanted = wanted_members(d->s->app, spec);
	return *ret_wanted != role->members_count;
}

/* Takes up the edit: who comes and who goes is written down before any StatefulSet changes. */
static void begin(struct draft *d)
{
	const char **steps = arena_array(d->arena, d->status->roles_count, sizeof *steps);
	size_t count = 0, wanted;
	FOR_EACH_ROLE(d, role)
		if (differs(d, role, &wanted))
			steps[count++] = arena_printf(d->arena, "role %s", role->id);
	if (!count)
		return;
	int64_t g = ++d->status->spec_generation_to_process;
	plan_begin(d, PLAN_KIND_SCALE, steps, count);
	FOR_EACH_ROLE(d, role) {
		if (!differs(d, role, &wanted))
			continue;
		plan_step(d, arena_printf(d->arena, "role %s", role->id), STEP_STATUS_RUNNING, NULL);
		if (wanted > role->members_count)
			add_members(d, role, wanted - role->members_count, g);
		else
			remove_members(d, role, role->members_count - wanted, g);
	}
}

/* The last new member of ROLE is configured, or will not be for now: the others hear of those that are there. */
static void announce(struct draft *d, struct role_status *role)
{
	const char **fqdns = arena_array(d->arena, role->members_count, sizeof *fqdns);
	size_t count = 0;
	int64_t g = 0;
	FOR_EACH_MEMBER(role, m) {
		if (!m->joined_generation)
			continue;
		if (m->state != MEMBER_STATE_CONFIGURED && m->state != MEMBER_STATE_CONFIG_ERROR)
			return;
		fqdns[count++] = member_fqdn(d, m);
		g = m->joined_generation;
	}
	if (!count || queue_holds(d, 1))
		return;
	tell_others(d, role, EVENT_KIND_ADDNODES, fqdns, count, g);
	FOR_EACH_MEMBER(role, m)
		m->joined_generation = 0;
	plan_progress(d);
}

/* A survivor that runs has still to answer a delnodes. One that is down is not waited for: it hears of it when it is back. */
static bool somebody_is_asked(const struct draft *d)
{
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			if (!member_is_leaving(m) && queue_has(m, EVENT_KIND_DELNODES) && !m->state_detail->down_since &&
			    m->state != MEMBER_STATE_CONFIG_ERROR)
				return true;
	return false;
}

static void let_go(struct draft *d, struct role_status *role)
{
	const struct plan *plan = d->status->plan;
	int64_t limit = plan ? plan->started_at + LEAVE_LIMIT_MS : 0;
	bool asked = somebody_is_asked(d);
	FOR_EACH_MEMBER(role, m) {
		if (m->state != MEMBER_STATE_DELETE_PENDING)
			continue;
		if (asked && d->s->now < limit) {
			draft_requeue(d, limit);
			continue;
		}
		if (asked)
			plan_warn(d, arena_printf(d->arena, "role %s", role->id),
			          "%s leaves although not every member has answered delnodes", m->pod);
		m->state = MEMBER_STATE_DELETING;
		plan_progress(d);
	}
}

static void forget_gone(struct draft *d, struct role_status *role)
{
	while (role->members_count) {
		const struct member *last = &role->members[role->members_count - 1];
		if (last->state != MEMBER_STATE_DELETING || draft_pod(d, last->pod))
			return;
		draft_event(d, false, "MemberGone", "%s has left", last->pod);
		role->members_count--;
		plan_progress(d);
	}
}

enum step_result step_scale(struct draft *d)
{
	if (!d->status->app || draft_is_upgrading(d))
		return STEP_NEXT;
	if (d->accepted && !plan_is_running(d) && same_text(d->s->cluster->spec->app, d->status->app))
		begin(d);
	FOR_EACH_ROLE(d, role) {
		announce(d, role);
		let_go(d, role);
		forget_gone(d, role);
	}
	return STEP_NEXT;
}
