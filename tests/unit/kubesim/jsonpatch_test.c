/* JSON patches (RFC 6902): what they make of a document, and which are refused. */
#include "tests/unit/unit.h"

#include "crd/base/json.h"
#include "tests/kubesim/write.h"
#include "tests/sim/tree.h"

#include <string.h>

static const struct row {
	const char *name;
	const char *document;
	const char *patch;
	const char *becomes; /* NULL: refused */
} rows[] = {
	{"nothing to do", "{\"a\":1}", "[]", "{\"a\":1}"},
	{"add a field", "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b\",\"value\":2}]", "{\"a\":1,\"b\":2}"},
	{"add over a field", "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":[]}]", "{\"a\":[]}"},
	{"add a null", "{}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null}"},
	{"add into a list", "{\"a\":[1,3]}", "[{\"op\":\"add\",\"path\":\"/a/1\",\"value\":2}]", "{\"a\":[1,2,3]}"},
	{"add in front of a list", "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/0\",\"value\":0}]", "{\"a\":[0,1]}"},
	{"add at a list's length", "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/1\",\"value\":2}]", "{\"a\":[1,2]}"},
	{"add behind a list", "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/-\",\"value\":2}]", "{\"a\":[1,2]}"},
	{"add beyond a list", "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/2\",\"value\":2}]", NULL},
	{"add at no index", "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/x\",\"value\":2}]", NULL},
	{"add at a negative index", "{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/-1\",\"value\":2}]", NULL},
	{"add without a value", "{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", NULL},
	{"add into nothing", "{}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", NULL},
	{"add into a text", "{\"a\":\"t\"}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", NULL},
	{"replace a field: it keeps its name", "{\"a\":{\"b\":1}}",
	 "[{\"op\":\"replace\",\"path\":\"/a/b\",\"value\":2}]", "{\"a\":{\"b\":2}}"},
	{"replace in a list", "{\"a\":[1,2]}", "[{\"op\":\"replace\",\"path\":\"/a/1\",\"value\":3}]", "{\"a\":[1,3]}"},
	{"replace what is not there", "{}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":1}]", NULL},
	{"replace behind a list", "{\"a\":[1]}", "[{\"op\":\"replace\",\"path\":\"/a/-\",\"value\":1}]", NULL},
	{"remove a field", "{\"a\":1,\"b\":2}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", "{\"b\":2}"},
	{"remove from a list", "{\"a\":[1,2]}", "[{\"op\":\"remove\",\"path\":\"/a/0\"}]", "{\"a\":[2]}"},
	{"remove what is not there", "{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", NULL},
	{"test that holds", "{\"a\":{\"b\":[1]}}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"b\":[1]}}]",
	 "{\"a\":{\"b\":[1]}}"},
	{"test that fails", "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":2}]", NULL},
	{"test of what is not there", "{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]", NULL},
	{"copy", "{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]", "{\"a\":1,\"b\":1}"},
	{"copy within a list", "{\"a\":[\"w\",\"z\"]}", "[{\"op\":\"copy\",\"from\":\"/a/0\",\"path\":\"/a/1\"}]",
	 "{\"a\":[\"w\",\"w\",\"z\"]}"},
	{"copy from nowhere", "{}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]", NULL},
	{"copy without from", "{\"a\":1}", "[{\"op\":\"copy\",\"path\":\"/b\"}]", NULL},
	{"move", "{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}]", "{\"b\":1}"},
	{"move within a list", "{\"a\":[1,2,3]}", "[{\"op\":\"move\",\"from\":\"/a/0\",\"path\":\"/a/2\"}]",
	 "{\"a\":[2,3,1]}"},
	{"escapes", "{\"a/b\":1,\"c~d\":2,\"~1\":3}", "[{\"op\":\"replace\",\"path\":\"/a~1b\",\"value\":4},"
	 "{\"op\":\"replace\",\"path\":\"/c~0d\",\"value\":5},{\"op\":\"remove\",\"path\":\"/~01\"}]",
	 "{\"a/b\":4,\"c~d\":5}"},
	{"an empty key", "{\"\":1}", "[{\"op\":\"replace\",\"path\":\"/\",\"value\":2}]", "{\"\":2}"},
	{"keys differ by case", "{\"a\":1,\"A\":2}", "[{\"op\":\"remove\",\"path\":\"/A\"}]", "{\"a\":1}"},
	{"one after the other", "{}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}},"
	 "{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", "{\"a\":{\"b\":1}}"},
	{"no such operation", "{\"a\":1}", "[{\"op\":\"turn\",\"path\":\"/a\"}]", NULL},
	{"no operation", "{\"a\":1}", "[{\"path\":\"/a\"}]", NULL},
	{"no path", "{\"a\":1}", "[{\"op\":\"remove\"}]", NULL},
	{"a path without a slash", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"a\"}]", NULL},
	{"no list", "{\"a\":1}", "{\"op\":\"remove\",\"path\":\"/a\"}", NULL},
	{"an item that is no object", "{\"a\":1}", "[7]", NULL},
};

static void run(void **state)
{
	const struct row *r = *state;
	cleanup_json cJSON *document = cJSON_Parse(r->document), *patch = cJSON_Parse(r->patch);
	cleanup_json cJSON *becomes = r->becomes ? cJSON_Parse(r->becomes) : NULL;

	assert_non_null(document);
	assert_non_null(patch);
	assert_int_equal(jsonpatch_apply(document, patch), becomes != NULL);
	if (becomes)
		assert_true(tree_equal(document, becomes));
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows)];

	UNIT_ROWS(tests, rows, run);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
