#include "reconcile/upgrade/turn.h"

#include "reconcile/desired/children.h"
#include "reconcile/member/event.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"

struct turn turn_begin(struct draft *d, struct role_status *role, const struct app *app)
{
	return (struct turn){
		.app = app,
		.role = role,
		.gate = { .d = d, .role = role, .want_hash = desired_hash(d, app, role->id) },
	};
}

bool turn_has_new_pod(const struct turn *t, const struct member_view *v)
{
	return v->pod && same_text(v->hash, t->gate.want_hash);
}

void turn_mark(struct draft *d, const struct turn *t, struct member *m)
{
	m->pod_upgrade_status = t->moving;
	m->state_detail->last_known_container_state = CONTAINER_STATE_WAITING;
	member_forgive(m);
	if (m->given_up || (t->is_told && !t->is_told(m)) || !event_is_heard(t->app, t->role->id, t->event) || queue_has(m, t->event))
		return;
	queue_push(d, m, notification_new(d, t->event, t->role->id), t->event);
}

/*
 * All that the pod had to answer before it counts: its set-up was seen in this very container, and it was told. What was
 * queued for the role or the cluster may still be owed.
 */
static bool owes_nothing_of_its_pod(const struct turn *t, const struct member *m, const struct member_view *v)
{
	bool set_up = !role_has_setup(t->app, t->role->id) ||
	              same_text(m->state_detail->last_configured_container, v->container);
	return set_up && !queue_has(m, EVENT_KIND_CONFIGURE) && !queue_has(m, t->event);
}

static bool never_left(const struct turn *t, const struct member *m, const struct member_view *v)
{
	return t->leaves_untouched && m->pod_upgrade_status == UPGRADE_STATE_NONE && turn_has_new_pod(t, v);
}

void turn_judge(struct draft *d, const struct turn *t, struct member *m, const struct member_view *v)
{
	if (m->pod_upgrade_status != t->moving && m->pod_upgrade_status != t->moved)
		turn_mark(d, t, m); /* its pod was lost in the role's turn and came back new: that was its replacement */
	if (m->pod_upgrade_status == t->moving && v->ready && m->state == MEMBER_STATE_CONFIGURED &&
	    owes_nothing_of_its_pod(t, m, v)) {
		m->pod_upgrade_status = t->moved;
		plan_progress(d);
		draft_event(d, false, t->moved == UPGRADE_STATE_UPGRADED ? "MemberUpgraded" : "MemberRolledBack",
		            "%s runs App %s", m->pod, t->app->metadata->name);
	}
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

void turn_replace(struct draft *d, struct turn *t, struct member *m, const struct member_view *v)
{
	if (!v->pod || v->leaving) {
		if (m->pod_upgrade_status != t->moving && m->pod_upgrade_status != t->moved)
			turn_mark(d, t, m);
		return;
	}
	t->gate.member = m;
	const char *blocked = gates_block(&t->gate);
	if (blocked) {
		t->role->waiting_for = t->role->waiting_for ? t->role->waiting_for : blocked;
		return;
	}
	if (member_is_serving(d, m)) {
		t->gate.not_serving++;
		t->gate.for_example = m->pod;
	}
	if (m->pod_upgrade_status != t->moving)
		turn_mark(d, t, m); /* "upgraded" is taken back by another hash, and by nothing less */
	replace(d, m, v->pod);
}

static void count_not_serving(const struct draft *d, struct gate_input *in)
{
	FOR_EACH_MEMBER(in->role, m)
		if (!m->given_up && !member_is_serving(d, m)) {
			in->not_serving++;
			in->for_example = in->for_example ? in->for_example : m->pod;
		}
}

void turn_run(struct draft *d, struct turn *t)
{
	struct role_status *role = t->role;
	FOR_EACH_MEMBER(role, m) {
		struct member_view v = member_look(d, m);
		if (turn_has_new_pod(t, &v) && !never_left(t, m, &v))
			turn_judge(d, t, m, &v);
	}
	count_not_serving(d, &t->gate);
	role->waiting_for = NULL;
	for (size_t i = role->members_count; i-- > 0;) {
		struct member_view v = member_look(d, &role->members[i]);
		if (!turn_has_new_pod(t, &v))
			turn_replace(d, t, &role->members[i], &v);
	}
}
