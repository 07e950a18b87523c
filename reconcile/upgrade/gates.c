#include "reconcile/upgrade/gates.h"

#include "reconcile/member/member.h"

#define PROGRESS_DEADLINE_DEFAULT_S 600
#define MAX_UNAVAILABLE_DEFAULT 1

static const struct upgrade_policy *policy(const struct draft *d)
{
	return d->s->cluster->spec->upgrade;
}

/*
 * A pod deleted before the StatefulSet's controller has seen the new template would come back on the old one. What was
 * applied must be what is wanted, and observed.
 */
static const char *template_is_observed(const struct gate_input *in)
{
	const struct statefulset *set = draft_set(in->d, in->role->stateful_set);
	const struct child_labels *labels = set && set->spec && set->spec->template && set->spec->template->metadata
	                                            ? set->spec->template->metadata->labels : NULL;
	if (labels && same_text(labels->hash, in->want_hash) && set->status &&
	    set->status->observed_generation >= set->metadata->generation)
		return NULL;
	return "the StatefulSet's controller has not seen the new template yet";
}

static const char *not_paused(const struct gate_input *in)
{
	return policy(in->d) && policy(in->d)->paused ? "spec.upgrade.paused is true" : NULL;
}

static const char *deadline_not_passed(const struct gate_input *in)
{
	if (!deadline_has_passed(in->d, NULL))
		return NULL;
	return "no progress within progressDeadlineSeconds; see the condition Progressing";
}

/*
 * A member that cannot serve costs nothing: it may go whatever the others do. One whose pod is Ready may serve clients even
 * while it is being configured anew, so it waits for its turn like the rest.
 */
static bool costs_nothing(const struct gate_input *in)
{
	return in->member->state == MEMBER_STATE_CREATE_PENDING || in->member->state == MEMBER_STATE_CONFIG_ERROR ||
	       !member_look(in->d, in->member).ready;
}

static const char *others_serve(const struct gate_input *in)
{
	if (costs_nothing(in))
		return NULL;
	int64_t most = policy(in->d) && policy(in->d)->max_unavailable ? policy(in->d)->max_unavailable
	                                                               : MAX_UNAVAILABLE_DEFAULT;
	/* One that is marked already, and was not deleted because the operator died in between, does not block itself. */
	int64_t others = in->not_serving - member_is_moving(in->member);
	if (others < most)
		return NULL;
	return arena_printf(in->d->arena, "%lld of at most %lld members are not serving, among them %s", (long long)others,
	                    (long long)most, in->for_example);
}

static const struct {
	const char *name;
	const char *(*blocks)(const struct gate_input *in);
} gates[] = {
	{ "TemplateObserved", template_is_observed },
	{ "Paused", not_paused },
	{ "ProgressDeadline", deadline_not_passed },
	{ "MaxUnavailable", others_serve },
};

const char *gates_block(const struct gate_input *in)
{
	for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
		const char *why = gates[i].blocks(in);
		if (why)
			return arena_printf(in->d->arena, "%s: %s: %s", gates[i].name, in->member->pod, why);
	}
	return NULL;
}

static bool a_handler_runs(const struct draft *d)
{
	for (size_t i = 0; i < d->s->exec_count; i++)
		if (d->s->execs[i].flying || d->s->execs[i].answer == ANSWER_RUNNING)
			return true;
	return false;
}

bool deadline_has_passed(const struct draft *d, int64_t *ret_at)
{
	const struct plan *p = d->status->plan;
	if (!p)
		return false;
	int64_t seconds = policy(d) && policy(d)->progress_deadline_seconds ? policy(d)->progress_deadline_seconds
	                                                                    : PROGRESS_DEADLINE_DEFAULT_S;
	int64_t at = p->last_progress_at + seconds * 1000;
	if (ret_at)
		*ret_at = at;
	if ((policy(d) && policy(d)->paused) || a_handler_runs(d))
		return false;
	return d->s->now >= at;
}
