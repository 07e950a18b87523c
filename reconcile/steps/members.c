#include "reconcile/steps/steps.h"

#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"

/*
 * What is seen of each member: whether its container runs, and since when and why not (N4). A member that hears no
 * configure needs none: it is configured as soon as its container runs.
 */

static void tell_change(struct draft *d, const struct member *m, int64_t was_down)
{
	const struct state_detail *detail = m->state_detail;
	if (!was_down && detail->down_since)
		draft_event(d, true, "MemberDown", "%s: %s", m->pod, detail->down_reason);
	else if (was_down && !detail->down_since)
		draft_event(d, false, "MemberUp", "%s can be told things again", m->pod);
}

enum step_result step_members(struct draft *d)
{
	FOR_EACH_ROLE(d, role) {
		const struct app *app = draft_role_app(d, role);
		FOR_EACH_MEMBER(role, m) {
			int64_t was_down = m->state_detail->down_since;
			member_observe(d, m);
			tell_change(d, m, was_down);
			bool runs = m->state == MEMBER_STATE_CREATE_PENDING && app && !role_has_setup(app, role->id) &&
			            member_look(d, m).container && !queue_has(m, EVENT_KIND_CONFIGURE);
			if (runs) {
				m->state = MEMBER_STATE_CONFIGURED;
				if (!role_hears_anything(app, role->id)) /* else it is configured when it has the configmeta (N7) */
					m->state_detail->last_setup_generation = d->status->spec_generation_to_process;
				plan_progress(d);
			}
		}
	}
	return STEP_NEXT;
}
