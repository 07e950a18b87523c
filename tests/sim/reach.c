/*
 * What of an upgrade reached a member, and what it is therefore owed, by the logs and the containers alone. The lock on
 * the spec and the end of upgrades and rollbacks are judged by it.
 */
#include "sim.h"

#include <string.h>

/* So long the operator was alive and its watches told all, and the container ran: the next pass has seen it. */
#define SEEN_MS 2000

static bool is_on_b(const struct box *box)
{
	return strcmp(box->image, IMAGE_A) != 0;
}

bool book_ran_b(const struct sim *sim, const struct seat *seat)
{
	for (const struct box *box = seat->boxes; box && box->started_at >= sim->book.edited_at; box = box->older) {
		if (is_on_b(box))
			return true;
	}
	return false;
}

static const struct entry *entries_of(const struct sim *sim, const struct seat *seat)
{
	const struct book_member *m = sim->book.members;

	while (m && strcmp(m->pod, seat->pod) != 0)
		m = m->next;
	return m ? m->entries : NULL;
}

bool book_was_head(const struct sim *sim, const struct seat *seat, enum event_kind event)
{
	for (const struct entry *e = entries_of(sim, seat); e; e = e->next) {
		if (e->event == event && e->was_head && e->operation == sim->book.operation)
			return true;
	}
	return false;
}

bool book_was_skipped(const struct sim *sim, const struct seat *seat, enum event_kind event)
{
	for (const struct entry *e = entries_of(sim, seat); e; e = e->next) {
		if (e->event == event && e->is_skipped && e->operation == sim->book.operation)
			return true;
	}
	return false;
}

void book_watch_b(struct sim *sim)
{
	int64_t since = sim->clock.now - SEEN_MS;

	if (!sim->book.edited_at || !sim->book.saw_upgrade_info || !sim->op || sim->op_since > since ||
	    !stream_is_current(sim, KIND_POD, SEEN_MS) || !stream_is_current(sim, KIND_CLUSTER, SEEN_MS))
		return;
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		const struct box *box = seat->box;

		if (box && box->alive && is_on_b(box) && box->started_at <= since && !seat->ending &&
		    (sim->wire.acted_at >= box->started_at + SEEN_MS || faults_are_over(sim, SEEN_MS)))
			book_member(sim, seat->pod)->b_was_seen = true;
	}
}

static bool is_told(const struct sim *sim, const struct seat *seat, enum event_kind event)
{
	return !role_hears(setup_role(&sim->setup, seat->role), event) || book_was_skipped(sim, seat, event) ||
	       book_heard(sim, seat, event, event == EVENT_KIND_POD_UPGRADED);
}

static bool is_through(struct sim *sim, const struct seat *seat)
{
	return book_member(sim, seat->pod)->ready_on_b && is_told(sim, seat, EVENT_KIND_POD_UPGRADED) &&
	       is_told(sim, seat, EVENT_KIND_ROLE_UPGRADED) && is_told(sim, seat, EVENT_KIND_CLUSTER_UPGRADED);
}

/* On A, and told of the way back as far as the way there had reached it. */
static bool is_back(struct sim *sim, const struct seat *seat)
{
	bool ran = book_member(sim, seat->pod)->b_was_seen;
	bool role = book_was_asked(sim, seat, EVENT_KIND_ROLE_UPGRADED);
	bool cluster = ran || role || book_was_asked(sim, seat, EVENT_KIND_CLUSTER_UPGRADED);

	if (seat->box && is_on_b(seat->box))
		return false;
	return (!ran || is_told(sim, seat, EVENT_KIND_POD_REVERTED)) &&
	       (!role || is_told(sim, seat, EVENT_KIND_ROLE_REVERTED)) &&
	       (!cluster || is_told(sim, seat, EVENT_KIND_CLUSTER_REVERTED));
}

const struct seat *book_owed(struct sim *sim)
{
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		if (!book_member(sim, seat->pod)->given_up && !(sim->book.back_at ? is_back : is_through)(sim, seat))
			return seat;
	}
	return NULL;
}

/* A cluster is upgraded when all its members are there, so that each has its seat. */
bool book_lock_is_due(struct sim *sim)
{
	return sim->book.edited_at && !sim->book.upgrade_is_over && book_owed(sim);
}
