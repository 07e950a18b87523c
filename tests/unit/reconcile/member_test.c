#include "tests/unit/unit.h"

#include "reconcile/member/member.h"

#include <string.h>

#define REASON_MAX 256 /* the CRD's maxLength of configErrorDetail */

static void test_long_reason_is_cut(void **state)
{
	cleanup_arena struct arena a = { .chunks = NULL };
	struct draft d = { .arena = &a };
	struct state_detail detail = { .down_since = 0 };
	struct member m = { .state_detail = &detail };
	char why[REASON_MAX + 2];

	(void)state;
	memset(why, 'x', sizeof why);
	why[REASON_MAX + 1] = '\0';
	member_set_config_error(&d, &m, why);
	assert_int_equal(m.state, MEMBER_STATE_CONFIG_ERROR);
	assert_int_equal(strlen(detail.config_error_detail), REASON_MAX);
	why[REASON_MAX] = '\0';
	member_set_config_error(&d, &m, why);
	assert_int_equal(strlen(detail.config_error_detail), REASON_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_long_reason_is_cut) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
