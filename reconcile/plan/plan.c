#include "reconcile/plan/plan.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int64_t whole_second(int64_t ms)
{
	return ms - ms % 1000;
}

static int64_t newest_id(const struct cluster_status *st)
{
	if (st->plan)
		return st->plan->id;
	return st->last_plans_count ? st->last_plans[0].id : 0;
}

void plan_begin(struct draft *d, enum plan_kind kind, const char *const *steps, size_t count)
{
	assert(!plan_is_running(d));
	struct plan *p = arena_alloc(d->arena, sizeof *p);
	p->id = newest_id(d->status) + 1;
	p->kind = kind;
	p->phase = PLAN_PHASE_RUNNING;
	p->started_at = p->last_progress_at = whole_second(d->s->now);
	p->to_app = d->status->app;
	p->steps = arena_array(d->arena, count + 1, sizeof *p->steps);
	p->steps_count = count + 1;
	for (size_t i = 0; i <= count; i++)
		p->steps[i] = (struct plan_step){
			.name = i < count ? steps[i] : PLAN_LAST_STEP,
			.status = STEP_STATUS_PENDING,
		};
	d->status->plan = p;
}

bool plan_is_running(const struct draft *d)
{
	return d->status->plan && d->status->plan->phase != PLAN_PHASE_DONE;
}

bool plan_is(const struct draft *d, enum plan_kind kind)
{
	return plan_is_running(d) && d->status->plan->kind == kind;
}

void plan_step(struct draft *d, const char *name, enum step_status to, const char *message)
{
	struct plan *p = d->status->plan;
	for (size_t i = 0; p && i < p->steps_count; i++) {
		struct plan_step *step = &p->steps[i];
		if (strcmp(step->name, name) != 0 || step->status >= to)
			continue;
		if (!step->started_at)
			step->started_at = whole_second(d->s->now);
		if (to == STEP_STATUS_DONE || to == STEP_STATUS_FAILED)
			step->completed_at = whole_second(d->s->now);
		step->status = to;
		step->message = message;
		plan_progress(d);
	}
}

bool plan_step_is(const struct draft *d, const char *name, enum step_status status)
{
	const struct plan *p = d->status->plan;
	for (size_t i = 0; p && i < p->steps_count; i++)
		if (strcmp(p->steps[i].name, name) == 0)
			return p->steps[i].status == status;
	return false;
}

void plan_progress(struct draft *d)
{
	if (plan_is_running(d))
		d->status->plan->last_progress_at = whole_second(d->s->now);
}

static struct plan_warning *equal_warning(struct plan *p, const char *step, const char *message)
{
	for (size_t i = 0; i < p->warnings_count; i++)
		if (same_text(p->warnings[i].step, step) && same_text(p->warnings[i].message, message))
			return &p->warnings[i];
	return NULL;
}

void plan_warn(struct draft *d, const char *step, const char *fmt, ...)
{
	struct cluster_status *st = d->status;
	struct plan *p = st->plan ? st->plan : st->last_plans_count ? &st->last_plans[0] : NULL;
	if (!p)
		return;
	char text[257];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);

	struct plan_warning *w = equal_warning(p, step, text);
	if (!w && p->warnings_count == PLAN_WARNINGS_MAX) {
		p->warnings_dropped++;
		return;
	}
	if (!w) {
		p->warnings = arena_grow(d->arena, p->warnings, p->warnings_count, p->warnings_count + 1,
		                         sizeof *p->warnings);
		w = &p->warnings[p->warnings_count++];
		w->step = step;
		w->message = arena_strdup(d->arena, text);
	}
	w->time = whole_second(d->s->now);
	w->count++;
}

void plan_end(struct draft *d, enum plan_outcome outcome, const char *reason)
{
	struct cluster_status *st = d->status;
	struct plan *p = st->plan;
	plan_step(d, PLAN_LAST_STEP, outcome == PLAN_OUTCOME_SUCCEEDED ? STEP_STATUS_DONE : STEP_STATUS_FAILED, NULL);
	p->phase = PLAN_PHASE_DONE;
	p->outcome = outcome;
	p->reason = reason;
	p->completed_at = whole_second(d->s->now);

	size_t kept = st->last_plans_count < PLAN_HISTORY_MAX ? st->last_plans_count : PLAN_HISTORY_MAX - 1;
	struct plan *plans = arena_array(d->arena, kept + 1, sizeof *plans);
	plans[0] = *p;
	for (size_t i = 0; i < kept; i++)
		plans[i + 1] = st->last_plans[i];
	st->last_plans = plans;
	st->last_plans_count = kept + 1;
	st->plan = NULL;
}

const char *plan_summary(const struct plan *p, struct arena *arena)
{
	const char *outcome = p->outcome ? plan_outcome_text(p->outcome) : plan_phase_text(p->phase);
	size_t warnings = p->warnings_count + (size_t)p->warnings_dropped;
	if (!warnings)
		return outcome;
	return arena_printf(arena, "%s with %zu warning%s", outcome, warnings, warnings == 1 ? "" : "s");
}
