#include "tests/unit/unit.h"

#include "crd/base/time.h"

struct time_row {
	const char *name; /* the text */
	int result;
	int64_t ms;
	const char *again; /* what it is written as; NULL: the same */
};

static const struct time_row rows[] = {
	{ "1970-01-01T00:00:00Z", 0, 0, NULL },
	{ "2026-11-30T22:36:32Z", 0, 1796078192000, NULL },
	{ "2026-11-30T22:36:32.123Z", 0, 1796078192123, NULL },
	{ "2026-11-30T22:36:32.007Z", 0, 1796078192007, NULL },
	{ "2026-11-30T22:36:32.123456789Z", 0, 1796078192123, "2026-11-30T22:36:32.123Z" },
	{ "2026-11-30T22:36:32.5Z", 0, 1796078192500, "2026-11-30T22:36:32.500Z" },
	{ "2026-12-01T00:36:32+02:00", 0, 1796078192000, "2026-11-30T22:36:32Z" },
	{ "2026-11-30T17:06:32-05:30", 0, 1796078192000, "2026-11-30T22:36:32Z" },
	{ "2026-11-30t22:36:32z", 0, 1796078192000, "2026-11-30T22:36:32Z" },
	{ "2024-02-29T12:00:00Z", 0, 1709208000000, NULL },
	{ "2000-02-29T00:00:00Z", 0, 951782400000, NULL },
	{ "1969-12-31T23:59:59.999Z", 0, -1, NULL },
	{ "1900-03-01T00:00:00Z", 0, -2203891200000, NULL },
	{ "9999-12-31T23:59:59.999Z", 0, 253402300799999, NULL },
	{ "0000-01-01T00:00:00Z", 0, -62167219200000, NULL },
	{ "2016-12-31T23:59:60Z", 0, 1483228800000, "2017-01-01T00:00:00Z" },
	{ "2023-02-29T00:00:00Z", -1, 0, NULL },
	{ "1900-02-29T00:00:00Z", -1, 0, NULL },
	{ "2026-13-01T00:00:00Z", -1, 0, NULL },
	{ "2026-00-10T00:00:00Z", -1, 0, NULL },
	{ "2026-04-31T00:00:00Z", -1, 0, NULL },
	{ "2026-01-00T00:00:00Z", -1, 0, NULL },
	{ "2026-01-01T24:00:00Z", -1, 0, NULL },
	{ "2026-01-01T00:60:00Z", -1, 0, NULL },
	{ "2026-01-01T00:00:61Z", -1, 0, NULL },
	{ "2026-01-01T00:00:00", -1, 0, NULL },
	{ "2026-01-01T00:00:00.Z", -1, 0, NULL },
	{ "2026-01-01T00:00:00+2:00", -1, 0, NULL },
	{ "2026-01-01T00:00:00+24:00", -1, 0, NULL },
	{ "2026-01-01T00:00:00Z ", -1, 0, NULL },
	{ "2026-1-1T00:00:00Z", -1, 0, NULL },
	{ "2026-01-01", -1, 0, NULL },
	{ "-026-01-01T00:00:00Z", -1, 0, NULL },
	{ "1796078192", -1, 0, NULL },
	{ "", -1, 0, NULL },
};

static void one_time(void **state)
{
	const struct time_row *row = *state;
	int64_t ms = 42;
	assert_int_equal(time_parse(row->name, &ms), row->result);
	if (row->result < 0) {
		assert_int_equal(ms, 42);
		return;
	}
	assert_int_equal(ms, row->ms);
	char text[TIME_TEXT_MAX];
	time_format(ms, text);
	assert_string_equal(text, row->again ? row->again : row->name);
}

static void micro_seconds(void **state)
{
	(void)state;
	char text[TIME_TEXT_MAX];
	time_format_micro(1796078192000, text);
	assert_string_equal(text, "2026-11-30T22:36:32.000000Z");
	time_format_micro(1796078192045, text);
	assert_string_equal(text, "2026-11-30T22:36:32.045000Z");
}

static void years_of_four_digits(void **state)
{
	(void)state;
	char text[TIME_TEXT_MAX];
	time_format(INT64_MAX, text);
	assert_string_equal(text, "9999-12-31T23:59:59.999Z");
	time_format(INT64_MIN, text);
	assert_string_equal(text, "0000-01-01T00:00:00Z");
}

int main(void)
{
	struct CMUnitTest table[UNIT_COUNT(rows)];
	UNIT_ROWS(table, rows, one_time);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(micro_seconds),
		cmocka_unit_test(years_of_four_digits),
	};
	int failed = cmocka_run_group_tests(table, NULL, NULL);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
