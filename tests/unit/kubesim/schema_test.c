/* An object against its schema: what is wrong with it, and what it is afterwards. */
#include "tests/unit/unit.h"

#include "crd/base/json.h"
#include "tests/kubesim/schema.h"
#include "tests/sim/tree.h"

#include <string.h>

/* The schema of spec.v in an object {"metadata":..., "spec":{"v":...}, "status":{"v":...}}. */
static const struct row {
	const char *name;
	const char *schema;
	const char *value;
	const char *becomes; /* NULL: as it is */
	const char *wrong;   /* part of what is refused; NULL: nothing */
} rows[] = {
	{"a string", "{\"type\":\"string\"}", "\"x\"", NULL, NULL},
	{"no string", "{\"type\":\"string\"}", "7", NULL, "spec.v in body must be of type string: \"integer\""},
	{"a boolean", "{\"type\":\"boolean\"}", "true", NULL, NULL},
	{"no boolean", "{\"type\":\"boolean\"}", "\"true\"", NULL, "must be of type boolean: \"string\""},
	{"an integer", "{\"type\":\"integer\"}", "7", NULL, NULL},
	{"no integer", "{\"type\":\"integer\"}", "7.5", NULL, "must be of type integer: \"number\""},
	{"an integer is a number", "{\"type\":\"number\"}", "7", NULL, NULL},
	{"no list", "{\"type\":\"array\",\"items\":{}}", "{}", NULL, "must be of type array: \"object\""},
	{"no object", "{\"type\":\"object\"}", "[]", NULL, "must be of type object: \"array\""},
	{"int or string: int", "{\"x-kubernetes-int-or-string\":true}", "7", NULL, NULL},
	{"int or string: string", "{\"x-kubernetes-int-or-string\":true}", "\"7\"", NULL, NULL},
	{"int or string: neither", "{\"x-kubernetes-int-or-string\":true}", "true", NULL, "must be of type integer,string"},
	{"null is absent", "{\"type\":\"string\"}", "null", "absent", NULL},
	{"null gets the default", "{\"type\":\"string\",\"default\":\"d\"}", "null", "\"d\"", NULL},
	{"null in a map is absent", "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}", "{\"a\":null}",
	 "{}", NULL},
	{"null in a list", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "[null]", NULL,
	 "spec.v[0] in body must be of type string: \"null\""},
	{"one of", "{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}", "\"b\"", NULL, NULL},
	{"none of", "{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}", "\"c\"", NULL,
	 "Unsupported value: \"c\": supported values: \"a\", \"b\""},
	{"none of, and of another type", "{\"type\":\"string\",\"enum\":[\"a\"]}", "7", NULL, "Unsupported value: 7"},
	{"a pattern", "{\"type\":\"string\",\"pattern\":\"^\\\\d+\\\\+?$\"}", "\"12+\"", NULL, NULL},
	{"no match", "{\"type\":\"string\",\"pattern\":\"^\\\\d+\\\\+?$\"}", "\"1x\"", NULL, "should match '^\\d+\\+?$'"},
	{"long enough", "{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}", "\"ab\"", NULL, NULL},
	{"too short", "{\"type\":\"string\",\"minLength\":2}", "\"a\"", NULL, "should be at least 2 chars long"},
	{"too long", "{\"type\":\"string\",\"maxLength\":3}", "\"abcd\"", NULL, "Too long: may not be more than 3 bytes"},
	{"characters are counted", "{\"type\":\"string\",\"maxLength\":3}", "\"\xc3\xa4\xc3\xa4\xc3\xa4\"", NULL, NULL},
	{"a time", "{\"type\":\"string\",\"format\":\"date-time\"}", "\"2026-01-01T00:00:00Z\"", NULL, NULL},
	{"no time", "{\"type\":\"string\",\"format\":\"date-time\"}", "\"2026-01-01\"", NULL, "must be of type date-time"},
	{"large enough", "{\"type\":\"integer\",\"minimum\":2,\"maximum\":3}", "2", NULL, NULL},
	{"too small", "{\"type\":\"integer\",\"minimum\":2}", "1", NULL, "should be greater than or equal to 2"},
	{"too large", "{\"type\":\"integer\",\"maximum\":3}", "4", NULL, "should be less than or equal to 3"},
	{"too few", "{\"type\":\"array\",\"minItems\":1,\"items\":{}}", "[]", NULL, "should have at least 1 items"},
	{"too many", "{\"type\":\"array\",\"maxItems\":1,\"items\":{}}", "[1,2]", NULL, "Too many: 2: must have at most 1 items"},
	{"an item", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "[\"a\",7]", NULL, "spec.v[1]: Invalid value"},
	{"keys differ", "{\"type\":\"array\",\"x-kubernetes-list-map-keys\":[\"id\"],\"items\":{\"type\":\"object\","
	 "\"properties\":{\"id\":{\"type\":\"string\"}}}}", "[{\"id\":\"a\"},{\"id\":\"b\"}]", NULL, NULL},
	{"keys twice", "{\"type\":\"array\",\"x-kubernetes-list-map-keys\":[\"id\"],\"items\":{\"type\":\"object\","
	 "\"properties\":{\"id\":{\"type\":\"string\"}}}}", "[{\"id\":\"a\"},{\"id\":\"a\"}]", NULL,
	 "spec.v[1]: Duplicate value: {\"id\":\"a\"}"},
	{"required", "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"string\"}}}", "{}", NULL,
	 "spec.v.a: Required value"},
	{"required, and null", "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"string\"}}}",
	 "{\"a\":null}", "{}", "spec.v.a: Required value"},
	{"defaults, deep inside", "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"default\":{},"
	 "\"properties\":{\"b\":{\"type\":\"integer\",\"default\":5}}}}}", "{}", "{\"a\":{\"b\":5}}", NULL},
	{"a default is no more than that", "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"default\":5}}}",
	 "{\"a\":6}", NULL, NULL},
	{"unknown fields go", "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":\"x\",\"b\":1}",
	 "{\"a\":\"x\"}", NULL},
	{"unknown fields stay", "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}", "{\"b\":{\"c\":1}}", NULL,
	 NULL},
	{"too many fields", "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,\"maxProperties\":1}",
	 "{\"a\":1,\"b\":2}", NULL, "Too many: 2: must have at most 1 items"},
	{"any of: the second", "{\"x-kubernetes-int-or-string\":true,\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
	 "\"x\"", NULL, NULL},
	{"any of: none", "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,"
	 "\"anyOf\":[{\"required\":[\"a\"]},{\"maxProperties\":0}]}", "{\"b\":1}", NULL, "must validate at least one schema"},
};

/* {"type":"object","properties":{FIELD:{"type":"object","properties":{"v":SCHEMA}}}} */
static cJSON *schema_of(const char *text, const char *field)
{
	cJSON *schema = cJSON_Parse("{\"type\":\"object\",\"properties\":{}}");
	cJSON *inner = tree_object(tree_object(schema, "properties"), field), *v = cJSON_Parse(text);

	assert_non_null(v);
	tree_put_str(inner, "type", "object");
	tree_put(tree_object(inner, "properties"), "v", v);
	return schema;
}

static cJSON *object_of(const char *value, const char *field)
{
	cJSON *tree = cJSON_CreateObject();

	tree_put(tree_object(tree, field), "v", cJSON_Parse(value));
	return tree;
}

static void run(void **state)
{
	const struct row *r = *state;
	cleanup_json cJSON *schema = schema_of(r->schema, "spec"), *tree = object_of(r->value, "spec");
	cleanup_json cJSON *becomes = cJSON_Parse(r->becomes ? r->becomes : r->value);
	cleanup_strbuf struct strbuf unknown = {0}, said = {0};
	struct refusal why = {0};

	schema_check(schema, tree, NULL, &why, &unknown);
	refusal_print(&why, &said);
	if (r->wrong)
		assert_non_null(strstr(strbuf_str(&said), r->wrong));
	else
		assert_string_equal(strbuf_str(&said), "");
	if (r->becomes && strcmp(r->becomes, "absent") == 0)
		assert_null(json_get(json_get(tree, "spec"), "v"));
	else
		assert_true(tree_equal(json_get(json_get(tree, "spec"), "v"), becomes));
}

static void unknown_fields_are_named(void **state)
{
	cleanup_json cJSON *schema = schema_of("{\"items\":{\"type\":\"object\",\"properties\":{}}}", "spec");
	cleanup_json cJSON *tree = cJSON_Parse("{\"metadata\":{\"name\":\"a\",\"x\":1},\"spec\":{\"v\":[{\"y\":2}]},\"z\":3}");
	cleanup_strbuf struct strbuf unknown = {0};
	struct refusal why = {0};

	(void)state;
	tree_put(tree_object(schema, "properties"), "metadata", cJSON_Parse("{\"type\":\"object\"}"));
	schema_check(schema, tree, NULL, &why, &unknown);
	assert_int_equal(why.count, 0);
	assert_non_null(strstr(strbuf_str(&unknown), "unknown field \"metadata.x\""));
	assert_non_null(strstr(strbuf_str(&unknown), "unknown field \"spec.v[0].y\""));
	assert_non_null(strstr(strbuf_str(&unknown), "unknown field \"z\""));
}

/* A status is checked alone, and named as the API server names it then. */
static void a_status_alone(void **state)
{
	cleanup_json cJSON *schema = schema_of("{\"type\":\"string\"}", "status"), *tree = object_of("7", "status");
	cleanup_strbuf struct strbuf unknown = {0}, said = {0};
	struct refusal why = {0};

	(void)state;
	tree_put(tree, "unknown", cJSON_CreateTrue());
	schema_check(schema, tree, "status", &why, &unknown);
	refusal_print(&why, &said);
	assert_string_equal(strbuf_str(&said),
	                    "status.v: Invalid value: \"integer\": v in body must be of type string: \"integer\"");
	assert_string_equal(strbuf_str(&unknown), "");
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + 2];

	UNIT_ROWS(tests, rows, run);
	tests[UNIT_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(unknown_fields_are_named);
	tests[UNIT_COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(a_status_alone);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
