#include "tests/unit/unit.h"

#include "reconcile/upgrade/version.h"

struct row {
	const char *name, *older, *newer;
};

/* The order of Semantic Versioning 2.0.0, section 11. */
static const struct row ordered[] = {
	{ "major", "1.9", "2.0" },
	{ "minor", "1.2", "1.10" },
	{ "patch", "1.2.9", "1.2.10" },
	{ "no patch is patch 0", "1.2", "1.2.1" },
	{ "digits are all ten", "1.8", "1.9" },
	{ "nine digits", "1.99999999", "1.999999999" },
	{ "a pre-release comes before its release", "1.0.0-rc", "1.0.0" },
	{ "of a short version too", "1.0-rc", "1.0" },
	{ "a release comes before the next one's pre-release", "1.0.0", "1.0.1-rc" },
	{ "words by their bytes", "1.0.0-alpha", "1.0.0-beta" },
	{ "a word before a longer one", "1.0.0-alpha", "1.0.0-alphabet" },
	{ "numbers as numbers", "1.0.0-beta.2", "1.0.0-beta.11" },
	{ "numbers of one length by their digits", "1.0.0-12", "1.0.0-13" },
	{ "a number before a word", "1.0.0-alpha.1", "1.0.0-alpha.beta" },
	{ "a number before a word that begins with a digit", "1.0.0-9", "1.0.0-1a" },
	{ "a long number before a short word", "1.0.0-123", "1.0.0-a" },
	{ "more parts", "1.0.0-alpha", "1.0.0-alpha.1" },
	{ "the first part that differs decides", "1.0.0-alpha.9.9", "1.0.0-beta.1" },
	{ "equal parts are passed over", "1.0.0-rc.1.1", "1.0.0-rc.1.2" },
	{ "an empty part is a word", "1.0.0-1.5.x", "1.0.0-1..x" },
	{ "an empty part comes before other words", "1.0.0-1..1", "1.0.0-1.a.1" },
	{ "the end of a part is no byte of it", "1.0.0-alpha.1", "1.0.0-alpha-1.1" },
	{ "nothing is read behind the end", "1.0.0-alpha\0zzz", "1.0.0-alpha.1" },
};

static const struct row equal[] = {
	{ "equal releases", "1.2.3", "1.2.3" },
	{ "no patch equals patch 0", "1.2", "1.2.0" },
	{ "equal pre-releases", "1.2.3-rc.1", "1.2.3-rc.1" },
};

static const struct row bad[] = {
	{ "empty", "", NULL },
	{ "a word", "two", NULL },
	{ "one number", "1", NULL },
	{ "one number and a dot", "1.", NULL },
	{ "two numbers and a dot", "1.2.", NULL },
	{ "four numbers", "1.2.3.4", NULL },
	{ "a leading v", "v1.2", NULL },
	{ "a sign", "-1.2", NULL },
	{ "a blank", "1.2 ", NULL },
	{ "no number between dots", "1..2", NULL },
	{ "a pre-release of nothing", "1.2.3-", NULL },
	{ "a number without a dot, with a pre-release", "1-rc", NULL },
	{ "ten digits", "1.1234567890", NULL },
	{ "a byte before the digits", "1./", NULL },
	{ "a byte after the digits", "1.:", NULL },
};

static void test_ordered(void **state)
{
	const struct row *row = *state;
	int order = 0;
	assert_true(version_compare(row->older, row->newer, &order));
	assert_true(order < 0);
	assert_true(version_compare(row->newer, row->older, &order));
	assert_true(order > 0);
}

static void test_equal(void **state)
{
	const struct row *row = *state;
	int order = 7;
	assert_true(version_compare(row->older, row->newer, &order));
	assert_int_equal(order, 0);
	assert_true(version_compare(row->newer, row->older, &order));
	assert_int_equal(order, 0);
}

static void test_bad(void **state)
{
	const struct row *row = *state;
	int order;
	assert_false(version_compare(row->older, "1.0", &order));
	assert_false(version_compare("1.0", row->older, &order));
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(ordered) + UNIT_COUNT(equal) + UNIT_COUNT(bad)];
	UNIT_ROWS(tests, ordered, test_ordered);
	UNIT_ROWS(tests + UNIT_COUNT(ordered), equal, test_equal);
	UNIT_ROWS(tests + UNIT_COUNT(ordered) + UNIT_COUNT(equal), bad, test_bad);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
