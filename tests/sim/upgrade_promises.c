/*
 * The rules of DESIGN sections 5 and 6 on upgrades and plans, one function each, as in promises.c. "B" is the App that
 * the scenario enters; what is told and what runs is read from the members, by image and log.
 */
#include "sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What has been so for this long, and was told, the operator is held to know. */
#define KNOWN_MS 5000

#define MEMBERS_OF(role, m) (const struct member *m = (role)->members; m < (role)->members + (role)->members_count; m++)
#define ROLES_OF(c, r) \
	(const struct role_status *r = (c)->status->roles; r < (c)->status->roles + (c)->status->roles_count; r++)

static const struct upgrade_info *info_of(const struct cluster *c)
{
	return c && c->status ? c->status->upgrade_info : NULL;
}

static bool has_status(const struct cluster *c)
{
	return c && c->status;
}

static size_t queued(const struct cluster *c)
{
	size_t n = 0;

	for ROLES_OF(c, r) {
		for MEMBERS_OF(r, m)
			n += book_queue_length(m);
	}
	return n;
}

/* U1: upgradeInfo goes in a version in which every queue is empty and every role done; configured never before. */
void check_u1(struct sim *sim)
{
	struct book *b = &sim->book;

	if (!b->written || !has_status(b->is))
		return;
	if (info_of(b->was) && !info_of(b->is)) {
		arose(RULE_U1);
		if (queued(b->is))
			violation(sim, RULE_U1, "upgradeInfo went while %zu notifications were queued", queued(b->is));
		if (book_lock_is_due(sim))
			violation(sim, RULE_U1, "upgradeInfo went, but by its log and its container %s is not done",
			          book_owed(sim)->pod);
		b->upgrade_is_over = true;
	}
	if (b->is->status->state != CLUSTER_STATE_CONFIGURED)
		return;
	arose(RULE_U1);
	if (info_of(b->is) || queued(b->is) ||
	    (b->is->status->plan && b->is->status->plan->phase == PLAN_PHASE_RUNNING))
		violation(sim, RULE_U1, "state is configured with %s and %zu notifications queued",
		          info_of(b->is) ? "upgradeInfo" : "no upgradeInfo", queued(b->is));
}

/* U2: from the edit of spec.app until all were told, every version is one in which the API server holds the lock. */
void check_u2(struct sim *sim)
{
	struct book *b = &sim->book;
	const struct cluster *c = b->is;

	if (!b->written || !has_status(c) || !book_lock_is_due(sim))
		return;
	arose(RULE_U2);
	if (!c->status->app || (!info_of(c) && strcmp(c->spec->app, c->status->app) == 0))
		violation(sim, RULE_U2, "the lock is open: neither upgradeInfo nor spec.app != status.app");
}

/* BOX is the newest container, or the one before while nobody can know of the newest. */
static bool may_be_newest(const struct sim *sim, const struct seat *seat, const struct box *box)
{
	const struct box *newest = seat->boxes;

	return box == newest || !stream_is_current(sim, KIND_POD, KNOWN_MS) ||
	       (newest && box == newest->older && newest->started_at + KNOWN_MS > sim->clock.now);
}

static bool was_ready_on_a(const struct sim *sim, const struct seat *seat)
{
	for (const struct box *box = seat->boxes; box; box = box->older) {
		if (box->ready_at && strcmp(box->image, IMAGE_A) == 0 && may_be_newest(sim, seat, box))
			return true;
	}
	return false;
}

/* The set-up was confirmed in that very container, of the App that the member shall run. */
static void is_set_up(struct sim *sim, const struct seat *seat, const struct member *m, bool is_back)
{
	const char *container = m->state_detail->last_configured_container;
	const struct box *box = seat->boxes;

	/* An exec goes to whatever container runs: to one of which no watch has told yet, as the case may be. */
	if (box && box->setup && (box->started_at + KNOWN_MS > sim->clock.now ||
	                          !stream_is_current(sim, KIND_POD, KNOWN_MS)))
		return;
	while (box && (!container || strcmp(box->id, container) != 0))
		box = box->older;
	if (!box || !box->setup)
		violation(sim, RULE_U4, "%s counts as done, and its set-up was seen in no container", m->pod);
	else if (strcmp(box->image, book_target_image(sim, is_back)) != 0)
		violation(sim, RULE_U4, "%s counts as done, and its set-up was seen on %s", m->pod, box->image);
	else if (!may_be_newest(sim, seat, box))
		violation(sim, RULE_U4, "%s counts as done by a container that is long gone", m->pod);
}

static void is_back_indeed(struct sim *sim, const struct role_status *r, const struct member *m)
{
	const struct seat *seat = seat_find(sim, m->pod);
	const struct book_member *b = book_member(sim, m->pod);

	arose(RULE_U4);
	if (!seat || !was_ready_on_a(sim, seat))
		violation(sim, RULE_U4, "%s counts as rolled back and was never Ready on A", m->pod);
	else if (b->b_was_seen && role_hears(setup_role(&sim->setup, r->id), EVENT_KIND_POD_REVERTED) &&
	         !book_was_skipped(sim, seat, EVENT_KIND_POD_REVERTED) &&
	         !book_heard(sim, seat, EVENT_KIND_POD_REVERTED, false))
		violation(sim, RULE_U4, "%s counts as rolled back and never answered pod_reverted", m->pod);
}

static void is_upgraded_indeed(struct sim *sim, const struct role_status *r, const struct member *m)
{
	const struct seat *seat = seat_find(sim, m->pod);

	arose(RULE_U4);
	if (!seat || !book_member(sim, m->pod)->ready_on_b)
		violation(sim, RULE_U4, "%s counts as upgraded and was never Ready on B", m->pod);
	else if (role_hears(setup_role(&sim->setup, r->id), EVENT_KIND_POD_UPGRADED) &&
	         !book_was_skipped(sim, seat, EVENT_KIND_POD_UPGRADED) &&
	         !book_heard(sim, seat, EVENT_KIND_POD_UPGRADED, true))
		violation(sim, RULE_U4, "%s counts as upgraded and never answered pod_upgraded on B", m->pod);
}

/* U4: a member in config error does not count as upgraded; who counts really is, by image, readiness and log. */
void check_u4(struct sim *sim)
{
	struct book *b = &sim->book;

	if (!b->written || !has_status(b->is))
		return;
	for ROLES_OF(b->is, r) {
		for MEMBERS_OF(r, m) {
			const struct member *was = book_find(b->was, m->pod, NULL);
			bool is_error = m->state == MEMBER_STATE_CONFIG_ERROR;
			bool is_upgraded = m->pod_upgrade_status == UPGRADE_STATE_UPGRADED;
			bool is_back = m->pod_upgrade_status == UPGRADE_STATE_ROLLED_BACK;

			if (is_error)
				arose(RULE_U4);
			if (is_error && is_upgraded)
				violation(sim, RULE_U4, "%s is a config error and counts as upgraded", m->pod);
			if ((is_upgraded || is_back) && was && !book_member(sim, m->pod)->given_up &&
			    was->pod_upgrade_status != m->pod_upgrade_status) {
				(is_back ? is_back_indeed : is_upgraded_indeed)(sim, r, m);
				if (role_hears(setup_role(&sim->setup, r->id), EVENT_KIND_CONFIGURE))
					is_set_up(sim, seat_find(sim, m->pod), m, is_back);
			}
		}
	}
}

static bool has_queued(const struct member *m, enum event_kind event)
{
	for (size_t i = 0; i < book_queue_length(m); i++) {
		if (m->state_detail->pending_notify_cmds[i].event == event)
			return true;
	}
	return false;
}

/* In ROLE, or in any where that is NULL. */
static bool is_queued_now(const struct cluster *c, enum event_kind event, const struct role_status *role)
{
	for ROLES_OF(c, r) {
		for MEMBERS_OF(r, m) {
			if ((!role || r == role) && has_queued(m, event))
				return true;
		}
	}
	return false;
}

static void role_is_done(struct sim *sim, const struct role_status *r, const char *why)
{
	if (r->role_upgrade_status != UPGRADE_STATE_UPGRADED)
		violation(sim, RULE_TOLD, "%s and role %s is not upgraded", why, r->id);
}

static void members_are_done(struct sim *sim, const struct role_status *r)
{
	for MEMBERS_OF(r, m) {
		if (m->pod_upgrade_status != UPGRADE_STATE_UPGRADED && !m->given_up)
			violation(sim, RULE_TOLD, "role %s is called upgraded and %s is not", r->id, m->pod);
	}
}

static const struct role_status *same_role(const struct cluster *c, const struct role_status *role)
{
	for ROLES_OF(c, r) {
		if (strcmp(r->id, role->id) == 0)
			return r;
	}
	return NULL;
}

static bool somebody_is_left(const struct role_status *r)
{
	for MEMBERS_OF(r, m) {
		if (!m->given_up)
			return true;
	}
	return false;
}

static void role_is_told(struct sim *sim, const struct role_status *was, const struct role_status *is)
{
	const struct role_setup *role = setup_role(&sim->setup, is->id);
	bool is_queued = is_queued_now(sim->book.is, EVENT_KIND_ROLE_UPGRADED, is);

	if (!was)
		return;
	if (was->role_upgrade_status != UPGRADE_STATE_UPGRADED && is->role_upgrade_status == UPGRADE_STATE_UPGRADED) {
		arose(RULE_TOLD);
		members_are_done(sim, is);
		if (role_hears(role, EVENT_KIND_ROLE_UPGRADED) && !is_queued && somebody_is_left(is))
			violation(sim, RULE_TOLD, "role %s is upgraded and role_upgraded is not queued", is->id);
	}
	if (is_queued && !is_queued_now(sim->book.was, EVENT_KIND_ROLE_UPGRADED, was))
		role_is_done(sim, is, "role_upgraded is queued");
}

/*
 * role_upgraded is queued when every member of the role is upgraded and to all of them in one write; cluster_upgraded
 * when the last role is done, and never before the role_upgraded of anybody.
 */
void check_told(struct sim *sim)
{
	const struct cluster *was = sim->book.was, *is = sim->book.is;

	if (!sim->book.written || !has_status(was) || !has_status(is) || !info_of(is) || sim->book.back_at)
		return;
	for ROLES_OF(is, r)
		role_is_told(sim, same_role(was, r), r);
	if (is_queued_now(was, EVENT_KIND_CLUSTER_UPGRADED, NULL) ||
	    !is_queued_now(is, EVENT_KIND_CLUSTER_UPGRADED, NULL))
		return;
	arose(RULE_TOLD);
	for ROLES_OF(is, r)
		role_is_done(sim, r, "cluster_upgraded is queued");
}

static bool runs(const struct sim *sim, const struct seat *seat, const char *image)
{
	const struct object *pod = seat->uid ? etcd_find(&sim->etcd, KIND_POD, seat->pod) : NULL;
	const cJSON *containers = pod ? json_get(json_get(pod->tree, "spec"), "containers") : NULL;

	/* A pod that is missing comes back on the role's template, which is the new one. */
	return !containers || strcmp(json_str(containers->child, "image"), image) == 0;
}

static bool is_marked(const struct sim *sim, const struct seat *seat, bool is_back)
{
	const struct member *m = book_find(sim->book.is, seat->pod, NULL);

	if (!m || m->given_up || is_back)
		return m && (m->given_up || m->pod_upgrade_status == UPGRADE_STATE_ROLLING_BACK ||
		             m->pod_upgrade_status == UPGRADE_STATE_ROLLED_BACK);
	return m->pod_upgrade_status != UPGRADE_STATE_NONE;
}

/* Whether role R, which goes before or after that of the pod that is deleted, stands where it has to. */
static bool is_in_order(const struct kill *k, const struct role_status *r, bool goes_before)
{
	if (!k->is_back)
		return !goes_before || r->role_upgrade_status == UPGRADE_STATE_UPGRADED;
	return goes_before || r->role_upgrade_status == UPGRADE_STATE_NONE ||
	       r->role_upgrade_status == UPGRADE_STATE_ROLLED_BACK;
}

static int index_of(const struct seat *seat)
{
	const char *dash = strrchr(seat->pod, '-');

	return dash ? (int)strtol(dash + 1, NULL, 10) : 0;
}

/*
 * One role after the other in their order, on the way back in the opposite one; in a role from the highest index down. A
 * member that does not serve may go out of turn: replacing it costs nothing.
 */
void check_turn(struct sim *sim)
{
	const struct kill *k = &sim->book.kill;
	const struct role_setup *role;

	/* A deletion that was on its way when the rollback was recorded belongs to what was before. */
	if (!k->seat || !sim->book.edited_at || !has_status(sim->book.is) || (sim->book.back_at && !k->is_back))
		return;
	/* One that was given up is back, and is made anew. */
	if (book_member(sim, k->seat->pod)->given_up && !info_of(sim->book.is))
		return;
	role = setup_role(&sim->setup, k->seat->role);
	arose(RULE_TURN);
	if (!info_of(sim->book.is))
		violation(sim, RULE_TURN, "%s is deleted and no upgrade is recorded", k->seat->pod);
	for ROLES_OF(sim->book.is, r) {
		int order = setup_turn(&sim->setup, setup_role(&sim->setup, r->id)) - setup_turn(&sim->setup, role);

		if (order && !is_in_order(k, r, order < 0))
			violation(sim, RULE_TURN, "%s is replaced before role %s is done", k->seat->pod, r->id);
	}
	if (!k->was_ready || book_member(sim, k->seat->pod)->marked_down)
		return;
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		if (strcmp(seat->role, k->seat->role) != 0)
			continue;
		/* Several may be on their way at once: marked in status, and their deletions pass each other. */
		if (index_of(seat) > index_of(k->seat) && !runs(sim, seat, book_target_image(sim, k->is_back)) &&
		    !is_marked(sim, seat, k->is_back))
			violation(sim, RULE_TURN, "%s is replaced before %s", k->seat->pod, seat->pod);
	}
}

/* At most maxUnavailable members of a role are not serving because the operator took them down. */
void check_budget(struct sim *sim)
{
	const struct kill *k = &sim->book.kill;
	int down = 1;

	if (!k->seat || !k->was_ready || !sim->book.is || book_member(sim, k->seat->pod)->given_up)
		return;
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		if (seat != k->seat && strcmp(seat->role, k->seat->role) == 0 && !book_member(sim, seat->pod)->given_up)
			down += book_member(sim, seat->pod)->taken_down;
	}
	arose(RULE_BUDGET);
	if (down > sim->setup.max_unavailable)
		violation(sim, RULE_BUDGET, "%s is deleted: with it %d of role %s are down by our doing, limit %d",
		          k->seat->pod, down, k->seat->role, sim->setup.max_unavailable);
	book_member(sim, k->seat->pod)->taken_down = true;
}

/* No pod is deleted that runs what it shall run, nor one that could come back as it was, nor while the upgrade is paused. */
void check_keep(struct sim *sim)
{
	const struct kill *k = &sim->book.kill;

	if (!k->seat || !sim->book.edited_at)
		return;
	/* One that was given up is back, and is made anew. */
	if (book_member(sim, k->seat->pod)->given_up && !info_of(sim->book.is))
		return;
	arose(RULE_KEEP);
	if (strcmp(k->image, book_target_image(sim, k->is_back)) == 0)
		violation(sim, RULE_KEEP, "%s runs %s and is deleted", k->seat->pod, k->image);
	if (!k->set_was_observed)
		violation(sim, RULE_KEEP, "%s is deleted before its StatefulSet's template was observed", k->seat->pod);
	if (k->was_paused)
		violation(sim, RULE_KEEP, "%s is deleted while the upgrade is paused", k->seat->pod);
}
