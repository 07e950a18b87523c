/*
 * The plan of a cluster: one operation with its steps, its warnings and its outcome, kept in status so that it survives
 * a crash (P5).
 *
 *   plan_begin -> [Running] -- plan_step() for each step: Pending -> Running -> Done ... -> plan_end -> [Done]
 *                 [Running] <-> [Stalled]: no progress past the deadline (P4), and progress again
 *
 * P1: the outcome is that of the last step, "plan-completed", and of nothing else. What went wrong on the way and was
 * survived is a warning: kept, counted, shown, and never turned into failure.
 */
#pragma once

#include "reconcile/draft.h"

#define PLAN_LAST_STEP "plan-completed"
#define PLAN_WARNINGS_MAX 32 /* the CRD's maxItems */
#define PLAN_HISTORY_MAX 5   /* likewise, of lastPlans */

/* Starts a plan with STEPS pending and the last step behind them. A plan that runs already is a programmer's error. */
void plan_begin(struct draft *d, enum plan_kind kind, const char *const *steps, size_t count);
bool plan_is_running(const struct draft *d);
bool plan_is(const struct draft *d, enum plan_kind kind);

/* Moves a step; unknown names and moves backwards are passed over. MESSAGE may be NULL. */
void plan_step(struct draft *d, const char *name, enum step_status to, const char *message);
bool plan_step_is(const struct draft *d, const char *name, enum step_status status);
/* Something went forward: the progress deadline counts from now. */
void plan_progress(struct draft *d);
/* An error that the plan survived; between plans, one that the last plan left behind. STEP may be NULL. Equal ones of a step are counted, not repeated. */
void plan_warn(struct draft *d, const char *step, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Ends the plan by its last step and moves it to lastPlans. */
void plan_end(struct draft *d, enum plan_outcome outcome, const char *reason);

/* "Succeeded with 2 warnings": the summary for people. */
const char *plan_summary(const struct plan *p, struct arena *arena);
