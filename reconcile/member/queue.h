/*
 * The queue of a member: the notifications that it has still to digest, kept in status (stateDetail.pendingNotifyCmds).
 *
 * N1: an id is an event's, shared by all its receivers, and rises by one per cluster; status.notifications holds each
 * event once, as long as it stands in some queue. N3: first in, first out; only configure may go to the head.
 */
#pragma once

#include "reconcile/draft.h"

#define QUEUE_MAX 32     /* the CRD's maxItems */
#define QUEUE_RESERVED 8 /* of these only for configure and upgrade events, so that none of them is ever lost (N9) */
#define QUEUE_STEP 3     /* the most that one pass of an upgrade queues for a member: pod_, role_ and cluster_ */

/* Makes a notification and returns its id. ROLE is what the event is about, or NULL. */
int64_t notification_new(struct draft *d, enum event_kind event, const char *role);
const struct notification *notification_find(const struct draft *d, int64_t id);
/* Forgets the notifications that stand in no queue any more. */
void notifications_sweep(struct draft *d);

static inline bool queue_is_empty(const struct member *m)
{
	return m->state_detail->pending_notify_cmds_count == 0;
}
static inline struct queue_entry *queue_head(const struct member *m)
{
	return queue_is_empty(m) ? NULL : &m->state_detail->pending_notify_cmds[0];
}
bool queue_has(const struct member *m, enum event_kind event);
void queue_push(struct draft *d, struct member *m, int64_t id, enum event_kind event);
void queue_push_head(struct draft *d, struct member *m, int64_t id, enum event_kind event);
void queue_pop(struct member *m);
/* Takes off entry I, wherever it stands. */
void queue_remove(struct draft *d, struct member *m, size_t i);
bool queue_is_full(const struct member *m);
/* No room for COUNT more of addnodes and delnodes. */
bool queue_is_full_for_scaling(const struct member *m, size_t count);
/* A member that cannot be queued COUNT more, as only one can be whose queue was filled by hand. NULL: there is none. */
const struct member *queue_without_room(const struct draft *d, size_t count);
/* Whether one has no room for COUNT more: what would be queued waits then. Says so in the roles' waitingFor, or takes it back. */
bool queue_holds(struct draft *d, size_t count);
/* Entries in all queues of the cluster. */
size_t queues_total(const struct cluster_status *st);
