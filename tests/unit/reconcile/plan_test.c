#include "tests/unit/unit.h"

#include "reconcile/plan/plan.h"

#define STARTED_MS 5000
#define LATER_MS 9000

struct fixture {
	struct arena arena;
	struct snapshot snapshot;
	struct cluster_status status;
	struct draft draft;
};

static int set_up(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .snapshot = { .now = STARTED_MS } };
	f.draft = (struct draft){ .s = &f.snapshot, .arena = &f.arena, .status = &f.status };
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_release(&f->arena);
	return 0;
}

static void begin(struct fixture *f)
{
	static const char *const steps[] = { "role a" };

	plan_begin(&f->draft, PLAN_KIND_CREATE, steps, 1);
}

static void test_no_plan_has_no_step(void **state)
{
	struct fixture *f = *state;

	assert_false(plan_step_is(&f->draft, "role a", STEP_STATUS_NONE));
	begin(f);
	assert_false(plan_step_is(&f->draft, "role b", STEP_STATUS_PENDING));
	assert_true(plan_step_is(&f->draft, "role a", STEP_STATUS_PENDING));
	assert_true(plan_step_is(&f->draft, PLAN_LAST_STEP, STEP_STATUS_PENDING));
}

static void test_same_step_again_is_no_progress(void **state)
{
	struct fixture *f = *state;

	begin(f);
	plan_step(&f->draft, "role a", STEP_STATUS_RUNNING, NULL);
	f->snapshot.now = LATER_MS;
	plan_step(&f->draft, "role a", STEP_STATUS_RUNNING, NULL);
	assert_int_equal(f->status.plan->last_progress_at, STARTED_MS);
	plan_step(&f->draft, "role a", STEP_STATUS_DONE, NULL);
	assert_int_equal(f->status.plan->last_progress_at, LATER_MS);
	assert_int_equal(f->status.plan->steps[0].started_at, STARTED_MS);
	assert_int_equal(f->status.plan->steps[0].completed_at, LATER_MS);
}

/* The API server would refuse a list that is longer than the CRD allows, and with it every write from then on. */
static void test_warnings_have_a_limit(void **state)
{
	struct fixture *f = *state;
	const struct plan *p;

	begin(f);
	for (int i = 0; i < PLAN_WARNINGS_MAX + 2; i++)
		plan_warn(&f->draft, "role a", "the %dth", i);
	p = f->status.plan;
	assert_int_equal(p->warnings_count, PLAN_WARNINGS_MAX);
	assert_int_equal(p->warnings_dropped, 2);
	assert_string_equal(plan_summary(p, &f->arena), "Running with 34 warnings");
	plan_warn(&f->draft, "role a", "the 0th");
	assert_int_equal(p->warnings_dropped, 2);
	assert_int_equal(p->warnings[0].count, 2);
}

static void test_history_has_a_limit(void **state)
{
	struct fixture *f = *state;

	for (int i = 1; i <= PLAN_HISTORY_MAX + 2; i++) {
		begin(f);
		plan_end(&f->draft, PLAN_OUTCOME_SUCCEEDED, "Created");
		assert_null(f->status.plan);
		assert_int_equal(f->status.last_plans[0].id, i);
		assert_true(f->status.last_plans_count <= PLAN_HISTORY_MAX);
	}
	assert_int_equal(f->status.last_plans_count, PLAN_HISTORY_MAX);
	assert_int_equal(f->status.last_plans[PLAN_HISTORY_MAX - 1].id, 3);
}

/* P3: a warning is no failure, and is in the line that sums up. */
static void test_summary_counts_warnings(void **state)
{
	struct fixture *f = *state;

	begin(f);
	plan_end(&f->draft, PLAN_OUTCOME_SUCCEEDED, "Created");
	assert_string_equal(plan_summary(&f->status.last_plans[0], &f->arena), "Succeeded");
	plan_warn(&f->draft, NULL, "late");
	assert_string_equal(plan_summary(&f->status.last_plans[0], &f->arena), "Succeeded with 1 warning");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_no_plan_has_no_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_same_step_again_is_no_progress, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_warnings_have_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_history_has_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_summary_counts_warnings, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
