/*
 * Calls of the launcher in a member: what shall be asked of it now, and whether the call is due.
 *
 * N6: a run is (cluster UID, id, attempt) and attempt is the recorded failures + 1, so that asking again after a lost
 * answer asks about the same run.
 */
#pragma once

#include "reconcile/member/member.h"

/* The App whose handler a member's pod has: that of the pod's own label, else the one its role shall run. */
const struct app *member_app(const struct draft *d, const struct role_status *role, const struct member_view *v);

/* The newest report, if it is about the head of the member's queue at its present attempt; else NULL. */
const struct exec_report *call_report_of_head(const struct draft *d, const struct member *m);

/*
 * Whether the member in its running container may be asked now about (ID, ATTEMPT). Not before NEXT_ATTEMPT (0: at once);
 * a handler that runs is asked again after 1 to 10 s; a member that does not answer after 1 to 30 s. When it is not due,
 * another pass is asked for in time.
 */
bool call_is_due(struct draft *d, const struct member *m, const struct member_view *v, int64_t id, int64_t attempt,
                 int64_t next_attempt);
