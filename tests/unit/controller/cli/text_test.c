#include "controller/cli/nearest.h"
#include "controller/cli/text.h"
#include "tests/unit/unit.h"

#include <string.h>

struct row {
	const char *name;
	const char *text;
	size_t width; /* of shorten and line */
	const char *want;
};

static const struct row clean_rows[] = {
	{ "plain text stays", "it is well", 0, "it is well" },
	{ "lines become one", "a\nb\tc", 0, "a b c" },
	{ "no escape sequences", "\033[31mred\033[0m", 0, " [31mred [0m" },
	{ "nor their one-byte forms", "a\xc2\x9b" "31m\x7f", 0, "a 31m " },
	{ "UTF-8 stays", "\u00e9\u4e2d\U0001f600", 0, "\u00e9\u4e2d\U0001f600" },
	{ "what is no UTF-8", "a\xff" "b\xc3", 0, "a?b?" },
	{ "nothing", "", 0, "" },
};

static const struct row shorten_rows[] = {
	{ "what fits stays", "shop-db-0", 9, "shop-db-0" },
	{ "the ends are kept", "shop-db-9c8d7-10", 10, "shop..7-10" },
	{ "at least three", "shop", 3, "..p" },
	{ "characters, not bytes", "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 4, "\u00e9..\u00e9" },
};

static const struct row line_rows[] = {
	{ "all of it", "one two", 7, "one two" },
	{ "between words", "one two", 6, "one" },
	{ "at a word's end", "one two", 3, "one" },
	{ "no blanks at its end", "one   two", 5, "one" },
	{ "a word too long", "abcdefgh", 5, "abcde" },
	{ "characters, not bytes", "\u00e9\u00e9\u00e9 \u00e9", 4, "\u00e9\u00e9\u00e9" },
	{ "nothing", "", 5, "" },
};

struct span_row {
	const char *name;
	int64_t s;
	const char *want;
};

static const struct span_row span_rows[] = {
	{ "clocks that differ", -5, "0s" },     { "seconds", 119, "119s" },
	{ "minutes", 120, "2m" },               { "minutes and seconds", 599, "9m59s" },
	{ "more minutes", 601, "10m" },         { "hours", 3 * 3600, "3h" },
	{ "hours and minutes", 27000, "7h30m" }, { "a day", 86400, "24h" },
	{ "days and hours", 176400, "2d1h" },   { "days", 86400 * 300, "300d" },
	{ "years", 86400LL * 365 * 3, "3y" },   { "years and days", 86400LL * (365 * 3 + 20), "3y20d" },
};

struct nearest_row {
	const char *name, *text, *want; /* of the words below */
};

static const char *const words[] = { "get", "queue", "retry", "skip", "give-up", "pause", "resume", "rollback" };

static const struct nearest_row nearest_rows[] = {
	{ "itself", "skip", "skip" },
	{ "a letter left out", "rtry", "retry" },
	{ "a letter too many", "queuee", "queue" },
	{ "another letter", "geb", "get" },
	{ "two swapped", "gte", "get" },
	{ "a hyphen left out", "giveup", "give-up" },
	{ "two mistakes in a long word", "rolbakc", "rollback" },
	{ "nothing like it", "frobnicate", NULL },
	{ "two mistakes in a short one", "xyt", NULL },
	{ "nothing", "", NULL },
	{ "longer than any word", "rollbackrollbackrollbackrollbackrollbackrollbackrollbackrollbackrollback", NULL },
};

static void test_clean(void **state)
{
	const struct row *row = *state;
	cleanup_arena struct arena a = { 0 };

	assert_string_equal(text_clean(&a, row->text), row->want);
}

static void test_shorten(void **state)
{
	const struct row *row = *state;
	cleanup_arena struct arena a = { 0 };

	assert_string_equal(text_shorten(&a, row->text, row->width), row->want);
	assert_true(text_width(row->want) <= row->width);
}

static void test_line(void **state)
{
	const struct row *row = *state;

	assert_int_equal(text_line(row->text, row->width), strlen(row->want));
	assert_memory_equal(row->text, row->want, strlen(row->want));
}

static void test_span(void **state)
{
	const struct span_row *row = *state;
	cleanup_arena struct arena a = { 0 };

	assert_string_equal(text_span(&a, row->s * 1000 + 999), row->want);
}

static void test_nearest(void **state)
{
	const struct nearest_row *row = *state;
	const char *got = nearest(row->text, words, UNIT_COUNT(words));

	assert_true(!got == !row->want);
	if (got)
		assert_string_equal(got, row->want);
}

static void test_suggest(void **state)
{
	cleanup_arena struct arena a = { 0 };

	(void)state;
	assert_string_equal(nearest_suggest(&a, "gte", words, 3), ": did you mean get? There are: get, queue, retry");
	assert_string_equal(nearest_suggest(&a, "frobnicate", words, UNIT_COUNT(words)),
	                    "; there are: get, queue, retry, skip, give-up, pause and 2 more");
	assert_string_equal(nearest_suggest(&a, "x", words, 0), "");
}

#define RUN_ROWS(rows, run)                                            \
	do {                                                           \
		struct CMUnitTest tests[UNIT_COUNT(rows)];             \
		UNIT_ROWS(tests, rows, run);                           \
		failed += cmocka_run_group_tests(tests, NULL, NULL);   \
	} while (0)

int main(void)
{
	const struct CMUnitTest others[] = { cmocka_unit_test(test_suggest) };
	int failed = cmocka_run_group_tests(others, NULL, NULL);

	RUN_ROWS(clean_rows, test_clean);
	RUN_ROWS(shorten_rows, test_shorten);
	RUN_ROWS(line_rows, test_line);
	RUN_ROWS(span_rows, test_span);
	RUN_ROWS(nearest_rows, test_nearest);
	return failed;
}
