/*
 * One member's turn, the same whether the cluster goes from A to B or back: marked, told, replaced when the gates let it,
 * judged when its new pod is there.
 */
#pragma once

#include "reconcile/member/member.h"
#include "reconcile/upgrade/gates.h"

struct turn {
	const struct app *app;          /* that the role's members shall run */
	enum upgrade_state moving, moved; /* upgrading, upgraded; or rollingBack, rolledBack */
	enum event_kind event;          /* pod_upgraded or pod_reverted */
	bool (*is_told)(const struct member *m); /* whether the member is told EVENT; NULL: every one is */
	bool leaves_untouched;          /* a member that never left APP has no turn */
	struct role_status *role;
	struct gate_input gate;
};

struct turn turn_begin(struct draft *d, struct role_status *role, const struct app *app);
/* The member's turn has come: it is to be told, and failures of the old image no longer count. */
void turn_mark(struct draft *d, const struct turn *t, struct member *m);
/* Whether M's pod is what the role shall run. */
bool turn_has_new_pod(const struct turn *t, const struct member_view *v);
/* M has a new pod: is it done? */
void turn_judge(struct draft *d, const struct turn *t, struct member *m, const struct member_view *v);
/* M has an old pod, or none: replaces it if the gates let it. Says in the role what it waits for. */
void turn_replace(struct draft *d, struct turn *t, struct member *m, const struct member_view *v);
/* Both, over the members of the role: new pods first, then old ones from the highest index down. */
void turn_run(struct draft *d, struct turn *t);
