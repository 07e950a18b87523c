#include "tests/unit/unit.h"

#include "crd/base/arena.h"
#include "crd/base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACED "\xef\xbf\xbd"

struct json_row {
	const char *name, *in, *out;
};

static const struct json_row json_rows[] = {
	{ "empty", "", "\"\"" },
	{ "plain", "web-0.shop", "\"web-0.shop\"" },
	{ "quote and backslash", "a\"b\\c", "\"a\\\"b\\\\c\"" },
	{ "short escapes", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
	{ "ESC and DEL", "\x1b[0m\x7f", "\"\\u001b[0m\\u007f\"" },
	{ "two, three, four bytes", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
	{ "line separator", "\xe2\x80\xa8", "\"\xe2\x80\xa8\"" },
	{ "last code point", "\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"" },
	{ "beyond the last", "\xf4\x90\x80\x80", "\"" REPLACED REPLACED REPLACED REPLACED "\"" },
	{ "bytes of no character", "a\xff\xfe" "b", "\"a" REPLACED REPLACED "b\"" },
	{ "lone tail", "\x80", "\"" REPLACED "\"" },
	{ "cut at the end, two of three", "x\xe2\x82", "\"x" REPLACED REPLACED "\"" },
	{ "cut at the end, three of four", "\xf0\x9f\x98", "\"" REPLACED REPLACED REPLACED "\"" },
	{ "cut in the middle", "\xe2\x82" "a", "\"" REPLACED REPLACED "a\"" },
	{ "overlong slash", "\xc0\xaf", "\"" REPLACED REPLACED "\"" },
	{ "overlong, three bytes", "\xe0\x80\xaf", "\"" REPLACED REPLACED REPLACED "\"" },
	{ "overlong, four bytes", "\xf0\x80\x80\xaf", "\"" REPLACED REPLACED REPLACED REPLACED "\"" },
	{ "half a surrogate", "\xed\xa0\xbd", "\"" REPLACED REPLACED REPLACED "\"" },
	{ "last before the surrogates", "\xed\x9f\xbf", "\"\xed\x9f\xbf\"" },
	{ "latin-1", "caf\xe9!", "\"caf" REPLACED "!\"" },
};

static void json_text(void **state)
{
	const struct json_row *row = *state;
	cleanup_strbuf struct strbuf b = { 0 };
	strbuf_add_json(&b, row->in);
	assert_string_equal(strbuf_str(&b), row->out);
}

static void building(void **state)
{
	(void)state;
	cleanup_strbuf struct strbuf b = { 0 };
	assert_string_equal(strbuf_str(&b), "");
	strbuf_add(&b, "", 0);
	strbuf_adds(&b, "a");
	strbuf_addc(&b, 'b');
	strbuf_addf(&b, "%d%s", 12, "!");
	strbuf_addf(&b, "%s", "");
	assert_string_equal(strbuf_str(&b), "ab12!");
	for (int i = 0; i < 10000; i++)
		strbuf_addf(&b, "%d,", i);
	assert_int_equal(b.len, strlen(strbuf_str(&b)));
	strbuf_clear(&b);
	assert_string_equal(strbuf_str(&b), "");
	strbuf_adds(&b, "again");
	assert_string_equal(strbuf_str(&b), "again");
}

static void the_cap_cuts_and_says_so(void **state)
{
	(void)state;
	cleanup_strbuf struct strbuf b = { .cap = 10 };
	strbuf_adds(&b, "123456789");
	assert_false(b.full);
	strbuf_addf(&b, "%s", "abc");
	assert_true(b.full);
	assert_string_equal(strbuf_str(&b), "123456789a");
	strbuf_adds(&b, "x");
	strbuf_addf(&b, "y");
	assert_string_equal(strbuf_str(&b), "123456789a");
	strbuf_clear(&b);
	assert_false(b.full);
	strbuf_adds(&b, "1234567890");
	assert_false(b.full);
	assert_int_equal(b.len, 10);
}

static void integers(void **state)
{
	(void)state;
	static const int64_t values[] = { 0, 9, -10, 1234567890123, INT64_MAX, INT64_MIN };
	cleanup_strbuf struct strbuf b = { 0 };
	char wanted[32];
	for (size_t i = 0; i < UNIT_COUNT(values); i++) {
		strbuf_clear(&b);
		strbuf_add_int(&b, values[i]);
		snprintf(wanted, sizeof(wanted), "%lld", (long long)values[i]);
		assert_string_equal(strbuf_str(&b), wanted);
	}
}

static void taking(void **state)
{
	(void)state;
	cleanup_strbuf struct strbuf b = { .cap = 100 };
	char *none = strbuf_take(&b);
	assert_string_equal(none, "");
	free(none);
	strbuf_adds(&b, "mine");
	char *mine = strbuf_take(&b);
	assert_string_equal(mine, "mine");
	free(mine);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.cap, 100);
	strbuf_release(NULL);
}

static void memory_of_an_arena(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	cleanup_strbuf struct strbuf b = { .arena = &a };
	for (int i = 0; i < 1000; i++)
		strbuf_adds(&b, "0123456789");
	char *text = strbuf_take(&b);
	assert_int_equal(strlen(text), 10000);
	strbuf_adds(&b, "next");
	assert_string_equal(strbuf_str(&b), "next");
	assert_memory_equal(text + 9990, "0123456789", 11);
}

int main(void)
{
	struct CMUnitTest rows[UNIT_COUNT(json_rows)];
	UNIT_ROWS(rows, json_rows, json_text);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(building),
		cmocka_unit_test(the_cap_cuts_and_says_so),
		cmocka_unit_test(integers),
		cmocka_unit_test(taking),
		cmocka_unit_test(memory_of_an_arena),
	};
	int failed = cmocka_run_group_tests(rows, NULL, NULL);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
