#include "tests/unit/unit.h"

#include "crd/base/json.h"

#include <stdio.h>
#include <string.h>

struct parse_row {
	const char *name;
	const char *text;
	const char *printed; /* NULL: an error */
	enum err_kind kind;
	const char *message;
};

static const struct parse_row parse_rows[] = {
	{ "object", " {\"a\" : [1, true, null, \"x\"]} \n", "{\"a\":[1,true,null,\"x\"]}", ERR_NONE, NULL },
	{ "largest integers", "[9007199254740991,-9007199254740992]", "[9007199254740991,-9007199254740992]", ERR_NONE, NULL },
	{ "fractions", "[0.1,1.5e300,-2.25]", "[0.1,1.5e+300,-2.25]", ERR_NONE, NULL },
	{ "digits that matter", "0.30000000000000004", "0.30000000000000004", ERR_NONE, NULL },
	{ "1e3 is an integer", "1e3", "1000", ERR_NONE, NULL },
	{ "too large a number", "1e999", "null", ERR_NONE, NULL },
	{ "escapes", "\"\\u00e9\\n\\\"\"", "\"\xc3\xa9\\n\\\"\"", ERR_NONE, NULL },
	{ "empty ones", "[{},[],\"\"]", "[{},[],\"\"]", ERR_NONE, NULL },
	{ "nothing", "", NULL, ERR_INVALID, "not JSON: error at byte 0" },
	{ "cut", "{\"a\":", NULL, ERR_INVALID, "not JSON" },
	{ "something follows", "{} {}", NULL, ERR_INVALID, "something follows its end at byte 3" },
	{ "half a surrogate", "\"\\ud83d\"", NULL, ERR_INVALID, "not JSON" },
	{ "HTML", "<html>", NULL, ERR_INVALID, "not JSON: error at byte 0" },
	{ "brackets inside text", "\"[[[\\\"[[[\"", "\"[[[\\\"[[[\"", ERR_NONE, NULL },
};

static void parse_and_print(void **state)
{
	const struct parse_row *row = *state;
	struct err err = { 0 };
	cleanup_json cJSON *tree = json_parse(row->text, strlen(row->text), &err);
	if (!row->printed) {
		assert_null(tree);
		assert_int_equal(err.kind, row->kind);
		assert_non_null(strstr(err.msg, row->message));
		return;
	}
	assert_non_null(tree);
	cleanup_strbuf struct strbuf out = { 0 };
	json_print(tree, &out);
	assert_string_equal(strbuf_str(&out), row->printed);
}

static void depth_is_bounded(void **state)
{
	(void)state;
	char text[2 * JSON_DEPTH_MAX + 2];
	for (int depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		struct err err = { 0 };
		cleanup_json cJSON *tree = json_parse(text, 2 * (size_t)depth, &err);
		assert_int_equal(tree != NULL, depth == JSON_DEPTH_MAX);
		assert_int_equal(err.kind, depth == JSON_DEPTH_MAX ? ERR_NONE : ERR_LIMIT);
	}
}

/* The same number of brackets behind PREFIX, which is the beginning of a string or a whole one. */
static bool is_taken(const char *prefix, const char *suffix)
{
	char text[JSON_DEPTH_MAX + 64];
	int len = snprintf(text, sizeof(text), "%s", prefix);
	memset(text + len, '[', JSON_DEPTH_MAX + 1);
	len += JSON_DEPTH_MAX + 1;
	len += snprintf(text + len, sizeof(text) - (size_t)len, "%s", suffix);
	struct err err = { 0 };
	cleanup_json cJSON *tree = json_parse(text, (size_t)len, &err);
	assert_int_equal(err.kind == ERR_LIMIT, !tree);
	return tree;
}

static void brackets_in_text_are_no_depth(void **state)
{
	(void)state;
	assert_true(is_taken("\"", "\""));
	assert_true(is_taken("\"\\\"", "\""));
	assert_true(is_taken("\"\\\\\\\"", "\\\\\""));
	assert_true(is_taken("[\"\",\"", "\"]"));
	assert_false(is_taken("[\"\\\\\",", "\""));
	assert_false(is_taken("[\"\",", ""));
}

static void length_counts(void **state)
{
	(void)state;
	cleanup_json cJSON *tree = json_parse("[1]]]", 3, NULL);
	assert_non_null(tree);
	assert_null(json_parse("[1]", 2, NULL));
}

static void access_by_key(void **state)
{
	(void)state;
	static const char text[] = "{\"s\":\"x\",\"S\":\"y\",\"n\":7,\"f\":1.5,\"big\":9007199254740994,\"z\":null,\"t\":true}";
	cleanup_json cJSON *tree = json_parse(text, sizeof(text) - 1, NULL);
	assert_string_equal(json_str(tree, "s"), "x");
	assert_string_equal(json_str(tree, "S"), "y");
	assert_null(json_str(tree, "n"));
	assert_null(json_get(tree, "z"));
	assert_null(json_get(tree, "none"));
	assert_null(json_get(NULL, "s"));
	assert_null(json_get(json_get(tree, "s"), "s"));
	assert_int_equal(json_int(tree, "n", -1), 7);
	assert_int_equal(json_int(tree, "f", -1), -1);
	assert_int_equal(json_int(tree, "big", -1), -1);
	assert_int_equal(json_int(tree, "s", -1), -1);
	assert_true(json_bool(tree, "t"));
	assert_false(json_bool(tree, "n"));
	assert_false(json_bool(tree, "none"));
}

struct overlay_row {
	const char *name, *base, *over, *result;
};

static const struct overlay_row overlay_rows[] = {
	{ "no overlay", "{\"a\":1}", NULL, "{\"a\":1}" },
	{ "new key", "{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}" },
	{ "same key", "{\"a\":1,\"b\":1}", "{\"a\":2}", "{\"a\":2,\"b\":1}" },
	{ "objects are merged", "{\"m\":{\"a\":1,\"b\":{\"c\":1}}}", "{\"m\":{\"b\":{\"d\":2}}}",
	  "{\"m\":{\"a\":1,\"b\":{\"c\":1,\"d\":2}}}" },
	{ "case counts", "{\"a\":1}", "{\"A\":2}", "{\"a\":1,\"A\":2}" },
	{ "null replaces", "{\"a\":{\"b\":1}}", "{\"a\":null}", "{\"a\":null}" },
	{ "another type replaces", "{\"a\":[1],\"b\":{}}", "{\"a\":{},\"b\":1}", "{\"a\":{},\"b\":1}" },
	{ "plain lists are replaced", "{\"l\":[1,2,3]}", "{\"l\":[4]}", "{\"l\":[4]}" },
	{ "named lists are merged in base's order", "{\"l\":[{\"name\":\"b\",\"v\":1},{\"name\":\"a\",\"v\":1}]}",
	  "{\"l\":[{\"name\":\"c\"},{\"name\":\"a\",\"w\":2}]}",
	  "{\"l\":[{\"name\":\"b\",\"v\":1},{\"name\":\"a\",\"v\":1,\"w\":2},{\"name\":\"c\"}]}" },
	{ "one item without a name replaces", "{\"l\":[{\"name\":\"a\"}]}", "{\"l\":[{\"name\":\"b\"},{\"v\":1}]}",
	  "{\"l\":[{\"name\":\"b\"},{\"v\":1}]}" },
	{ "a name must be text", "[{\"name\":1}]", "[{\"name\":2}]", "[{\"name\":2}]" },
	{ "named lists within named lists", "[{\"name\":\"app\",\"env\":[{\"name\":\"A\",\"value\":\"1\"}]}]",
	  "[{\"name\":\"app\",\"env\":[{\"name\":\"B\",\"value\":\"2\"},{\"name\":\"A\",\"value\":\"3\"}]}]",
	  "[{\"name\":\"app\",\"env\":[{\"name\":\"A\",\"value\":\"3\"},{\"name\":\"B\",\"value\":\"2\"}]}]" },
	{ "an empty list adds nothing", "[{\"name\":\"a\"}]", "[]", "[{\"name\":\"a\"}]" },
	{ "roots that are no objects", "1", "\"x\"", "\"x\"" },
	{ "numbers keep their value", "{\"n\":9007199254740991}", "{\"m\":0.1}", "{\"n\":9007199254740991,\"m\":0.1}" },
	{ "broken base", "{", "{}", NULL },
	{ "broken overlay", "{}", "}", NULL },
};

static void overlay(void **state)
{
	const struct overlay_row *row = *state;
	struct err err = { 0 };
	cleanup_strbuf struct strbuf out = { 0 };
	int rc = json_overlay(row->base, row->over, &out, &err);
	assert_int_equal(rc, row->result ? 0 : -1);
	assert_string_equal(strbuf_str(&out), row->result ? row->result : "");
	assert_int_equal(err.kind, row->result ? ERR_NONE : ERR_INVALID);
}

int main(void)
{
	struct CMUnitTest parsing[UNIT_COUNT(parse_rows)], overlays[UNIT_COUNT(overlay_rows)];
	UNIT_ROWS(parsing, parse_rows, parse_and_print);
	UNIT_ROWS(overlays, overlay_rows, overlay);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(brackets_in_text_are_no_depth),
		cmocka_unit_test(length_counts),
		cmocka_unit_test(access_by_key),
	};
	int failed = cmocka_run_group_tests(parsing, NULL, NULL);
	failed += cmocka_run_group_tests(overlays, NULL, NULL);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
