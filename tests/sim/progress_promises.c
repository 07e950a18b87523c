/*
 * Plans. P1 below; U4 and P4: an upgrade that does not move says so within its deadline, and no longer when it moves again. What moves is read
 * from the members: a handler that ended with 0, a pod that got Ready or was taken down.
 */
#include "sim.h"

#include <inttypes.h>
#include <string.h>

/* After the deadline: a pass has to come, and what moved last has to have been told. */
#define SLACK_MS 90000
#define CALM_MS 120000

static int64_t deadline_ms(const struct cluster *c)
{
	return c->spec->upgrade && c->spec->upgrade->progress_deadline_seconds
	               ? c->spec->upgrade->progress_deadline_seconds * 1000 : 600000;
}

static bool is_stalled(const struct cluster *c)
{
	return c && c->status && c->status->plan && c->status->plan->phase == PLAN_PHASE_STALLED;
}

static bool something_runs(const struct sim *sim)
{
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		if (seat->run_count && seat->runs[seat->run_count - 1]->state == RUN_GOING)
			return true;
	}
	return false;
}

/* Kept up to date from what happened in this step. */
static void note_moves(struct sim *sim)
{
	struct book *b = &sim->book;
	bool moves = b->kill.seat || b->paused_at || b->held_at || !sim->op || something_runs(sim);

	for (size_t i = 0; i < b->ended_count; i++)
		moves = moves || (b->ended[i]->state == RUN_ENDED && b->ended[i]->exit_code == 0);
	for (const struct seat *seat = sim->seats; seat && !moves; seat = seat->next)
		moves = seat->box && seat->box->ready_at > b->moved_at;
	if (moves || (b->written && b->was && b->is && b->was->metadata->generation != b->is->metadata->generation))
		b->moved_at = sim->clock.now;
}

static void says_so(struct sim *sim)
{
	const struct cluster_status *s = sim->book.is->status;
	const struct condition *c = NULL;

	for (size_t i = 0; i < s->conditions_count; i++) {
		if (strcmp(s->conditions[i].type, "Progressing") == 0)
			c = &s->conditions[i];
	}
	arose(RULE_P4);
	if (!c || c->status != TRUTH_FALSE || !c->reason || (strcmp(c->reason, "Paused") != 0 &&
	    (strcmp(c->reason, "ProgressDeadlineExceeded") != 0 || !strstr(c->message, "waiting for "))))
		violation(sim, RULE_P4, "the plan is stalled and the condition Progressing does not say why");
}

/* A version in which something was taken off a queue as told is one in which the plan moved. */
static bool has_gone_forward(const struct sim *sim)
{
	return sim->book.told_at == sim->clock.now;
}

static void stall_is_true(struct sim *sim)
{
	struct book *b = &sim->book;
	bool is = is_stalled(b->is), was = is_stalled(b->was);

	if (is)
		says_so(sim);
	if (is && !was && b->told_at && sim->clock.now - b->told_at < deadline_ms(b->is) - 2000)
		violation(sim, RULE_P4, "stalled, and %" PRId64 " s ago a member was done with something",
		          (sim->clock.now - b->told_at) / 1000);
	if (is && has_gone_forward(sim))
		violation(sim, RULE_P4, "something went forward and the plan is called stalled");
	if (was && !is)
		arose(RULE_P4);
}

void check_p4(struct sim *sim)
{
	struct book *b = &sim->book;

	note_moves(sim);
	if (!b->is || !b->is->status)
		return;
	if (b->written)
		stall_is_true(sim);
	if (!b->is->status->upgrade_info || !faults_are_over(sim, CALM_MS) ||
	    sim->clock.now - b->moved_at < deadline_ms(b->is) + SLACK_MS ||
	    sim->clock.now - sim->faults.calm_since < deadline_ms(b->is) + SLACK_MS)
		return;
	arose(RULE_P4);
	if (!is_stalled(b->is))
		violation(sim, RULE_P4, "nothing has moved for %" PRId64 " s and the plan is not stalled",
		          (sim->clock.now - b->moved_at) / 1000);
}

static void plan_is_honest(struct sim *sim, const struct plan *plan)
{
	const struct plan_step *last = plan->steps_count ? &plan->steps[plan->steps_count - 1] : NULL;
	bool done;

	if (plan->phase != PLAN_PHASE_DONE) {
		if (plan->outcome != PLAN_OUTCOME_NONE)
			violation(sim, RULE_P1, "plan %" PRId64 " has an outcome before its end", plan->id);
		return;
	}
	arose(RULE_P1);
	if (!last || strcmp(last->name, "plan-completed") != 0) {
		violation(sim, RULE_P1, "plan %" PRId64 " is done and its last step is %s", plan->id,
		          last ? last->name : "none");
		return;
	}
	done = last->status == STEP_STATUS_DONE;
	if ((plan->outcome == PLAN_OUTCOME_SUCCEEDED) != done)
		violation(sim, RULE_P1, "plan %" PRId64 ": plan-completed is %s, the outcome %s", plan->id,
		          step_status_text(last->status), plan_outcome_text(plan->outcome));
}

/* P1: the outcome of a plan is that of its step plan-completed. */
void check_p1(struct sim *sim)
{
	const struct cluster *c = sim->book.is;

	if (!sim->book.written || !c || !c->status)
		return;
	if (c->status->plan)
		plan_is_honest(sim, c->status->plan);
	for (size_t i = 0; i < c->status->last_plans_count; i++)
		plan_is_honest(sim, &c->status->last_plans[i]);
}
