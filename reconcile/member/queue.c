#include "reconcile/member/queue.h"

#include "reconcile/member/member.h"

#include <assert.h>
#include <string.h>

int64_t notification_new(struct draft *d, enum event_kind event, const char *role)
{
	struct cluster_status *st = d->status;
	st->notifications = arena_grow(d->arena, st->notifications, st->notifications_count,
	                               st->notifications_count + 1, sizeof *st->notifications);
	struct notification *n = &st->notifications[st->notifications_count++];
	n->id = ++st->last_notify_id;
	n->event = event;
	n->role = role;
	return n->id;
}

const struct notification *notification_find(const struct draft *d, int64_t id)
{
	for (size_t i = 0; i < d->status->notifications_count; i++)
		if (d->status->notifications[i].id == id)
			return &d->status->notifications[i];
	return NULL;
}

static bool stands_in_a_queue(const struct cluster_status *st, int64_t id)
{
	for (size_t r = 0; r < st->roles_count; r++)
		for (size_t m = 0; m < st->roles[r].members_count; m++) {
			const struct state_detail *detail = st->roles[r].members[m].state_detail;
			for (size_t i = 0; i < detail->pending_notify_cmds_count; i++)
				if (detail->pending_notify_cmds[i].id == id)
					return true;
		}
	return false;
}

void notifications_sweep(struct draft *d)
{
	struct cluster_status *st = d->status;
	size_t kept = 0;
	for (size_t i = 0; i < st->notifications_count; i++)
		if (stands_in_a_queue(st, st->notifications[i].id))
			st->notifications[kept++] = st->notifications[i];
	st->notifications_count = kept;
	if (!kept)
		st->notifications = NULL;
}

bool queue_has(const struct member *m, enum event_kind event)
{
	for (size_t i = 0; i < m->state_detail->pending_notify_cmds_count; i++)
		if (m->state_detail->pending_notify_cmds[i].event == event)
			return true;
	return false;
}

static void insert(struct draft *d, struct member *m, size_t at, int64_t id, enum event_kind event)
{
	struct state_detail *detail = m->state_detail;
	size_t count = detail->pending_notify_cmds_count;
	assert(count < QUEUE_MAX);
	struct queue_entry *entries = arena_array(d->arena, count + 1, sizeof *entries);
	for (size_t i = 0; i < count; i++)
		entries[i < at ? i : i + 1] = detail->pending_notify_cmds[i];
	entries[at] = (struct queue_entry){ .id = id, .event = event };
	detail->pending_notify_cmds = entries;
	detail->pending_notify_cmds_count = count + 1;
}

void queue_push(struct draft *d, struct member *m, int64_t id, enum event_kind event)
{
	insert(d, m, m->state_detail->pending_notify_cmds_count, id, event);
}

void queue_push_head(struct draft *d, struct member *m, int64_t id, enum event_kind event)
{
	insert(d, m, 0, id, event);
}

void queue_pop(struct member *m)
{
	struct state_detail *detail = m->state_detail;
	assert(detail->pending_notify_cmds_count > 0);
	detail->pending_notify_cmds_count--;
	detail->pending_notify_cmds = detail->pending_notify_cmds_count ? detail->pending_notify_cmds + 1 : NULL;
}

void queue_remove(struct draft *d, struct member *m, size_t i)
{
	struct state_detail *detail = m->state_detail;
	size_t count = detail->pending_notify_cmds_count;
	assert(i < count);
	struct queue_entry *entries = arena_array(d->arena, count, sizeof *entries);
	for (size_t k = 0; k < count; k++)
		if (k != i)
			entries[k < i ? k : k - 1] = detail->pending_notify_cmds[k];
	detail->pending_notify_cmds = count > 1 ? entries : NULL;
	detail->pending_notify_cmds_count = count - 1;
}

bool queue_is_full(const struct member *m)
{
	return m->state_detail->pending_notify_cmds_count >= QUEUE_MAX;
}

bool queue_is_full_for_scaling(const struct member *m, size_t count)
{
	return m->state_detail->pending_notify_cmds_count + count > QUEUE_MAX - QUEUE_RESERVED;
}

const struct member *queue_without_room(const struct draft *d, size_t count)
{
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			if (!m->given_up && m->state_detail->pending_notify_cmds_count + count > QUEUE_MAX)
				return m;
	return NULL;
}

bool queue_holds(struct draft *d, size_t count)
{
	static const char reason[] = "QueueFull:";
	const struct member *m = queue_without_room(d, count);
	const char *full = m ? arena_printf(d->arena, "%s %s: %zu notifications are waiting: no more fit in its queue", reason,
	                                    m->pod, m->state_detail->pending_notify_cmds_count) : NULL;
	FOR_EACH_ROLE(d, role)
		if (full || (role->waiting_for && strncmp(role->waiting_for, reason, strlen(reason)) == 0))
			role->waiting_for = full;
	return m != NULL;
}

size_t queues_total(const struct cluster_status *st)
{
	size_t total = 0;
	for (size_t r = 0; r < st->roles_count; r++)
		for (size_t m = 0; m < st->roles[r].members_count; m++)
			total += st->roles[r].members[m].state_detail->pending_notify_cmds_count;
	return total;
}
