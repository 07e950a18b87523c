/*
 * N7: which configmeta a member holds and which it has digested.
 *
 *   specGenerationToProcess    what the membership is now
 *   lastConfigDataGeneration   the generation of the configmeta last written into the member, by its own word
 *   lastSetupGeneration        up to here it was told everything that was to be told
 *
 * A notification takes the present configmeta along when the member lacks it, and always does for a configure: the container
 * is new. The launcher lets no handler start before it is there. Members that hear nothing of a change are sent the configmeta
 * with a check of their set-up, once nothing more is to be announced.
 */
#pragma once

#include "reconcile/member/member.h"

/* Takes down what the report R says of the configmeta that the member holds. */
void config_take_answer(struct draft *d, const struct role_status *role, struct member *m, const struct exec_report *r);

/* What the member has digested when it has read what it holds, and was told all but what still stands in its queue. */
int64_t config_digested(const struct draft *d, const struct member *m);
/* Nothing owed: what the member holds is digested as far as nothing is queued or still to be announced. */
void config_settle(struct draft *d, struct member *m);

/* Whether the notification at the head (ENTRY) takes the configmeta along to the container V. */
bool config_goes_with(const struct draft *d, const struct member *m, const struct member_view *v,
                      const struct queue_entry *entry);
/* Whether a member with an empty queue is to be brought the configmeta. */
bool config_is_behind(const struct draft *d, const struct member *m);
