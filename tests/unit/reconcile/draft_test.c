#include "reconcile/draft.h"

#include "tests/unit/unit.h"

static enum step_result note(struct draft *d)
{
	draft_note(d, "did %d", 7);
	return STEP_NEXT;
}

static enum step_result stop(struct draft *d)
{
	(void)d;
	return STEP_STOP;
}

/* What a pass did, for people: a step a line, and behind it what it decided. */
static void test_trace(void **state)
{
	static const struct step steps[] = { { "one", note, ALWAYS }, { "two", stop, ALWAYS }, { "three", note, ALWAYS } };
	struct object_meta meta = { .name = "c" };
	struct cluster cluster = { .metadata = &meta };
	const struct snapshot s = { .cluster = &cluster };
	cleanup_arena struct arena arena = { 0 };
	struct draft d;

	(void)state;
	draft_begin(&d, &s, &arena);
	draft_run(&d, steps, 3);
	assert_string_equal(draft_verdict(&d).trace, "one; did 7\ntwo");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
