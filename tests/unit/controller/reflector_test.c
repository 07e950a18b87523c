#include "fake_world.h"

#include "controller/cache/reflector.h"
#include "controller/log.h"

static struct fake_world w;
static struct store s;
static struct outage outage;
static struct reflector r;

static void begin(enum object_kind kind)
{
	outage = (struct outage){ 0 };
	fake_init(&w);
	store_init(&s, NULL, NULL, NULL);
	reflector_init(&r, &w.world, &s, kind, "ns", &outage);
}

static int set_up(void **state)
{
	(void)state;
	begin(OBJECT_POD);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	reflector_release(&r);
	assert_int_equal(fake_open_count(&w), 0);
	store_release(&s);
	fake_release(&w);
	return 0;
}

#define POD(name, version) \
	"{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"u\",\"resourceVersion\":\"" version "\"}}"
#define LIST(version, more, items) \
	"{\"metadata\":{\"resourceVersion\":\"" version "\",\"continue\":\"" more "\"},\"items\":[" items "]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version) EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" version "\"}}")
#define STATUS(fields) EVENT("ERROR", "{\"kind\":\"Status\"," fields "}")

static struct fake_request *list_request(void)
{
	return fake_find(&w, VERB_LIST, "/pods?");
}

static struct fake_request *watch_request(void)
{
	return fake_find(&w, VERB_WATCH, "/pods?");
}

static bool has(const char *name)
{
	return store_get(&s, OBJECT_POD, "ns", name) != NULL;
}

/* Brings the reflector to a watch from version 100 with pods a and b. */
static void start_watching(void)
{
	reflector_tick(&r);
	fake_answer(list_request(), LIST("100", "", POD("a", "90") "," POD("b", "95")));
	reflector_tick(&r);
	assert_non_null(watch_request());
}

/* What follows the end of a watch (cases.md's "410 inside a 200"): a list or a watch, from where, and how soon. */
static const struct row {
	const char *name;
	const char *data;
	enum err_kind end;   /* ERR_NONE: closed in order */
	int64_t lived_ms;
	enum verb next;
	const char *version; /* of the next watch */
	int64_t wait_ms;
} rows[] = {
	{ "410 as the first event", STATUS("\"code\":410"), ERR_NONE, 0, VERB_LIST, NULL, 1000 },
	{ "410 after good events", EVENT("ADDED", POD("c", "101")) EVENT("ADDED", POD("d", "102")) STATUS("\"code\":410"),
	  ERR_NONE, 0, VERB_LIST, NULL, 1000 },
	{ "410 after a good while", STATUS("\"code\":410"), ERR_NONE, 60000, VERB_LIST, NULL, 0 },
	{ "410 as HTTP", "", ERR_GONE, 0, VERB_LIST, NULL, 1000 },
	{ "ERROR 500", EVENT("ADDED", POD("c", "101")) STATUS("\"code\":500"), ERR_NONE, 0, VERB_WATCH, "101", 1000 },
	{ "ERROR 504", STATUS("\"code\":504"), ERR_NONE, 0, VERB_WATCH, "100", 1000 },
	{ "ERROR without a code", STATUS("\"metadata\":{}"), ERR_NONE, 0, VERB_WATCH, "100", 1000 },
	{ "ERROR after a good while", STATUS("\"code\":500"), ERR_NONE, 60000, VERB_WATCH, "100", 0 },
	{ "closed in order", EVENT("MODIFIED", POD("a", "103")), ERR_NONE, 300000, VERB_WATCH, "103", 0 },
	{ "closed at once", "", ERR_NONE, 0, VERB_WATCH, "100", 1000 },
	{ "a bookmark moves the version", BOOKMARK("250"), ERR_NONE, 60000, VERB_WATCH, "250", 0 },
	{ "a bookmark without a version does not", EVENT("BOOKMARK", "{\"metadata\":{}}"), ERR_NONE, 60000, VERB_WATCH, "100",
	  0 },
	{ "nor one that is no number", BOOKMARK("None"), ERR_NONE, 60000, VERB_WATCH, "100", 0 },
	{ "a deletion moves it", EVENT("DELETED", POD("a", "107")), ERR_NONE, 60000, VERB_WATCH, "107", 0 },
	{ "cut inside an object", EVENT("ADDED", POD("c", "101")) "{\"type\":\"MODI", ERR_UNAVAILABLE, 60000, VERB_WATCH,
	  "101", 0 },
	{ "silent for too long", "", ERR_TIMEOUT, REFLECTOR_SILENCE_MS, VERB_WATCH, "100", 0 },
	{ "refused", "", ERR_UNAVAILABLE, 0, VERB_WATCH, "100", 1000 },
	{ "forbidden", "", ERR_FORBIDDEN, 0, VERB_WATCH, "100", 1000 },
	{ "the CRD went", "", ERR_NOT_FOUND, 0, VERB_LIST, NULL, 1000 },
	{ "no JSON", "<html>bad gateway</html>\n", ERR_NONE, 60000, VERB_LIST, NULL, 0 },
	{ "the version is refused", "", ERR_INVALID, 0, VERB_LIST, NULL, 1000 },
};

static void end_watch(const struct row *row)
{
	struct fake_request *watch = watch_request();

	if (*row->data)
		fake_data(watch, row->data);
	if (r.broken)
		reflector_tick(&r);
	else if (row->end == ERR_NONE)
		fake_answer(watch, "");
	else
		fake_fail(watch, row->end, "it ended");
	assert_false(watch->open);
}

static void run_row(void **state)
{
	const struct row *row = *state;
	char version[64];

	set_up(NULL);
	start_watching();
	w.now += row->lived_ms;
	end_watch(row);
	if (row->wait_ms > 0) {
		w.now += row->wait_ms - 1;
		assert_int_equal(reflector_tick(&r), w.now + 1);
		assert_int_equal(fake_open_count(&w), 0);
		w.now += 1;
	}
	reflector_tick(&r);
	assert_int_equal(fake_open_count(&w), 1);
	struct fake_request *next = fake_find(&w, row->next, "/pods?");
	assert_non_null(next);
	if (row->version) {
		snprintf(version, sizeof(version), "resourceVersion=%s&", row->version);
		assert_non_null(strstr(next->path, version));
	} else {
		assert_null(strstr(next->path, "resourceVersion"));
	}
	assert_true(has("b"));
	tear_down(NULL);
}

static void a_list_comes_in_pages(void **state)
{
	(void)state;
	reflector_tick(&r);
	assert_string_equal(list_request()->path,
	                    "/api/v1/namespaces/ns/pods?limit=250&labelSelector=rolecall.dev%2Fcluster");
	fake_answer(list_request(), LIST("100", "to/ken+", POD("a", "90")));
	assert_false(r.synced);
	reflector_tick(&r);
	assert_non_null(strstr(list_request()->path, "&continue=to%2Fken%2B"));
	fake_answer(list_request(), LIST("100", "", POD("b", "95")));
	assert_true(r.synced);
	assert_true(has("a") && has("b"));
	reflector_tick(&r);
	assert_non_null(strstr(watch_request()->path,
	                       "?watch=1&allowWatchBookmarks=true&resourceVersion=100&timeoutSeconds=300"));
	assert_non_null(strstr(watch_request()->path, "&labelSelector=rolecall.dev%2Fcluster"));
}

/* The token of a list that has grown too old: all anew, and nothing is taken for gone on the way. */
static void a_page_answered_410_restarts_the_list(void **state)
{
	(void)state;
	start_watching();
	fake_data(watch_request(), STATUS("\"code\":410"));
	reflector_tick(&r);
	w.now += 1000;
	reflector_tick(&r);
	fake_answer(list_request(), LIST("200", "next", POD("a", "90")));
	reflector_tick(&r);
	fake_fail(list_request(), ERR_GONE, "too old");
	assert_true(has("b"));
	w.now += 2000;
	reflector_tick(&r);
	assert_null(strstr(list_request()->path, "continue"));
	fake_answer(list_request(), LIST("201", "", POD("a", "90")));
	assert_true(has("a"));
	assert_false(has("b"));
}

static void a_watch_of_410s_makes_one_list_a_step_of_the_backoff(void **state)
{
	static const int64_t waits[] = { 1000, 2000, 4000, 8000, 16000, 30000, 30000 };

	(void)state;
	start_watching();
	for (size_t i = 0; i < UNIT_COUNT(waits); i++) {
		fake_fail(watch_request(), ERR_GONE, "too old");
		assert_int_equal(reflector_tick(&r), w.now + waits[i]);
		w.now += waits[i];
		reflector_tick(&r);
		fake_answer(list_request(), LIST("100", "", POD("a", "90") "," POD("b", "95")));
		reflector_tick(&r);
	}
	/* A watch that holds for a second heals it. */
	w.now += REFLECTOR_HEALTHY_MS;
	assert_int_equal(reflector_tick(&r), INT64_MAX);
	assert_int_equal(r.failures, 0);
}

static void a_version_that_never_works_is_given_up(void **state)
{
	(void)state;
	start_watching();
	for (int i = 1; i < REFLECTOR_RELIST_AFTER; i++) {
		fake_fail(watch_request(), ERR_TIMEOUT, "Too large resource version");
		w.now += 30000;
		reflector_tick(&r);
	}
	fake_fail(watch_request(), ERR_TIMEOUT, "Too large resource version");
	w.now += 30000;
	reflector_tick(&r);
	assert_non_null(list_request());
}

static void retry_after_is_obeyed(void **state)
{
	(void)state;
	reflector_tick(&r);
	fake_fail_after(list_request(), ERR_BUSY, "too many requests", 17);
	assert_int_equal(reflector_tick(&r), w.now + 17000);
	w.now += 17000;
	reflector_tick(&r);
	assert_non_null(list_request());
}

static void a_missing_crd_is_looked_for_every_ten_seconds(void **state)
{
	(void)state;
	tear_down(NULL);
	begin(OBJECT_CLUSTER);
	reflector_tick(&r);
	for (int i = 0; i < 5; i++) {
		fake_fail(fake_find(&w, VERB_LIST, "/apis/rolecall.dev/v1alpha1/namespaces/ns/clusters?limit=250"), ERR_NOT_FOUND,
		          "not found");
		assert_int_equal(reflector_tick(&r), w.now + REFLECTOR_MISSING_MS);
		w.now += REFLECTOR_MISSING_MS;
		reflector_tick(&r);
	}
	fake_answer(fake_find(&w, VERB_LIST, "/clusters"), LIST("5", "", ""));
	assert_true(r.synced);
}

static void events_reach_the_store_in_pieces(void **state)
{
	(void)state;
	start_watching();
	fake_data(watch_request(), "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"namespace\":\"ns\",\"na");
	assert_false(has("c"));
	fake_data(watch_request(), "me\":\"c\",\"resourceVersion\":\"101\"}}}\n" EVENT("DELETED", POD("a", "102")));
	assert_true(has("c"));
	assert_false(has("a"));
}

static void stale_events_change_nothing(void **state)
{
	(void)state;
	start_watching();
	fake_data(watch_request(), EVENT("MODIFIED", POD("a", "120")) EVENT("MODIFIED", POD("a", "110"))
	                                   EVENT("DELETED", POD("a", "115")));
	const struct pod *a = store_get(&s, OBJECT_POD, "ns", "a");
	assert_string_equal(a->metadata->resource_version, "120");
}

/* One object that cannot be read must not keep the others from being followed. */
static void an_unreadable_object_is_passed_over(void **state)
{
	(void)state;
	reflector_tick(&r);
	fake_answer(list_request(), LIST("100", "", POD("a", "90") ",{\"metadata\":7}," POD("b", "95")));
	assert_true(has("a") && has("b"));
	reflector_tick(&r);
	fake_data(watch_request(), EVENT("MODIFIED", "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"a\",\"resourceVersion\":"
	                                             "\"101\"},\"status\":[]}") EVENT("ADDED", POD("c", "102")));
	assert_true(has("a") && has("c"));
	assert_int_equal(r.undecoded, 2);
	assert_int_equal(r.state, REFLECTOR_WATCHING);
	assert_string_equal(r.version, "102");
}

static const struct answer_row {
	const char *name;
	const char *body;
} answer_rows[] = {
	{ "empty", "" },
	{ "cut inside an object", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{" },
	{ "html", "<html></html>" },
	{ "no version", "{\"metadata\":{},\"items\":[]}" },
	{ "version is no number", LIST("None", "", "") },
	{ "items is no list", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":{}}" },
	{ "a Status", "{\"kind\":\"Status\",\"code\":410,\"metadata\":{}}" },
};

static void run_answer_row(void **state)
{
	const struct answer_row *row = *state;

	set_up(NULL);
	reflector_tick(&r);
	fake_answer(list_request(), row->body);
	assert_false(r.synced);
	assert_int_equal(reflector_tick(&r), w.now + 1000);
	w.now += 1000;
	reflector_tick(&r);
	fake_answer(list_request(), LIST("100", "", POD("a", "90")));
	assert_true(r.synced);
	tear_down(NULL);
}

static void tokens_without_end_are_stopped(void **state)
{
	(void)state;
	r.pages = REFLECTOR_PAGES_MAX - 1;
	r.state = REFLECTOR_LISTING;
	reflector_tick(&r);
	fake_answer(list_request(), LIST("100", "more", POD("a", "90")));
	reflector_tick(&r);
	fake_answer(list_request(), LIST("100", "more", POD("a", "90")));
	assert_int_equal(r.state, REFLECTOR_EMPTY);
}

static void a_stop_cancels(void **state)
{
	(void)state;
	start_watching();
	struct fake_request *watch = watch_request();
	reflector_stop(&r);
	assert_true(watch->cancelled);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_list_comes_in_pages),
		TEST(a_page_answered_410_restarts_the_list),
		TEST(a_watch_of_410s_makes_one_list_a_step_of_the_backoff),
		TEST(a_version_that_never_works_is_given_up),
		TEST(retry_after_is_obeyed),
		TEST(a_missing_crd_is_looked_for_every_ten_seconds),
		TEST(events_reach_the_store_in_pieces),
		TEST(stale_events_change_nothing),
		TEST(an_unreadable_object_is_passed_over),
		TEST(tokens_without_end_are_stopped),
		TEST(a_stop_cancels),
	};
	struct CMUnitTest ends[UNIT_COUNT(rows)], answers[UNIT_COUNT(answer_rows)];

	log_set_level(LOG_ERROR);
	UNIT_ROWS(ends, rows, run_row);
	UNIT_ROWS(answers, answer_rows, run_answer_row);
	return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(ends, NULL, NULL) +
	       cmocka_run_group_tests(answers, NULL, NULL);
}
