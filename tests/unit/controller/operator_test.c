#include "fake_world.h"

#include "controller/log.h"
#include "controller/operator.h"
#include "controller/work/queue.h"

static struct fake_world w;
static struct operator *op;
static struct strbuf passes; /* "shop bank " */

static struct verdict note_cluster(const struct snapshot *s, struct arena *arena)
{
	(void)arena;
	strbuf_addf(&passes, "%s ", s->cluster->metadata->name);
	return (struct verdict){ .status = s->cluster->status };
}

static struct verdict note_app(const struct app_snapshot *s, struct arena *arena)
{
	(void)arena;
	strbuf_addf(&passes, "%s(%zu) ", s->app->metadata->name, s->cluster_count);
	return (struct verdict){ .status = s->app->status };
}

static int set_up(void **state)
{
	(void)state;
	fake_init(&w);
	op = operator_new(&w.world, &(struct operator_options){ .decide_cluster = note_cluster, .decide_app = note_app });
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	operator_free(op);
	assert_int_equal(fake_open_count(&w), 0);
	fake_release(&w);
	strbuf_release(&passes);
	return 0;
}

#define META(name, version)                                                                             \
	"\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"u-" name "\","                \
	"\"resourceVersion\":\"" version "\""
#define SETBACK(name, version, set) \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"resourceVersion\":\"" version "\"}," \
	"\"involvedObject\":{\"name\":\"" set "\"}}"
#define CHILD(name, version, cluster) "{" META(name, version) ",\"labels\":{\"rolecall.dev/cluster\":\"" cluster "\"}}}"
#define CLUSTER(name, version, app, status)                                                             \
	"{" META(name, version) "},\"spec\":{\"app\":\"" app "\",\"roles\":[]},\"status\":{" status "}}"
#define APP(name, version)                                                                                            \
	"{" META(name, version) "},\"spec\":{\"label\":{\"name\":\"a\"},\"distroID\":\"d\",\"version\":\"1.0\","           \
	"\"configSchemaVersion\":8,\"roles\":[],\"config\":{\"selectedRoles\":[]}}}"

static void answer_list(const char *resource, const char *items)
{
	char body[4096];

	snprintf(body, sizeof(body), "{\"metadata\":{\"resourceVersion\":\"100\"},\"items\":[%s]}", items);
	fake_answer(fake_find(&w, VERB_LIST, resource), body);
}

static void send_event(const char *resource, const char *type, const char *object)
{
	char line[4096];

	snprintf(line, sizeof(line), "{\"type\":\"%s\",\"object\":%s}\n", type, object);
	fake_data(fake_find(&w, VERB_WATCH, resource), line);
}

/* Lets time pass in small steps, and says in which order passes ran. */
static void assert_passes(int64_t ms, const char *expected)
{
	for (int64_t end = w.now + ms; w.now < end; w.now++)
		operator_tick(op);
	operator_tick(op);
	assert_string_equal(strbuf_str(&passes), expected);
	strbuf_release(&passes);
}

static void list_all(void)
{
	operator_tick(op);
	answer_list("/apps?", APP("v1", "1") "," APP("v2", "2"));
	answer_list("/clusters?", CLUSTER("shop", "3", "v1", "") "," CLUSTER("bank", "4", "v2", "\"app\":\"v1\""));
	answer_list("/statefulsets?", CHILD("bank-a", "5", "bank"));
	answer_list("/services?", "");
	answer_list("/pods?", CHILD("shop-0", "5", "shop"));
	answer_list("/events?", "");
}

static void start(void)
{
	list_all();
	assert_passes(2000, "v1(2) v2(2) shop bank ");
}

static void nothing_is_decided_before_everything_was_listed(void **state)
{
	(void)state;
	operator_tick(op);
	answer_list("/apps?", APP("v1", "1"));
	answer_list("/clusters?", CLUSTER("shop", "3", "v1", ""));
	answer_list("/statefulsets?", "");
	answer_list("/services?", "");
	assert_passes(60000, "");
	assert_false(operator_is_synced(op));
	answer_list("/pods?", CHILD("shop-0", "5", "shop"));
	assert_passes(2 * WORK_COALESCE_MS, "v1(1) shop ");
	assert_true(operator_is_synced(op));
}

/* What a change makes due. */
static const struct row {
	const char *name;
	const char *resource, *type, *object;
	const char *passes;
} rows[] = {
	{ "a pod", "/pods?", "MODIFIED", CHILD("shop-0", "101", "shop"), "shop " },
	{ "a pod of nobody we know", "/pods?", "ADDED", CHILD("x-0", "101", "x"), "" },
	{ "a pod that is given to another", "/pods?", "MODIFIED", CHILD("shop-0", "101", "bank"), "bank shop " },
	{ "a pod that goes", "/pods?", "DELETED", CHILD("shop-0", "101", "shop"), "shop " },
	{ "a set", "/statefulsets?", "ADDED", CHILD("s", "101", "bank"), "bank " },
	{ "a setback of a set", "/events?", "ADDED", SETBACK("e", "101", "bank-a"), "bank " },
	{ "a setback of a set that is not ours", "/events?", "ADDED", SETBACK("e", "101", "x-a"), "" },
	{ "a service", "/services?", "ADDED", CHILD("s", "101", "bank"), "bank " },
	{ "an App: those that name it in spec or status", "/apps?", "MODIFIED", APP("v1", "101"), "v1(2) shop bank " },
	{ "an App that one names", "/apps?", "MODIFIED", APP("v2", "101"), "v2(2) bank " },
	{ "an App that goes", "/apps?", "DELETED", APP("v2", "101"), "bank " },
	{ "a new App", "/apps?", "ADDED", APP("v3", "101"), "v3(2) " },
	{ "a Cluster that names the same Apps", "/clusters?", "MODIFIED", CLUSTER("shop", "101", "v1", "\"app\":\"v1\""),
	  "shop " },
	{ "a Cluster that begins to name one", "/clusters?", "MODIFIED", CLUSTER("shop", "101", "v2", "\"app\":\"v1\""),
	  "shop v2(2) " },
	{ "a Cluster that leaves one", "/clusters?", "MODIFIED", CLUSTER("shop", "101", "v2", "\"app\":\"v2\""),
	  "shop v1(2) v2(2) " },
	{ "a Cluster that is upgraded", "/clusters?", "MODIFIED",
	  CLUSTER("shop", "101", "v2", "\"app\":\"v2\",\"upgradeInfo\":{\"prevApp\":\"v1\"}"), "shop v2(2) " },
	{ "a Cluster that goes", "/clusters?", "DELETED", CLUSTER("bank", "101", "v2", ""), "v2(1) v1(1) " },
	{ "an older copy", "/clusters?", "MODIFIED", CLUSTER("shop", "2", "v2", ""), "" },
};

static void run_row(void **state)
{
	const struct row *row = *state;

	set_up(NULL);
	start();
	send_event(row->resource, row->type, row->object);
	assert_passes(2 * WORK_COALESCE_MS, row->passes);
	tear_down(NULL);
}

static void changes_that_arrive_together_make_one_pass(void **state)
{
	(void)state;
	start();
	for (int i = 0; i < 10; i++) {
		char pod[512];

		snprintf(pod, sizeof(pod), "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"shop-%d\",\"resourceVersion\":\"%d\","
		                           "\"labels\":{\"rolecall.dev/cluster\":\"shop\"}}}", i, 200 + i);
		send_event("/pods?", "ADDED", pod);
		w.now++;
		operator_tick(op);
	}
	assert_passes(2 * WORK_COALESCE_MS, "shop ");
}

static void when_idle_it_wants_nothing(void **state)
{
	(void)state;
	start();
	assert_int_equal(operator_tick(op), INT64_MAX);
	struct stats stats = operator_get_stats(op);
	assert_int_equal(stats.requests[VERB_LIST], 6);
	assert_int_equal(stats.requests[VERB_WATCH], 6);
	assert_int_equal(stats.passes, 4);
	assert_int_equal(stats.status_writes, 0);
}

static void it_asks_for_all_namespaces_unless_told(void **state)
{
	(void)state;
	operator_tick(op);
	assert_non_null(fake_find(&w, VERB_LIST, "/apis/rolecall.dev/v1alpha1/clusters?limit=250"));
	operator_free(op);
	op = operator_new(&w.world, &(struct operator_options){ .namespace = "one" });
	operator_tick(op);
	assert_non_null(fake_find(&w, VERB_LIST, "/apis/apps/v1/namespaces/one/statefulsets?limit=250"));
}

static void a_stop_ends_watches_and_starts_nothing(void **state)
{
	(void)state;
	start();
	send_event("/pods?", "MODIFIED", CHILD("shop-0", "101", "shop"));
	operator_stop(op);
	assert_int_equal(fake_open_count(&w), 0);
	assert_true(operator_is_quiet(op));
	w.now += 60000;
	assert_int_equal(operator_tick(op), INT64_MAX);
	assert_int_equal(fake_open_count(&w), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_decided_before_everything_was_listed),
		TEST(changes_that_arrive_together_make_one_pass),
		TEST(when_idle_it_wants_nothing),
		TEST(it_asks_for_all_namespaces_unless_told),
		TEST(a_stop_ends_watches_and_starts_nothing),
	};
	struct CMUnitTest changes[UNIT_COUNT(rows)];

	log_set_level(LOG_ERROR);
	UNIT_ROWS(changes, rows, run_row);
	return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(changes, NULL, NULL);
}
