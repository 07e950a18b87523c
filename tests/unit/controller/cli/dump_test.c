#include "controller/cli/dump.h"
#include "crd/base/yaml.h"
#include "tests/unit/unit.h"

#include <string.h>

struct row {
	const char *name;
	const char *json; /* what is printed */
	const char *as_json, *as_yaml;
};

static const struct row rows[] = {
	{ "an object", "{\"a\":1,\"b\":{\"c\":[1,true,null]}}",
	  "{\n    \"a\": 1,\n    \"b\": {\n        \"c\": [\n            1,\n            true,\n            null\n        ]\n    }\n}\n",
	  "a: 1\nb:\n  c:\n  - 1\n  - true\n  - null\n" },
	{ "nothing in it", "{\"a\":{},\"b\":[]}", "{\n    \"a\": {},\n    \"b\": []\n}\n", "a: {}\nb: []\n" },
	{ "large integers", "{\"a\":9007199254740991}", "{\n    \"a\": 9007199254740991\n}\n", "a: 9007199254740991\n" },
	{ "text", "{\"a\":\"it is well\"}", "{\n    \"a\": \"it is well\"\n}\n", "a: it is well\n" },
	{ "text like something else", "[\"true\",\"no\",\"1\",\"1e3\",\"\",\"~\"]",
	  "[\n    \"true\",\n    \"no\",\n    \"1\",\n    \"1e3\",\n    \"\",\n    \"~\"\n]\n",
	  "- \"true\"\n- \"no\"\n- \"1\"\n- \"1e3\"\n- \"\"\n- \"~\"\n" },
	{ "text that only other readers misread", "[\"2026-01-02T03:04:05Z\",\"12:30\",\"<<\",\"=\"]",
	  "[\n    \"2026-01-02T03:04:05Z\",\n    \"12:30\",\n    \"<<\",\n    \"=\"\n]\n",
	  "- \"2026-01-02T03:04:05Z\"\n- \"12:30\"\n- \"<<\"\n- \"=\"\n" },
	{ "text with signs of YAML", "[\"a: b\",\"- a\",\"# a\",\"a #b\",\"{a\",\"'a\",\"5/6\"]",
	  "[\n    \"a: b\",\n    \"- a\",\n    \"# a\",\n    \"a #b\",\n    \"{a\",\n    \"'a\",\n    \"5/6\"\n]\n",
	  "- \"a: b\"\n- \"- a\"\n- \"# a\"\n- \"a #b\"\n- \"{a\"\n- \"'a\"\n- 5/6\n" },
	{ "lines", "{\"a\":\"one\\ntwo\\n\"}", "{\n    \"a\": \"one\\ntwo\\n\"\n}\n", "a: |\n  one\n  two\n" },
	{ "control characters", "{\"a\":\"x\\u001b[31m\"}", "{\n    \"a\": \"x\\u001b[31m\"\n}\n", "a: \"x\\e[31m\"\n" },
	{ "keys like numbers", "{\"1\":\"a\"}", "{\n    \"1\": \"a\"\n}\n", "\"1\": a\n" },
	{ "UTF-8", "{\"a\":\"\u00e9\u4e2d\"}", "{\n    \"a\": \"\u00e9\u4e2d\"\n}\n", "a: \u00e9\u4e2d\n" },
	{ "one value", "3", "3\n", "3\n" },
};

static cJSON *parse(const char *json)
{
	struct err err = { 0 };
	cJSON *tree = json_parse(json, strlen(json), &err);

	assert_string_equal(err.msg, "");
	return tree;
}

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_json cJSON *tree = parse(row->json);
	cleanup_strbuf struct strbuf json = { 0 }, yaml = { 0 }, again = { 0 };

	dump_json(tree, &json);
	assert_string_equal(strbuf_str(&json), row->as_json);
	dump_yaml(tree, &yaml);
	assert_string_equal(strbuf_str(&yaml), row->as_yaml);
	/* Read back, it is what it was. */
	cleanup_json cJSON *read = yaml_parse(strbuf_str(&yaml), yaml.len, NULL);
	assert_non_null(read);
	json_print(read, &again);
	assert_string_equal(strbuf_str(&again), row->json);
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows)];

	UNIT_ROWS(tests, rows, test_row);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
