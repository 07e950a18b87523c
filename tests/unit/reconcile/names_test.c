#include "tests/unit/unit.h"

#include "reconcile/desired/names.h"

#include <stdio.h>
#include <string.h>

#define DIGITS 5

static const struct munged {
	const char *name, *cluster, *role, *want; /* all but the digits */
} munged[] = {
	{ "capitals, first and last", "shop", "AZ", "shop-az-" },
	{ "what is no capital stays", "shop", "az-09", "shop-az-09-" },
	{ "dots and underlines", "my.shop", "a_b", "my-shop-a-b-" },
	{ "a first digit, the least", "0shop", "a", "c0shop-a-" },
	{ "a first digit, the greatest", "9shop", "a", "c9shop-a-" },
};

static void test_munged(void **state)
{
	const struct munged *row = *state;
	cleanup_arena struct arena arena = { .chunks = NULL };
	const char *is = name_statefulset(&arena, row->cluster, row->role);

	assert_int_equal(strlen(is), strlen(row->want) + DIGITS);
	assert_memory_equal(is, row->want, strlen(row->want));
}

/* Lengths of the parts as given, and as they are in the name. */
static const struct cut {
	const char *name;
	size_t cluster, role, want_cluster, want_role;
} cuts[] = {
	{ "what fits stays whole", 22, 22, 22, 22 },
	{ "a long cluster that just fits", 42, 2, 42, 2 },
	{ "a cluster that is one too long", 43, 2, 42, 2 },
	{ "a role that is one too long", 2, 43, 2, 42 },
	{ "a cluster gets what the role leaves", 30, 21, 23, 21 },
	{ "a role gets what the cluster leaves", 21, 30, 21, 23 },
	{ "a long cluster beside half a name", 30, 22, 22, 22 },
	{ "a long role beside half a name", 22, 30, 22, 22 },
	{ "both long", 60, 60, 22, 22 },
};

static void test_cut(void **state)
{
	const struct cut *row = *state;
	cleanup_arena struct arena arena = { .chunks = NULL };
	char cluster[64], role[64], want[128];
	const char *is;

	memset(cluster, 'c', sizeof cluster);
	memset(role, 'r', sizeof role);
	cluster[row->cluster] = role[row->role] = '\0';
	snprintf(want, sizeof want, "%.*s-%.*s-", (int)row->want_cluster, cluster, (int)row->want_role, role);
	is = name_statefulset(&arena, cluster, role);
	assert_true(strlen(is) <= NAME_STATEFULSET_MAX);
	assert_int_equal(strlen(is), strlen(want) + DIGITS);
	assert_memory_equal(is, want, strlen(want));
}

static void test_names_that_look_alike_differ(void **state)
{
	cleanup_arena struct arena arena = { .chunks = NULL };

	(void)state;
	assert_string_not_equal(name_statefulset(&arena, "a-b", "c"), name_statefulset(&arena, "a", "b-c"));
	assert_string_not_equal(name_service(&arena, "a.b"), name_service(&arena, "a-b"));
}

int main(void)
{
	struct CMUnitTest munged_tests[UNIT_COUNT(munged)], cut_tests[UNIT_COUNT(cuts)];
	const struct CMUnitTest others[] = { cmocka_unit_test(test_names_that_look_alike_differ) };

	UNIT_ROWS(munged_tests, munged, test_munged);
	UNIT_ROWS(cut_tests, cuts, test_cut);
	return cmocka_run_group_tests(munged_tests, NULL, NULL) + cmocka_run_group_tests(cut_tests, NULL, NULL) +
	       cmocka_run_group_tests(others, NULL, NULL);
}
