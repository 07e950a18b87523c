#include "tests/unit/unit.h"

#include "controller/cache/store.h"
#include "crd/base/json.h"

#include <stdio.h>
#include <string.h>

static struct store s;
static struct strbuf changes; /* "+pod a  ~pod a  -pod a" */

static void note_change(void *ctx, enum object_kind kind, const void *before, const void *after)
{
	(void)ctx;
	strbuf_addf(&changes, "%c%s ", !before ? '+' : after ? '~' : '-', object_id(kind, after ? after : before).name);
}

static int set_up(void **state)
{
	(void)state;
	store_init(&s, NULL, note_change, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	store_release(&s);
	strbuf_release(&changes);
	return 0;
}

static int put_pod(const char *name, int version, const char *cluster, enum store_source source)
{
	char text[512];

	snprintf(text, sizeof(text),
	         "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"u-%s\","
	         "\"resourceVersion\":\"%d\",\"labels\":{\"rolecall.dev/cluster\":\"%s\"}}}", name, name, version, cluster);

	cleanup_json cJSON *json = json_parse(text, strlen(text), NULL);
	return store_put(&s, OBJECT_POD, json, source, NULL);
}

static void remove_pod(const char *name, const char *version)
{
	char text[256];

	snprintf(text, sizeof(text),
	         "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"resourceVersion\":\"%s\"}}", name, version);

	cleanup_json cJSON *json = json_parse(text, strlen(text), NULL);
	assert_int_equal(store_remove(&s, OBJECT_POD, json, NULL), 0);
}

static const char *version_of(const char *name)
{
	const struct pod *pod = store_get(&s, OBJECT_POD, "ns", name);

	return pod ? pod->metadata->resource_version : "none";
}

static void assert_changes(const char *expected)
{
	assert_string_equal(strbuf_str(&changes), expected);
	strbuf_release(&changes);
}

static void newest_wins_whoever_brings_it(void **state)
{
	(void)state;
	assert_int_equal(put_pod("a", 9, "c", STORE_WATCH), 0);
	assert_int_equal(put_pod("a", 10, "c", STORE_ANSWER), 0);
	/* As text "9" would be the greater. */
	assert_string_equal(version_of("a"), "10");
	assert_int_equal(put_pod("a", 9, "c", STORE_WATCH), 0);
	assert_int_equal(put_pod("a", 10, "c", STORE_WATCH), 0);
	assert_string_equal(version_of("a"), "10");
	assert_changes("+a ~a ");
}

static void a_deletion_older_than_the_object_is_ignored(void **state)
{
	(void)state;
	put_pod("a", 5, "c", STORE_WATCH);
	put_pod("a", 8, "c", STORE_ANSWER);
	remove_pod("a", "7");
	assert_string_equal(version_of("a"), "8");
	remove_pod("a", "9");
	assert_string_equal(version_of("a"), "none");
	remove_pod("a", "9");
	assert_changes("+a ~a -a ");
}

static void a_late_answer_does_not_bring_back_what_is_gone(void **state)
{
	(void)state;
	put_pod("a", 5, "c", STORE_WATCH);
	remove_pod("a", "9");
	put_pod("a", 7, "c", STORE_ANSWER);
	assert_string_equal(version_of("a"), "none");
	/* One made anew after all that was seen is taken. */
	put_pod("a", 12, "c", STORE_ANSWER);
	assert_string_equal(version_of("a"), "12");
}

static void a_404_removes_only_the_object_that_was_asked_for(void **state)
{
	(void)state;
	put_pod("a", 5, "c", STORE_WATCH);
	store_forget(&s, OBJECT_POD, "ns", "a", "another-uid");
	assert_string_equal(version_of("a"), "5");
	store_forget(&s, OBJECT_POD, "ns", "a", "u-a");
	assert_string_equal(version_of("a"), "none");
}

static void a_list_removes_what_it_lacks_when_it_is_complete(void **state)
{
	(void)state;
	put_pod("old", 3, "c", STORE_WATCH);
	put_pod("kept", 4, "c", STORE_WATCH);
	put_pod("newer", 30, "c", STORE_ANSWER);
	assert_changes("+old +kept +newer ");

	store_list_begin(&s, OBJECT_POD, "20");
	put_pod("kept", 4, "c", STORE_LIST);
	assert_string_equal(version_of("old"), "3");
	/* It broke off; another begins. */
	store_list_begin(&s, OBJECT_POD, "21");
	put_pod("kept", 4, "c", STORE_LIST);
	put_pod("more", 15, "c", STORE_LIST);
	store_list_end(&s, OBJECT_POD, "21");
	assert_changes("+more -old ");
	/* Made after the list was taken. */
	assert_string_equal(version_of("newer"), "30");
	assert_int_equal(store_count(&s, OBJECT_POD), 3);
}

static void a_late_answer_does_not_survive_a_list_that_lacks_it(void **state)
{
	(void)state;
	store_list_begin(&s, OBJECT_POD, "70");
	put_pod("ghost", 50, "c", STORE_ANSWER);
	assert_string_equal(version_of("ghost"), "50");
	store_list_end(&s, OBJECT_POD, "70");
	assert_string_equal(version_of("ghost"), "none");
}

static void history_turned_back_is_believed(void **state)
{
	(void)state;
	put_pod("a", 900, "c", STORE_WATCH);
	put_pod("b", 950, "c", STORE_WATCH);
	store_list_begin(&s, OBJECT_POD, "100");
	put_pod("a", 90, "c", STORE_LIST);
	store_list_end(&s, OBJECT_POD, "100");
	assert_string_equal(version_of("a"), "90");
	assert_string_equal(version_of("b"), "none");
	put_pod("c", 101, "c", STORE_ANSWER);
	assert_string_equal(version_of("c"), "101");
}

static void groups_follow_the_label(void **state)
{
	const struct store_entry *e;

	(void)state;
	put_pod("a", 1, "shop", STORE_WATCH);
	put_pod("b", 2, "shop", STORE_WATCH);
	put_pod("c", 3, "bank", STORE_WATCH);
	e = store_group(&s, OBJECT_POD, "ns", "shop");
	assert_string_equal(object_id(OBJECT_POD, e->object).name, "a");
	assert_string_equal(object_id(OBJECT_POD, e->next->object).name, "b");
	assert_null(e->next->next);

	put_pod("a", 4, "bank", STORE_WATCH);
	e = store_group(&s, OBJECT_POD, "ns", "shop");
	assert_string_equal(object_id(OBJECT_POD, e->object).name, "b");
	assert_null(e->next);
	remove_pod("b", "5");
	assert_null(store_group(&s, OBJECT_POD, "ns", "shop"));
	assert_null(store_group(&s, OBJECT_POD, "other", "bank"));
}

static const struct row {
	const char *name;
	const char *json;
	enum object_kind kind;
	int rc;
} rows[] = {
	{ "an item of a list has no kind", "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"resourceVersion\":\"1\"}}",
	  OBJECT_STATEFULSET, 0 },
	{ "no metadata", "{\"kind\":\"Pod\"}", OBJECT_POD, -1 },
	{ "no name", "{\"metadata\":{\"namespace\":\"n\",\"resourceVersion\":\"1\"}}", OBJECT_POD, -1 },
	{ "no namespace", "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}", OBJECT_POD, -1 },
	{ "version is no number", "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"resourceVersion\":\"None\"}}",
	  OBJECT_POD, -1 },
	{ "version with a sign", "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"resourceVersion\":\"-1\"}}",
	  OBJECT_POD, -1 },
	{ "version over 64 bits",
	  "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"resourceVersion\":\"18446744073709551616\"}}", OBJECT_POD, -1 },
	{ "wrong type of a field", "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"resourceVersion\":\"1\"},"
	                           "\"status\":\"up\"}", OBJECT_POD, -1 },
	{ "not an object", "[1]", OBJECT_POD, -1 },
};

static void run_row(void **state)
{
	const struct row *row = *state;
	cleanup_json cJSON *json = json_parse(row->json, strlen(row->json), NULL);
	struct err err = { 0 };

	set_up(NULL);
	assert_int_equal(store_put(&s, row->kind, json, STORE_WATCH, &err), row->rc);
	assert_int_equal(store_count(&s, row->kind), row->rc == 0);
	assert_int_equal(err.kind != ERR_NONE, row->rc != 0);
	tear_down(NULL);
}

/* A list counts what it cannot read as there: the last copy that could be read stays. */
static void what_cannot_be_read_is_not_removed(void **state)
{
	const char *text = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"a\",\"resourceVersion\":\"9\"},\"status\":7}";
	cleanup_json cJSON *json = json_parse(text, strlen(text), NULL);

	(void)state;
	put_pod("a", 5, "c", STORE_WATCH);
	store_list_begin(&s, OBJECT_POD, "20");
	assert_int_equal(store_put(&s, OBJECT_POD, json, STORE_LIST, NULL), -1);
	store_list_end(&s, OBJECT_POD, "20");
	assert_string_equal(version_of("a"), "5");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(newest_wins_whoever_brings_it),
		TEST(a_deletion_older_than_the_object_is_ignored),
		TEST(a_late_answer_does_not_bring_back_what_is_gone),
		TEST(a_404_removes_only_the_object_that_was_asked_for),
		TEST(a_list_removes_what_it_lacks_when_it_is_complete),
		TEST(a_late_answer_does_not_survive_a_list_that_lacks_it),
		TEST(history_turned_back_is_believed),
		TEST(groups_follow_the_label),
		TEST(what_cannot_be_read_is_not_removed),
	};
	struct CMUnitTest row_tests[UNIT_COUNT(rows)];

	UNIT_ROWS(row_tests, rows, run_row);
	return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(row_tests, NULL, NULL);
}
