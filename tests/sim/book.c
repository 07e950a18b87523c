#include "sim.h"

#include <assert.h>
#include <string.h>

/* What has been so for this long, and was told, the operator is held to know. */
#define KNOWN_MS 5000

void book_release(struct book *b)
{
	arena_release(&b->arenas[0]);
	arena_release(&b->arenas[1]);
}

struct book_member *book_member(struct sim *sim, const char *pod)
{
	struct book_member *m = sim->book.members;

	while (m && strcmp(m->pod, pod) != 0)
		m = m->next;
	if (m)
		return m;
	m = arena_alloc(&sim->arena, sizeof(*m));
	*m = (struct book_member){.pod = arena_strdup(&sim->arena, pod), .next = sim->book.members};
	sim->book.members = m;
	return m;
}

struct entry *book_entry(const struct book_member *m, int64_t id)
{
	struct entry *e = m->entries;

	while (e && e->id != id)
		e = e->next;
	return e;
}

const struct member *book_find(const struct cluster *c, const char *pod, const struct role_status **ret_role)
{
	const struct cluster_status *s = c ? c->status : NULL;

	for (size_t r = 0; s && r < s->roles_count; r++) {
		for (size_t i = 0; i < s->roles[r].members_count; i++) {
			if (strcmp(s->roles[r].members[i].pod, pod) == 0) {
				if (ret_role)
					*ret_role = &s->roles[r];
				return &s->roles[r].members[i];
			}
		}
	}
	return NULL;
}

const struct queue_entry *book_head(const struct member *m)
{
	return book_queue_length(m) ? &m->state_detail->pending_notify_cmds[0] : NULL;
}

static bool run_was_good(const struct run *r)
{
	return r->state == RUN_ENDED && r->exit_code == 0;
}

bool book_was_told(const struct seat *seat, int64_t id)
{
	for (size_t i = seat ? seat->run_count : 0; i-- > 0;) {
		const struct run *r = seat->runs[i];

		if (r->id == id && run_was_good(r))
			return true;
	}
	return false;
}

bool book_was_asked(const struct sim *sim, const struct seat *seat, enum event_kind event)
{
	for (size_t i = seat ? seat->run_count : 0; i-- > 0;) {
		if (seat->runs[i]->event == event && seat->runs[i]->id > sim->book.first_upgrade_id)
			return true;
	}
	return false;
}

bool book_heard(const struct sim *sim, const struct seat *seat, enum event_kind event, bool in_b)
{
	for (size_t i = seat ? seat->run_count : 0; i-- > 0;) {
		const struct run *r = seat->runs[i];

		if (r->event == event && run_was_good(r) && r->id > sim->book.first_upgrade_id &&
		    (!in_b || strcmp(r->box->image, IMAGE_B) == 0))
			return true;
	}
	return false;
}

static bool has_failed(const struct run *r)
{
	return r->state == RUN_TIMED_OUT || (r->state == RUN_ENDED && r->exit_code != 0);
}

int64_t book_failures(const struct seat *seat, int64_t id)
{
	int64_t most = 0;

	/* Attempts count up from 1, so the highest one that failed is their number. */
	for (size_t i = 0; seat && i < seat->run_count; i++) {
		if (seat->runs[i]->id == id && has_failed(seat->runs[i]) && seat->runs[i]->attempt > most)
			most = seat->runs[i]->attempt;
	}
	return most;
}

void book_begin_upgrade(struct sim *sim)
{
	struct book *b = &sim->book;

	b->operation++;
	b->edited_at = sim->clock.now;
	b->turned_at = b->back_at = 0;
	b->first_upgrade_id = b->is->status->last_notify_id;
	b->saw_upgrade_info = b->upgrade_is_over = false;
	b->moved_at = sim->clock.now;
	for (struct book_member *m = b->members; m; m = m->next)
		m->ready_on_b = m->marked_down = m->b_was_seen = m->given_up = false;
}

const char *book_target_image(const struct sim *sim, bool is_back)
{
	return is_back ? IMAGE_A : sim->setup.outlook == OUTLOOK_IMAGE ? IMAGE_BAD : IMAGE_B;
}

void book_clear_step(struct book *b)
{
	b->written = false;
	b->started_count = b->ended_count = 0;
	b->kill = (struct kill){0};
}

void book_started(struct sim *sim, struct run *run)
{
	struct book *b = &sim->book;

	assert(b->started_count < STEP_RUNS_MAX);
	b->started[b->started_count++] = run;
}

void book_ended(struct sim *sim, struct run *run)
{
	struct book *b = &sim->book;

	assert(b->ended_count < STEP_RUNS_MAX);
	b->ended[b->ended_count++] = run;
}

static const struct upgrade_info *info_of(const struct cluster *c)
{
	return c && c->status ? c->status->upgrade_info : NULL;
}

/* A rollback to which there is nothing to do begins and ends in one write: the plan is all that tells of it. */
static bool is_rolling_back(const struct cluster *was, const struct cluster *is)
{
	if (info_of(is))
		return info_of(is)->is_rolling_back;
	return info_of(was) && is && is->status && is->status->last_plans_count &&
	       is->status->last_plans[0].kind == PLAN_KIND_ROLLBACK;
}

static void note_cluster(struct sim *sim, const struct object *o, enum change change)
{
	struct book *b = &sim->book;
	struct cluster *c;
	struct err err = {0};

	/* Of two changes in one step the first is not judged: it can only be a touch just before the operator's. */
	b->turn = !b->turn;
	arena_reset(&b->arenas[b->turn]);
	c = arena_alloc(&b->arenas[b->turn], sizeof(*c));
	if (crd_decode(&cluster_type, o->tree, c, &b->arenas[b->turn], &err))
		violation(sim, RULE_API, "a Cluster that cannot be read: %s", err.msg);
	b->was = b->is;
	b->is = change == CHANGE_DELETED ? NULL : c;
	b->written = true;
	if (sim->by_operator && b->was && b->is && !c->metadata->deletion_timestamp &&
	    b->was->metadata->generation != c->metadata->generation)
		violation(sim, RULE_API, "the operator changed the spec of %s", o->name);
	if (b->is && c->status && c->status->upgrade_info)
		b->saw_upgrade_info = true;
	if (b->saw_upgrade_info && !b->back_at && is_rolling_back(b->was, b->is))
		b->back_at = sim->clock.now;
}

static bool is_known_ready(const struct sim *sim, const struct seat *seat)
{
	return seat && seat->box && seat->box->ready && seat->box->ready_at + KNOWN_MS <= sim->clock.now &&
	       stream_is_current(sim, KIND_POD, KNOWN_MS);
}

static void note_kill(struct sim *sim, const struct object *pod)
{
	struct seat *seat = seat_find(sim, pod->name);
	const cJSON *owners = json_get(json_get(pod->tree, "metadata"), "ownerReferences");
	const struct object *set = etcd_find(&sim->etcd, KIND_SET, json_str(owners->child, "name"));
	const cJSON *containers = json_get(json_get(pod->tree, "spec"), "containers");

	sim->book.kill = (struct kill){
		.seat = seat,
		.image = json_str(containers->child, "image"),
		.is_back = sim->book.back_at && sim->acts_since > sim->book.back_at,
		.was_ready = is_known_ready(sim, seat),
		.was_paused = sim->book.paused_at && sim->book.paused_at + KNOWN_MS <= sim->clock.now &&
		              stream_is_current(sim, KIND_CLUSTER, KNOWN_MS),
		.set_was_observed = set && json_int(json_get(set->tree, "status"), "observedGeneration", 0) ==
		                            json_int(json_get(set->tree, "metadata"), "generation", -1),
	};
}

static void note_pod(struct sim *sim, const struct object *pod, enum change change)
{
	struct seat *seat = seat_find(sim, pod->name);
	struct book_member *m;

	if (!seat || change == CHANGE_DELETED)
		return;
	m = book_member(sim, pod->name);
	if (seat->box && seat->box->ready && !seat->ending) {
		m->ready_on_b = m->ready_on_b || strcmp(seat->box->image, IMAGE_B) == 0;
		m->taken_down = false;
	}
	if (sim->by_operator && change == CHANGE_MODIFIED && etcd_is_ending(pod))
		note_kill(sim, pod);
}

void book_changed(struct sim *sim, const struct object *o, enum change change)
{
	if (sim->setup.herd)
		return; /* many clusters: judged by herd.c alone */
	if (o->kind == KIND_CLUSTER)
		note_cluster(sim, o, change);
	else if (o->kind == KIND_POD)
		note_pod(sim, o, change);
}

static void note_entry(struct sim *sim, struct book_member *m, const struct queue_entry *q, bool is_head)
{
	struct entry *e = book_entry(m, q->id);

	if (!e) {
		e = arena_alloc(&sim->arena, sizeof(*e));
		*e = (struct entry){
			.id = q->id, .event = q->event, .queued_at = sim->clock.now,
			.operation = sim->book.operation,
		};
		if (m->last_entry)
			m->last_entry->next = e;
		else
			m->entries = e;
		m->last_entry = e;
	}
	e->stands = true;
	e->was_head = e->was_head || is_head;
}

static void note_member(struct sim *sim, const struct member *m)
{
	const struct member *was = book_find(sim->book.was, m->pod, NULL);

	if (was && was->pod_upgrade_status != m->pod_upgrade_status &&
	    (m->pod_upgrade_status == UPGRADE_STATE_UPGRADING || m->pod_upgrade_status == UPGRADE_STATE_ROLLING_BACK))
		book_member(sim, m->pod)->marked_down = was->pod_upgrade_status == UPGRADE_STATE_UPGRADING ||
		                                        !is_known_ready(sim, seat_find(sim, m->pod));
	for (size_t q = 0; q < book_queue_length(m); q++)
		note_entry(sim, book_member(sim, m->pod), &m->state_detail->pending_notify_cmds[q], q == 0);
}

void book_note_status(struct sim *sim)
{
	const struct cluster_status *s = sim->book.is ? sim->book.is->status : NULL;

	for (struct book_member *m = sim->book.members; m; m = m->next) {
		for (struct entry *e = m->entries; e; e = e->next)
			e->stands = false;
	}
	for (size_t r = 0; s && r < s->roles_count; r++) {
		for (size_t i = 0; i < s->roles[r].members_count; i++)
			note_member(sim, &s->roles[r].members[i]);
	}
}
