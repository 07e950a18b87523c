/*
 * The way back from App B to App A, at every moment of an upgrade until U1 (U3).
 *
 *   cluster:  upgradeInfo{prevApp A, toApp B} --spec.app = A, or the deadline--> isRollingBack, status.app A --> done as U1 says
 *   role:     upgrading or upgraded --its turn, in the opposite order--> rollingBack --every member back--> rolledBack
 *             (nothing) stays: it never left A
 *   member:   upgrading or upgraded --its role's turn--> rollingBack --A's hash, Ready, all answered with 0--> rolledBack
 *
 * Nothing is announced as upgraded from then on. Who hears of the way back is decided by what of the upgrade reached it,
 * which each member's upgradeTrace keeps: pod_reverted, whose container of B ran; role_reverted, to whom role_upgraded was
 * sent; cluster_reverted, once and last, all of these and whoever was sent cluster_upgraded.
 *
 * Whether a head was sent cannot be known after a restart of the operator: it then counts as sent, unless this operator
 * knows that every call was refused. So a member may hear of a way back of something that it was never asked to digest,
 * and never the other way round.
 */
#pragma once

#include "reconcile/draft.h"

/* Turns the upgrade round. AUTOMATIC: nobody edited the spec; B is not tried again until spec.app changes (U4). */
void rollback_begin(struct draft *d, bool automatic);
/* Takes off what was sent in a container that is gone by now. */
void rollback_withdraw(struct draft *d);
/* Lets ROLE have its turn back. */
void rollback_role(struct draft *d, struct role_status *role);
/* Every member that left A is back on it. */
bool role_is_back(const struct role_status *role);

/* Whether the head of M's queue, which must not be empty, may have been sent: see above. */
bool head_may_have_been_sent(const struct draft *d, const struct member *m);
/* Writes into M's trace that EVENT was sent to it. */
void trace_sent(struct draft *d, struct member *m, enum event_kind event);
/* Writes into M's trace that a container of the new App runs in it. */
void trace_ran(struct draft *d, struct member *m);
bool event_is_upgraded(enum event_kind event);
