/*
 * Read this first. Each function below is one rule of DESIGN section 4, as a check of one step: book->was and book->is
 * are the Cluster before and after it, book->started and book->ended the handlers that began and ended in the members.
 * arose() counts that there was something to judge: a rule that never had its situation proves nothing.
 */
#include "sim.h"

#include <inttypes.h>
#include <string.h>

/* Kubernetes tells of a running container within milliseconds here; the rest of the second is the operator's. */
#define N4_WITHIN_MS 1000
#define CALM_MS 120000

static const struct notification *find_notification(const struct cluster *c, int64_t id)
{
	for (size_t i = 0; i < c->status->notifications_count; i++) {
		if (c->status->notifications[i].id == id)
			return &c->status->notifications[i];
	}
	return NULL;
}

static int64_t last_id(const struct cluster *c)
{
	return c && c->status ? c->status->last_notify_id : 0;
}

/* N1: what is queued is stored, with ids that rise by one per cluster and an event that is kept once. */
static void queued_is_numbered(struct sim *sim, const struct entry_change *c)
{
	const struct notification *n = c->is ? find_notification(sim->book.is, c->is->id) : NULL;

	if (c->was || !c->is)
		return;
	arose(RULE_N1);
	if (c->is->id <= last_id(sim->book.was) || c->is->id > last_id(sim->book.is))
		violation(sim, RULE_N1, "%s: id %" PRId64 " was queued, lastNotifyID went from %" PRId64 " to %" PRId64,
		          c->is_in->pod, c->is->id, last_id(sim->book.was), last_id(sim->book.is));
	if (!n || n->event != c->is->event)
		violation(sim, RULE_N1, "%s: id %" PRId64 " is queued but not in notifications as that event",
		          c->is_in->pod, c->is->id);
}

static void check_n1(struct sim *sim)
{
	struct book *b = &sim->book;

	if (b->written && b->is)
		book_each_entry(sim, queued_is_numbered);
	for (size_t i = 0; i < b->started_count; i++) {
		const struct run *run = b->started[i];
		const struct entry *e = book_entry(book_member(sim, run->seat->pod), run->id);

		arose(RULE_N1);
		if (!e || e->event != run->event)
			violation(sim, RULE_N1, "%s runs %s id=%" PRId64 ", which no stored status ever held for it",
			          run->seat->pod, event_kind_text(run->event), run->id);
	}
}

static bool is_of_membership(enum event_kind event)
{
	return event == EVENT_KIND_CONFIGURE || event == EVENT_KIND_ADDNODES || event == EVENT_KIND_DELNODES;
}

static bool is_leaving(const struct member *m)
{
	return m && (m->state == MEMBER_STATE_DELETE_PENDING || m->state == MEMBER_STATE_DELETING);
}

/*
 * N2: an entry leaves a queue because its handler answered 0, the user gave it or the member up, a newer configure
 * supersedes this configure, a rollback withdraws it, or the member is gone for good.
 */
static void left_for_a_reason(struct sim *sim, const struct entry_change *c)
{
	const struct queue_entry *head = book_head(c->is_in);

	if (!c->was || c->is || !c->is_in)
		return;
	arose(RULE_N2);
	if (was_commanded(sim, c))
		return;
	if (book_was_told(seat_find(sim, c->was_in->pod), c->was->id)) {
		/* On the way back it may have been withdrawn before the answer was known. */
		if (!sim->book.back_at || c->was->event == EVENT_KIND_CONFIGURE)
			sim->book.told_at = sim->clock.now;
		return;
	}
	/* Its configure reads all that these would tell. */
	if (is_of_membership(c->was->event) && head && head->event == EVENT_KIND_CONFIGURE && head->id > c->was->id)
		return;
	if (is_leaving(c->is_in))
		return;
	if (was_withdrawn(sim, c))
		return;
	violation(sim, RULE_N2, "%s: %s id=%" PRId64 " left the queue, but its handler never ended with 0",
	          c->was_in->pod, event_kind_text(c->was->event), c->was->id);
}

static void check_n2(struct sim *sim)
{
	if (sim->book.written && sim->book.was && sim->book.is)
		book_each_entry(sim, left_for_a_reason);
}

/* N3: first in, first out. New entries go to the end, but a configure to the head; nothing changes places. */
static void order_is_kept(struct sim *sim, const struct entry_change *c)
{

	if (!c->is)
		return;
	for (size_t q = 0; q < c->is_place; q++) {
		const struct queue_entry *before = &c->is_in->state_detail->pending_notify_cmds[q];
		size_t place = 0;
		bool was_there = book_find_entry(c->was_in, before->id, &place) != NULL;

		if (c->was && was_there && place > c->was_place)
			violation(sim, RULE_N3, "%s: ids %" PRId64 " and %" PRId64 " changed places", c->is_in->pod,
			          before->id, c->is->id);
		if (c->was && !was_there && before->event != EVENT_KIND_CONFIGURE)
			violation(sim, RULE_N3, "%s: id %" PRId64 " was put before id %" PRId64, c->is_in->pod,
			          before->id, c->is->id);
	}
	if (book_queue_length(c->is_in) > 1)
		arose(RULE_N3);
}

static void check_n3(struct sim *sim)
{
	struct book *b = &sim->book;

	if (b->written && b->is)
		book_each_entry(sim, order_is_kept);
	for (size_t i = 0; i < b->started_count; i++) {
		const struct run *run = b->started[i];
		const struct queue_entry *head = book_head(book_find(b->is, run->seat->pod, NULL));

		/* Who leaves is told no more; what was sent before that may still arrive. */
		if ((!head || head->id != run->id) && !is_leaving(book_find(b->is, run->seat->pod, NULL)))
			violation(sim, RULE_N3, "%s runs id=%" PRId64 " while the head of its queue is id=%" PRId64,
			          run->seat->pod, run->id, head ? head->id : 0);
		if (run->event != EVENT_KIND_CONFIGURE && !run->box->setup &&
		    role_hears(setup_role(&sim->setup, run->seat->role), EVENT_KIND_CONFIGURE))
			violation(sim, RULE_N3, "%s runs %s in a container without its set-up", run->seat->pod,
			          event_kind_text(run->event));
	}
}

/* N4: a member that is down is no failed handler; it is told within a second of its container running. */
static void down_is_no_failure(struct sim *sim, const struct entry_change *c)
{
	const struct seat *seat = c->is_in ? seat_find(sim, c->is_in->pod) : NULL;

	if (!c->was || !c->is || !seat || (seat->box && seat->box->alive && !seat->box->frozen))
		return;
	arose(RULE_N4);
	if (c->is->attempts > c->was->attempts && c->is->attempts > book_failures(seat, c->is->id))
		violation(sim, RULE_N4, "%s is down and id=%" PRId64 " was counted as failed", seat->pod, c->is->id);
}

/* Something to deliver to BOX from its first moment on, and nothing in the way. */
static bool has_to_be_told(struct sim *sim, const struct seat *seat)
{
	const struct member *m = book_find(sim->book.is, seat->pod, NULL);
	const struct queue_entry *head = book_head(m);
	const struct entry *entry = head ? book_entry(book_member(sim, seat->pod), head->id) : NULL;
	bool configure = role_hears(setup_role(&sim->setup, seat->role), EVENT_KIND_CONFIGURE);
	bool is_back = sim->book.back_at && !sim->book.upgrade_is_over;

	/* On the way back B's containers are told nothing any more: they are about to go. */
	if (is_back && strcmp(seat->box->image, IMAGE_A) != 0)
		return false;
	if (!m || is_leaving(m) || book_member(sim, seat->pod)->given_up || sim->book.held_at || m->state == MEMBER_STATE_CONFIG_ERROR ||
	    (head && head->next_attempt > seat->box->started_at))
		return false;
	return configure || (entry && entry->queued_at < seat->box->started_at);
}

static void check_n4(struct sim *sim)
{
	if (sim->book.written && sim->book.was && sim->book.is)
		book_each_entry(sim, down_is_no_failure);
	if (!faults_are_over(sim, CALM_MS))
		return;
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		const struct box *box = seat->box;
		struct book_member *m;

		if (!box || !box->alive || box->frozen || box->thawed_at || seat->ending || box->first_told_at ||
		    sim->clock.now <= box->started_at + N4_WITHIN_MS ||
		    box->started_at < sim->faults.calm_since + CALM_MS || box->started_at < sim->op_since + CALM_MS)
			continue;
		m = book_member(sim, seat->pod);
		if (m->judged_box_at == box->started_at || !has_to_be_told(sim, seat))
			continue;
		m->judged_box_at = box->started_at;
		violation(sim, RULE_N4, "%s: its container runs for a second and nothing was delivered", seat->pod);
	}
}

/* N5: a failure is counted, answered by backoff, and at retryLimit the queue is held. */
static void failures_are_counted(struct sim *sim, const struct entry_change *c)
{
	const struct seat *seat = c->is_in ? seat_find(sim, c->is_in->pod) : NULL;
	int64_t failed;

	if (!c->is || !seat)
		return;
	failed = book_failures(seat, c->is->id);
	if (failed)
		arose(RULE_N5);
	if (c->is->attempts > failed || c->is->attempts < failed - 1)
		violation(sim, RULE_N5, "%s: id=%" PRId64 " has attempts %" PRId64 ", its log has %" PRId64 " failures",
		          seat->pod, c->is->id, c->is->attempts, failed);
	if (c->is->attempts - c->is->attempts_forgiven >= sim->setup.retry_limit &&
	    c->is_in->state != MEMBER_STATE_CONFIG_ERROR)
		violation(sim, RULE_N5, "%s: id=%" PRId64 " failed %" PRId64 " times and the member is no config error",
		          seat->pod, c->is->id, c->is->attempts);
}

static void check_n5(struct sim *sim)
{
	struct book *b = &sim->book;

	if (b->written && b->is)
		book_each_entry(sim, failures_are_counted);
	for (size_t i = 0; i < b->started_count; i++) {
		const struct run *run = b->started[i];
		const char *pod = run->seat->pod;
		const struct queue_entry *e = book_find_entry(book_find(b->is, pod, NULL), run->id, NULL);

		if (!e)
			continue; /* N1 or N3 says so */
		if (run->attempt != e->attempts + 1 || run->attempt - e->attempts_forgiven > sim->setup.retry_limit)
			violation(sim, RULE_N5, "%s: attempt %" PRId64 " of id=%" PRId64 ", recorded are %" PRId64, pod,
			          run->attempt, run->id, e->attempts);
		if (e->next_attempt > sim->clock.now)
			violation(sim, RULE_N5, "%s: id=%" PRId64 " was tried before its nextAttempt", pod, run->id);
	}
}

/* BEFORE and RUN are runs of the same notification. */
static void may_start_after(struct sim *sim, const struct run *before, const struct run *run)
{
	bool told = before->state == RUN_ENDED && before->exit_code == 0;

	if (before->attempt == run->attempt)
		arose(RULE_N6);
	if (before->box->alive && before->state != RUN_CUT && (told || before->attempt == run->attempt))
		violation(sim, RULE_N6, "%s: id=%" PRId64 " attempt %" PRId64 " starts, and the run before %s",
		          run->seat->pod, run->id, run->attempt, told ? "ended with 0" : "is still known");
}

/* N6: the same run starts twice only if the first was cut or its result went with its container. */
static void check_n6(struct sim *sim)
{
	struct book *b = &sim->book;

	for (size_t i = 0; i < b->started_count; i++) {
		const struct run *run = b->started[i];

		for (size_t k = 0; k < run->seat->run_count && run->seat->runs[k] != run; k++) {
			if (run->seat->runs[k]->id == run->id)
				may_start_after(sim, run->seat->runs[k], run);
		}
	}
}

/* N8: the receiver's own eventList decides. In one upgrade, with its way back, it hears each event once. */
static void receiver_hears(struct sim *sim, const struct entry_change *c)
{
	const struct role_setup *role = setup_role(&sim->setup, c->role->id);

	if (c->was || !c->is)
		return;
	if (role->has_list)
		arose(RULE_N8);
	if (!role_hears(role, c->is->event))
		violation(sim, RULE_N8, "%s: %s was queued, which role %s does not hear", c->is_in->pod,
		          event_kind_text(c->is->event), role->id);
	for (const struct entry *e = book_member(sim, c->is_in->pod)->entries; e; e = e->next) {
		if (e->event == c->is->event && !is_of_membership(e->event) &&
		    e->operation == sim->book.operation)
			violation(sim, RULE_N8, "%s: %s is queued for a second time", c->is_in->pod,
			          event_kind_text(e->event));
	}
}

static void check_n8(struct sim *sim)
{
	if (sim->book.written && sim->book.is)
		book_each_entry(sim, receiver_hears);
}

/* Rules without a function here are judged where they can be seen: README.md says where. */
static const struct {
	const char *name, *text;
	void (*check)(struct sim *sim);
} rules[RULES] = {
	[RULE_N1] = {"N1", "queued means stored, with rising ids", check_n1},
	[RULE_N2] = {"N2", "an entry leaves because its handler answered 0", check_n2},
	[RULE_N3] = {"N3", "first in, first out; configure first", check_n3},
	[RULE_N4] = {"N4", "down is no failure; delivered within a second", check_n4},
	[RULE_N5] = {"N5", "failures are counted, up to retryLimit", check_n5},
	[RULE_N6] = {"N6", "a run starts once", check_n6},
	[RULE_N7] = {"N7", "configmeta before what announces it; never an older one", check_n7},
	[RULE_N8] = {"N8", "the receiver's eventList decides", check_n8},
	[RULE_N9] = {"N9", "who stays hears who came and who goes, when it is so", check_n9},
	[RULE_U1] = {"U1", "upgradeInfo goes when all queues are empty", check_u1},
	[RULE_U2] = {"U2", "the spec is locked while an upgrade runs", check_u2},
	[RULE_U3] = {"U3", "a rollback: who hears what of it, and nothing else", check_u3},
	[RULE_U4] = {"U4", "upgraded is what answered on B", check_u4},
	[RULE_P1] = {"P1", "a plan's outcome is that of plan-completed", check_p1},
	[RULE_P4] = {"P4", "what does not move is stalled, and says why", check_p4},
	[RULE_COMMAND] = {"cmd", "commands by annotation are acted on once", check_command},
	[RULE_HELD] = {"held", "the annotation paused: nothing is changed", NULL},
	[RULE_TOLD] = {"told", "role_upgraded and cluster_upgraded, when due and to all", check_told},
	[RULE_TURN] = {"turn", "roles in order, members from the highest index", check_turn},
	[RULE_BUDGET] = {"budget", "maxUnavailable", check_budget},
	[RULE_BACK] = {"back", "after an automatic rollback B is left alone", check_back},
	[RULE_KEEP] = {"keep", "no needless or useless deletion", check_keep},
	[RULE_ALONE] = {"alone", "a hanging handler delays no other cluster, no other member", NULL},
	[RULE_COST] = {"cost", "an upgrade, and the way back, take 5 % more than pods and handlers", NULL},
	[RULE_USED] = {"used", "an App in use cannot be deleted", NULL},
	[RULE_LIVE] = {"live", "everything ends", NULL},
	[RULE_IDLE] = {"idle", "nothing to do, nothing asked", NULL},
	[RULE_API] = {"api", "nothing that is written is refused", NULL},
};

static uint64_t counts[RULES];

const char *rule_name(enum rule rule)
{
	return rules[rule].name;
}

const char *rule_text(enum rule rule)
{
	return rules[rule].text;
}

void arose(enum rule rule)
{
	counts[rule]++;
}

void rules_add(uint64_t to[RULES])
{
	for (int r = 0; r < RULES; r++) {
		to[r] += counts[r];
		counts[r] = 0;
	}
}

void promises_check(struct sim *sim)
{
	struct book *b = &sim->book;
	bool happened = b->written || b->started_count || b->ended_count || b->kill.seat;

	if (sim->setup.herd) {
		book_clear_step(b);
		return;
	}
	book_watch_b(sim);
	if (!happened) {
		check_n4(sim);
		check_p4(sim);
		return;
	}
	for (int i = 0; i < RULES && !sim->broken; i++) {
		if (rules[i].check)
			rules[i].check(sim);
	}
	if (b->written) {
		book_note_status(sim);
		book_forget_leavers(sim);
	}
	book_clear_step(b);
}
