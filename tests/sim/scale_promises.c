/*
 * N9, as in promises.c: who stays hears who comes and who goes, when it is so. One step that is judged is one write of status: what it
 * had to say follows from the members in the version before and after it.
 */
#include "sim.h"

#include <inttypes.h>
#include <string.h>

#define LEAVE_LIMIT_MS 600000

static const struct state_detail nothing;

static const struct state_detail *detail(const struct member *m)
{
	return m->state_detail ? m->state_detail : &nothing;
}

static bool leaves(const struct member *m)
{
	return m->state == MEMBER_STATE_DELETE_PENDING || m->state == MEMBER_STATE_DELETING;
}

static bool was_configured(const struct member *m)
{
	return detail(m)->last_setup_generation > 0;
}

/* The new notification of EVENT about ROLE. NULL: there is none. */
static const struct notification *announced(const struct book *b, const char *role, enum event_kind event)
{
	for (size_t i = 0; i < b->is->status->notifications_count; i++) {
		const struct notification *n = &b->is->status->notifications[i];

		if (n->id > b->was->status->last_notify_id && n->event == event && strcmp(n->role, role) == 0)
			return n;
	}
	return NULL;
}

static bool speaks_of(const struct notification *n, const char *pod)
{
	size_t len = strlen(pod);

	for (size_t i = 0; n && i < n->fqdns_count; i++) {
		if (strncmp(n->fqdns[i], pod, len) == 0 && n->fqdns[i][len] == '.')
			return true;
	}
	return false;
}

/* IS stays, and has not digested generation G. An answer that came in the same step counts. */
static bool must_hear(const struct sim *sim, const struct member *is, int64_t g)
{
	const struct member *was = book_find(sim->book.was, is->pod, NULL);

	return was && !leaves(is) && was_configured(is) && detail(is)->last_setup_generation < g &&
	       was->joined_generation != g && !is->given_up;
}

/* Whoever has to hear N, which is about ROLE in generation G, has it in its queue, and nobody else. N may be NULL. */
static void is_queued_to_all(struct sim *sim, const struct notification *n, enum event_kind event, const char *role, int64_t g)
{
	const struct cluster_status *s = sim->book.is->status;

	for (size_t r = 0; r < s->roles_count; r++) {
		bool hears = role_hears(setup_role(&sim->setup, s->roles[r].id), event);

		for (size_t i = 0; i < s->roles[r].members_count; i++) {
			const struct member *m = &s->roles[r].members[i];
			bool must = hears && must_hear(sim, m, g);

			if (must != (n && book_find_entry(m, n->id, NULL)))
				violation(sim, RULE_N9, "%s: %s about role %s, generation %" PRId64 ", is %s", m->pod,
				          event_kind_text(event), role, g, must ? "not queued" : "queued, and is not for it");
		}
	}
}

/* Those that begin to leave: the others are told at once, and of those only that they ever knew. */
static void leaving_is_told(struct sim *sim, const struct role_status *role)
{
	const struct book *b = &sim->book;
	const struct notification *n = announced(b, role->id, EVENT_KIND_DELNODES);
	bool any = false;

	for (size_t i = 0; i < role->members_count; i++) {
		const struct member *is = &role->members[i], *was = book_find(b->was, is->pod, NULL);
		bool goes = was && !leaves(was) && leaves(is);

		any = any || (goes && was_configured(is));
		if (n && speaks_of(n, is->pod) != (goes && was_configured(is)))
			violation(sim, RULE_N9, "delnodes %" PRId64 " is wrong about %s", n->id, is->pod);
	}
	if (!any)
		return;
	arose(RULE_N9);
	is_queued_to_all(sim, n, EVENT_KIND_DELNODES, role->id, b->is->status->spec_generation_to_process);
}

/* Those that have come: the others are told once the last of them is as far as it gets, and of all of them. */
static void coming_is_told(struct sim *sim, const struct role_status *role)
{
	const struct book *b = &sim->book;
	const struct notification *n = announced(b, role->id, EVENT_KIND_ADDNODES);
	int64_t g = 0;

	for (size_t i = 0; i < role->members_count; i++) {
		const struct member *is = &role->members[i], *was = book_find(b->was, is->pod, NULL);
		bool came = was && was->joined_generation && !is->joined_generation && !leaves(is);

		g = came ? was->joined_generation : g;
		if (came && is->state != MEMBER_STATE_CONFIGURED && is->state != MEMBER_STATE_CONFIG_ERROR)
			violation(sim, RULE_N9, "%s counts as announced and is not configured", is->pod);
		if (came && n && !speaks_of(n, is->pod))
			violation(sim, RULE_N9, "addnodes %" PRId64 " does not speak of %s", n->id, is->pod);
		if (n && !came && speaks_of(n, is->pod))
			violation(sim, RULE_N9, "addnodes %" PRId64 " speaks of %s", n->id, is->pod);
	}
	if (!g)
		return;
	arose(RULE_N9);
	is_queued_to_all(sim, n, EVENT_KIND_ADDNODES, role->id, g);
}

/* A survivor that runs and has not answered delnodes. */
static const struct member *unanswered(const struct cluster_status *s)
{
	for (size_t r = 0; r < s->roles_count; r++) {
		for (size_t i = 0; i < s->roles[r].members_count; i++) {
			const struct member *m = &s->roles[r].members[i];

			for (size_t k = 0; k < book_queue_length(m); k++) {
				if (detail(m)->pending_notify_cmds[k].event == EVENT_KIND_DELNODES && !leaves(m) &&
				    m->state != MEMBER_STATE_CONFIG_ERROR && !detail(m)->down_since)
					return m;
			}
		}
	}
	return NULL;
}

/* Its pod goes when every survivor that runs has answered, or when the time is up. */
static void leaver_is_kept(struct sim *sim, const struct role_status *role)
{
	const struct cluster_status *s = sim->book.is->status;
	const struct member *waits = unanswered(s);

	for (size_t i = 0; i < role->members_count; i++) {
		const struct member *is = &role->members[i], *was = book_find(sim->book.was, is->pod, NULL);

		if (!was || was->state == MEMBER_STATE_DELETING || is->state != MEMBER_STATE_DELETING || !was_configured(is))
			continue;
		arose(RULE_N9);
		if (waits && s->plan && sim->clock.now < s->plan->started_at + LEAVE_LIMIT_MS)
			violation(sim, RULE_N9, "%s goes, and %s has not answered", is->pod, waits->pod);
	}
}

void check_n9(struct sim *sim)
{
	const struct book *b = &sim->book;

	if (!b->written || !b->was || !b->was->status || !b->is || !b->is->status)
		return;
	for (size_t r = 0; r < b->is->status->roles_count && !sim->broken; r++) {
		leaving_is_told(sim, &b->is->status->roles[r]);
		coming_is_told(sim, &b->is->status->roles[r]);
		leaver_is_kept(sim, &b->is->status->roles[r]);
	}
}
