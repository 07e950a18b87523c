#include "pass_fixture.h"

static void a_failed_request_is_told_and_waits(void **state)
{
	(void)state;
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	fake_fail(fake_find(&w, VERB_APPLY, ""), ERR_FORBIDDEN, "exceeded quota");
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_string_equal(decision.failure, "apply service/shop: exceeded quota");
	assert_int_equal(fake_open_count(&w), 0);

	/* The same again only when its time has come. */
	put(OBJECT_POD, POD("shop-0", "6"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_int_equal(fake_open_count(&w), 0);
	assert_int_equal(turn_after(960), 1);
	fake_fail(fake_find(&w, VERB_APPLY, ""), ERR_FORBIDDEN, "exceeded quota");
	assert_int_equal(turn_after(1999), 0);
	assert_int_equal(turn_after(1), 1);
	fake_answer(fake_find(&w, VERB_APPLY, ""), "{\"kind\":\"Service\"}");
	decision.action_count = 0;
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_string_equal(decision.failure, "");
}

static void a_request_that_changed_does_not_wait(void **state)
{
	static struct service_spec spec = { .cluster_ip = "None" };
	static const struct service other = { .api_version = "v1", .kind = "Service", .spec = &spec };
	struct action changed = apply_action;

	(void)state;
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	fake_fail(fake_find(&w, VERB_APPLY, ""), ERR_INVALID, "spec.clusterIP: required");
	changed.body = &other;
	ask_for(&changed);
	turn_after(WORK_COALESCE_MS);
	assert_string_equal(decision.failure, "apply service/shop: spec.clusterIP: required");
	assert_non_null(strstr(fake_find(&w, VERB_APPLY, "")->body, "None"));
}

static void what_is_no_longer_asked_for_is_no_failure(void **state)
{
	(void)state;
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	fake_fail(fake_find(&w, VERB_APPLY, ""), ERR_FORBIDDEN, "exceeded quota");
	decision.action_count = 0;
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_string_equal(decision.failure, "");
}

/* The watch is late: until it tells what the object is now, the same request is not sent again and again. */
static void a_conflict_of_a_request_waits_for_news_in_silence(void **state)
{
	struct action newer = apply_action;

	(void)state;
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	fake_fail(fake_find(&w, VERB_APPLY, ""), ERR_CONFLICT, "the object has been modified");
	put(OBJECT_POD, POD("shop-0", "6"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_string_equal(decision.failure, "");
	assert_int_equal(fake_open_count(&w), 0);
	newer.resource_version = "77";
	ask_for(&newer);
	put(OBJECT_POD, POD("shop-0", "7"));
	turn_after(WORK_COALESCE_MS);
	assert_non_null(strstr(fake_find(&w, VERB_APPLY, "")->body, "\"resourceVersion\":\"77\""));
}

static void deleting_what_is_gone_went_well(void **state)
{
	(void)state;
	ask_for(&delete_action);
	turn_after(WORK_COALESCE_MS);
	struct fake_request *request = fake_find(&w, VERB_DELETE, "/api/v1/namespaces/ns/pods/shop-0");
	assert_string_equal(request->body, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"preconditions\":{\"uid\":"
	                                   "\"uid-shop-0\"}}");
	fake_fail(request, ERR_NOT_FOUND, "not found");
	decision.action_count = 0;
	turn_after(WORK_COALESCE_MS);
	assert_string_equal(decision.failure, "");
	assert_int_equal(decision.pod_count, 0);
}

static void a_pod_on_its_way_out_is_known_at_once(void **state)
{
	(void)state;
	ask_for(&delete_action);
	turn_after(WORK_COALESCE_MS);
	fake_answer(fake_find(&w, VERB_DELETE, ""),
	            "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"shop-0\",\"uid\":\"uid-shop-0\","
	            "\"resourceVersion\":\"9\",\"deletionTimestamp\":\"2027-01-15T08:00:00Z\"}}");
	const struct pod *pod = store_get(&s, OBJECT_POD, "ns", "shop-0");
	assert_true(pod->metadata->deletion_timestamp > 0);
}

static void an_event_is_nobodys_concern(void **state)
{
	(void)state;
	ask_for(&event_action);
	turn_after(WORK_COALESCE_MS);
	struct fake_request *event = fake_find(&w, VERB_CREATE, "/apis/events.k8s.io/v1/namespaces/ns/events");
	cleanup_json cJSON *body = json_parse(event->body, strlen(event->body), NULL);
	assert_string_equal(json_str(body, "eventTime"), "2027-01-15T08:00:00.020000Z");
	assert_string_equal(json_str(body, "note"), "from \"v1\" to v2");
	assert_string_equal(json_str(json_get(body, "regarding"), "uid"), "uid-1");
	assert_int_equal(strncmp(json_str(json_get(body, "metadata"), "name"), "shop.", 5), 0);

	/* It is not waited for: the next pass runs while it is under way. */
	decision.action_count = 0;
	put(OBJECT_POD, POD("shop-0", "6"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	fake_fail(event, ERR_UNAVAILABLE, "no connection");
	assert_int_equal(stats.events_lost, 1);
	assert_int_equal(turn_after(60000), 0);
}

static void the_same_event_has_the_same_name(void **state)
{
	char first[256];

	(void)state;
	ask_for(&event_action);
	turn_after(WORK_COALESCE_MS);
	struct fake_request *event = fake_find(&w, VERB_CREATE, "");
	snprintf(first, sizeof(first), "%.*s", 130, strstr(event->body, "\"metadata\""));
	fake_fail(event, ERR_CONFLICT, "already exists");
	assert_int_equal(stats.events_lost, 0);
	put(OBJECT_POD, POD("shop-0", "6"));
	turn_after(WORK_COALESCE_MS);
	assert_memory_equal(strstr(fake_find(&w, VERB_CREATE, "")->body, "\"metadata\""), first, 70);
}

static void what_the_operator_says_wins_over_the_users_template(void **state)
{
	static struct container app = { .name = "app", .image = "ours" };
	static struct pod_spec spec = { .containers = &app, .containers_count = 1 };
	static struct pod_template template = { .spec = &spec };
	static struct statefulset_spec set_spec = { .template = &template };
	static const struct statefulset set = { .api_version = "apps/v1", .kind = "StatefulSet", .spec = &set_spec };
	static const char *const overlays[] = {
		"{\"spec\":{\"containers\":[{\"name\":\"app\",\"image\":\"theirs\",\"tty\":true}],\"hostNetwork\":true}}",
		"{\"spec\":{\"containers\":[{\"name\":\"side\"}],\"hostNetwork\":false}}",
	};
	static const struct action action = {
		.kind = ACTION_APPLY, .object = OBJECT_STATEFULSET, .name = "shop-web", .resource_version = "3",
		.body = &set, .overlays = overlays, .overlay_count = 2,
	};

	(void)state;
	ask_for(&action);
	turn_after(WORK_COALESCE_MS);
	assert_string_equal(fake_find(&w, VERB_APPLY, "/apis/apps/v1/namespaces/ns/statefulsets/shop-web?")->body,
	                    "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"app\",\"image\":\"ours\","
	                    "\"tty\":true},{\"name\":\"side\"}],\"hostNetwork\":false}}},\"apiVersion\":\"apps/v1\","
	                    "\"kind\":\"StatefulSet\",\"metadata\":{\"resourceVersion\":\"3\"}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_failed_request_is_told_and_waits),
		TEST(a_request_that_changed_does_not_wait),
		TEST(what_is_no_longer_asked_for_is_no_failure),
		TEST(a_conflict_of_a_request_waits_for_news_in_silence),
		TEST(deleting_what_is_gone_went_well),
		TEST(a_pod_on_its_way_out_is_known_at_once),
		TEST(an_event_is_nobodys_concern),
		TEST(the_same_event_has_the_same_name),
		TEST(what_the_operator_says_wins_over_the_users_template),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
