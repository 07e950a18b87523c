/*
 * Gates: may this member be replaced now? Named predicates; the first that says no is shown in the role's waitingFor, so
 * that the user sees what an upgrade waits for.
 */
#pragma once

#include "reconcile/draft.h"

struct gate_input {
	const struct draft *d;
	const struct role_status *role;
	const struct member *member;
	const char *want_hash; /* of the App that the role moves to */
	int64_t not_serving;   /* members of the role that serve nobody now, */
	const char *for_example; /* among them this one */
};

/* NULL: go. Else "Name: reason". */
const char *gates_block(const struct gate_input *in);
/*
 * Whether the plan has gone without progress past the deadline (U4). The clock stands still while the upgrade is paused
 * and while a handler runs, which has a limit of its own. *RET_AT (may be NULL) is when it will have, if nothing moves.
 */
bool deadline_has_passed(const struct draft *d, int64_t *ret_at);
