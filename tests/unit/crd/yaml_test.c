#include "tests/unit/unit.h"

#include "crd/base/json.h"
#include "crd/base/yaml.h"

#include <string.h>

struct row {
	const char *name;   /* the YAML */
	const char *result; /* all its documents as JSON, or the error */
};

static const struct row good[] = {
	/* what is a boolean, null or text */
	{ "a: yes", "[{\"a\":true}]" },
	{ "a: Yes", "[{\"a\":true}]" },
	{ "a: on", "[{\"a\":true}]" },
	{ "a: True", "[{\"a\":true}]" },
	{ "a: TRUE", "[{\"a\":true}]" },
	{ "a: y", "[{\"a\":true}]" },
	{ "a: no", "[{\"a\":false}]" },
	{ "a: Off", "[{\"a\":false}]" },
	{ "a: N", "[{\"a\":false}]" },
	{ "a: tRUE", "[{\"a\":\"tRUE\"}]" },
	{ "a: \"true\"", "[{\"a\":\"true\"}]" },
	{ "a: 'no'", "[{\"a\":\"no\"}]" },
	{ "a: ~", "[{\"a\":null}]" },
	{ "a: null", "[{\"a\":null}]" },
	{ "a:", "[{\"a\":null}]" },
	{ "a: ''", "[{\"a\":\"\"}]" },
	{ "a: |\n  no\n", "[{\"a\":\"no\\n\"}]" },
	{ "a: >-\n  1\n  2\n", "[{\"a\":\"1 2\"}]" },
	{ "a: !!str 12", "[{\"a\":\"12\"}]" },
	/* numbers */
	{ "version: 1.10", "[{\"version\":1.1}]" },
	{ "version: 1.10.0", "[{\"version\":\"1.10.0\"}]" },
	{ "mode: 0644", "[{\"mode\":420}]" },
	{ "mode: 0o644", "[{\"mode\":420}]" },
	{ "mode: 0689", "[{\"mode\":689}]" },
	{ "mode: \"0644\"", "[{\"mode\":\"0644\"}]" },
	{ "port: 1_000", "[{\"port\":1000}]" },
	{ "port: 0x1F", "[{\"port\":31}]" },
	{ "port: 0b101", "[{\"port\":5}]" },
	{ "port: 1e3", "[{\"port\":1000}]" },
	{ "port: -17", "[{\"port\":-17}]" },
	{ "port: +17", "[{\"port\":17}]" },
	{ "n: .5", "[{\"n\":0.5}]" },
	{ "n: 5.", "[{\"n\":5}]" },
	{ "n: 9007199254740992", "[{\"n\":9007199254740992}]" },
	{ "id: \"12345678901234567890\"", "[{\"id\":\"12345678901234567890\"}]" },
	{ "a: 0x", "[{\"a\":\"0x\"}]" },
	{ "a: 1e", "[{\"a\":\"1e\"}]" },
	{ "a: 12:30:45", "[{\"a\":\"12:30:45\"}]" },
	{ "a: 2026-11-30", "[{\"a\":\"2026-11-30\"}]" },
	{ "a: 10.0.0.1", "[{\"a\":\"10.0.0.1\"}]" },
	{ "a: 3+", "[{\"a\":\"3+\"}]" },
	{ "a: 512Mi", "[{\"a\":\"512Mi\"}]" },
	/* keys, documents, encodings */
	{ "on: 1\n12: 2", "[{\"on\":1,\"12\":2}]" },
	{ "a: 1\r\nb: x\r\n", "[{\"a\":1,\"b\":\"x\"}]" },
	{ "\xef\xbb\xbf" "a: \xc3\xa9", "[{\"a\":\"\xc3\xa9\"}]" },
	{ "---\na: 1\n---\n# nothing\n---\nb: 2\n...\n", "[{\"a\":1},{\"b\":2}]" },
	{ "", "[]" },
	{ "# only a comment\n", "[]" },
	{ "[a, {b: c}, []]", "[[\"a\",{\"b\":\"c\"},[]]]" },
	{ "{\"a\": [1, null], \"b\": \"\\u00e9\\t\"}", "[{\"a\":[1,null],\"b\":\"\xc3\xa9\\t\"}]" },
	/* anchors, aliases, merge keys */
	{ "a: &x [1, 2]\nb: *x", "[{\"a\":[1,2],\"b\":[1,2]}]" },
	{ "a: &x 1\nb: &x 2\nc: *x", "[{\"a\":1,\"b\":2,\"c\":2}]" },
	{ "base: &b {p: 1, q: 2}\nuse:\n  <<: *b\n  q: 3", "[{\"base\":{\"p\":1,\"q\":2},\"use\":{\"q\":3,\"p\":1}}]" },
	{ "use:\n  q: 3\n  <<: [{p: 1, q: 9}, {p: 2, r: 5}]", "[{\"use\":{\"q\":3,\"p\":1,\"r\":5}}]" },
	{ "a: &x k\nb: {*x : 1}", "[{\"a\":\"k\",\"b\":{\"k\":1}}]" },
	{ "a: &x k\nb: {*x : &x l, *x : 2}", "[{\"a\":\"k\",\"b\":{\"k\":\"l\",\"l\":2}}]" },
	{ "'<<': 1", "[{\"<<\":1}]" },
};

static const struct row bad[] = {
	{ "a: 1\nb: 2\na: 3", "line 3: key \"a\" occurs twice" },
	{ "{a: 1, 'a': 2}", "line 1: key \"a\" occurs twice" },
	{ "a: 1\n\tb: 2", "line 2: found a tab character that violates indentation" },
	{ "a: 1\nb: caf\xe9 ol\xe9\nc: 1\n", "line 2: invalid trailing UTF-8 octet" },
	{ "a: -", "line 1: block sequence entries are not allowed in this context" },
	{ "a: b: c", "line 1: mapping values are not allowed in this context" },
	{ "a: [1,\n", "line 2: did not find expected node content" },
	{ "a: \x01", "line 1: control characters are not allowed" },
	{ "a: \"x\\0y\"", "line 1: a NUL in text" },
	{ "id: 12345678901234567890", "line 1: an integer beyond 2^53; quote it if it is text" },
	{ "id: 99999999999999999999999999", "an integer beyond 2^53" },
	{ "a: .inf", "JSON has no infinity" },
	{ "a: 1e999", "line 1: a number too large" },
	{ "a: !!binary aGk=", "line 1: tag tag:yaml.org,2002:binary is not supported" },
	{ "a: !Ref x", "line 1: tag !Ref is not supported" },
	{ "a: *x", "line 1: unknown alias *x" },
	{ "a: &x [*x]", "line 1: unknown alias *x" },
	{ "a: &x 1\n---\nb: *x", "line 3: unknown alias *x" },
	{ "? [a]\n: 1", "line 1: a key must be text" },
	{ "a: &x [k]\nb: {*x : 1}", "line 2: a key must be text" },
	{ "b: {*x : 1}", "line 1: a key must be text" },
	{ "\"x\\0y\": 1", "line 1: a key must be text, without a NUL" },
	{ "a:\n  <<: 1", "line 2: \"<<\" takes mappings only" },
	{ "a:\n  <<: [{b: 1}, 2]", "line 2: \"<<\" takes mappings only" },
};

static void parses(void **state)
{
	const struct row *row = *state;
	struct err err = { 0 };
	cleanup_json cJSON *tree = yaml_parse_all(row->name, strlen(row->name), &err);
	if (!tree)
		fail_msg("%s", err.msg);
	cleanup_strbuf struct strbuf out = { 0 };
	json_print(tree, &out);
	assert_string_equal(strbuf_str(&out), row->result);
}

static void is_refused(void **state)
{
	const struct row *row = *state;
	struct err err = { 0 };
	assert_null(yaml_parse_all(row->name, strlen(row->name), &err));
	assert_int_equal(err.kind, ERR_INVALID);
	if (!strstr(err.msg, row->result))
		fail_msg("\"%s\" is not in \"%s\"", row->result, err.msg);
}

static void one_document(void **state)
{
	(void)state;
	struct err err = { 0 };
	cleanup_json cJSON *one = yaml_parse("---\na: 1\n---\n", 13, &err);
	assert_int_equal(json_int(one, "a", 0), 1);
	cleanup_json cJSON *none = yaml_parse("", 0, &err);
	assert_true(cJSON_IsNull(none));
	assert_null(yaml_parse("a: 1\n---\nb: 2\n", 14, &err));
	assert_string_equal(err.msg, "more than one document");
}

static void depth_is_bounded(void **state)
{
	(void)state;
	char text[2 * YAML_DEPTH_MAX + 2];
	for (int depth = YAML_DEPTH_MAX; depth <= YAML_DEPTH_MAX + 1; depth++) {
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		struct err err = { 0 };
		cleanup_json cJSON *tree = yaml_parse(text, 2 * (size_t)depth, &err);
		assert_int_equal(tree != NULL, depth == YAML_DEPTH_MAX);
		assert_int_equal(err.kind, depth == YAML_DEPTH_MAX ? ERR_NONE : ERR_INVALID);
	}
}

/* Nine levels of ten aliases each: a billion values from 300 bytes. */
static void aliases_of_aliases_are_bounded(void **state)
{
	(void)state;
	cleanup_strbuf struct strbuf text = { 0 };
	strbuf_adds(&text, "a0: &a0 [x]\n");
	for (int i = 1; i <= 9; i++) {
		strbuf_addf(&text, "a%d: &a%d [", i, i);
		for (int j = 0; j < 10; j++)
			strbuf_addf(&text, "*a%d,", i - 1);
		strbuf_adds(&text, "]\n");
	}
	struct err err = { 0 };
	assert_null(yaml_parse(strbuf_str(&text), text.len, &err));
	assert_non_null(strstr(err.msg, "aliases expanded"));
}

/* A long text that is used often: 10 GB from 600 kB. */
static void aliases_of_texts_are_bounded(void **state)
{
	(void)state;
	cleanup_strbuf struct strbuf text = { 0 };
	strbuf_adds(&text, "a: &a ");
	for (int i = 0; i < 500000; i++)
		strbuf_addc(&text, 'x');
	strbuf_adds(&text, "\nb: [");
	for (int i = 0; i < 20000; i++)
		strbuf_adds(&text, "*a , ");
	strbuf_adds(&text, "]\n");
	struct err err = { 0 };
	assert_null(yaml_parse(strbuf_str(&text), text.len, &err));
	assert_non_null(strstr(err.msg, "bytes of text, aliases expanded"));
}

static void size_is_bounded(void **state)
{
	(void)state;
	struct err err = { 0 };
	assert_null(yaml_parse("a: 1", YAML_SIZE_MAX + 1, &err));
	assert_int_equal(err.kind, ERR_LIMIT);
}

int main(void)
{
	struct CMUnitTest parsing[UNIT_COUNT(good)], refusing[UNIT_COUNT(bad)];
	UNIT_ROWS(parsing, good, parses);
	UNIT_ROWS(refusing, bad, is_refused);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_document),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(aliases_of_aliases_are_bounded),
		cmocka_unit_test(aliases_of_texts_are_bounded),
		cmocka_unit_test(size_is_bounded),
	};
	int failed = cmocka_run_group_tests(parsing, NULL, NULL);
	failed += cmocka_run_group_tests(refusing, NULL, NULL);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
