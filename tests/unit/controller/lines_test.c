#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/net/lines.h"

static void test_silence(void **state)
{
	struct lines l = { 0 };

	(void)state;
	assert_true(lines_is_silent(&l, 4000, 10));
	lines_hear(&l, 4000, 10);
	assert_false(lines_is_silent(&l, 4000, 10));
	assert_true(lines_is_silent(&l, 4000, 11));
	lines_hear(&l, 4000, 20);
	assert_false(lines_is_silent(&l, 4000, 11));
	assert_true(lines_is_silent(&l, 4001, 11));
}

static void test_the_oldest_is_overwritten(void **state)
{
	struct lines l = { 0 };

	(void)state;
	for (long port = 1; port <= LINES_MAX + 1; port++)
		lines_hear(&l, port, 10);
	assert_true(lines_is_silent(&l, 1, 10));
	for (long port = 2; port <= LINES_MAX + 1; port++)
		assert_false(lines_is_silent(&l, port, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_the_oldest_is_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
