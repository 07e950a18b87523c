#include "pass_fixture.h"

static void what_did_not_change_is_not_written(void **state)
{
	(void)state;
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_int_equal(w.request_count, 0);
	assert_int_equal(p->state, PASS_IDLE);
	assert_int_equal(turn_after(60000), 0);
}

static void actions_come_after_the_write(void **state)
{
	(void)state;
	decision.app = "v2";
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(w.request_count, 1);
	assert_string_equal(status_write()->body,
	                    "{\"apiVersion\":\"rolecall.dev/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{\"name\":\"shop\","
	                    "\"namespace\":\"ns\",\"uid\":\"uid-1\",\"resourceVersion\":\"10\"},\"status\":{\"app\":\"v2\"}}");
	assert_false(pass_is_quiet(p));
	fake_answer(status_write(), CLUSTER("11", "v2"));
	struct fake_request *apply = fake_find(&w, VERB_APPLY, "/services/shop?fieldManager=rolecall&force=true");
	assert_non_null(apply);

	/* The pass ends when this is answered; what came due meanwhile runs then, on the object as it was written. */
	assert_int_equal(turn_after(WORK_COALESCE_MS), 0);
	fake_answer(apply, "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"shop\","
	                   "\"resourceVersion\":\"12\"}}");
	assert_non_null(store_get(&s, OBJECT_SERVICE, "ns", "shop"));
	decision.action_count = 0;
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_string_equal(decision.version, "11");
	assert_int_equal(w.request_count, 2);
	assert_true(pass_is_quiet(p));
}

static void no_pass_sees_an_older_copy_than_its_own_write(void **state)
{
	(void)state;
	decision.app = "v2";
	turn_after(WORK_COALESCE_MS);
	fake_answer(status_write(), CLUSTER("12", "v2"));
	put(OBJECT_CLUSTER, CLUSTER("11", "v1"));
	turn_after(WORK_COALESCE_MS);
	assert_string_equal(decision.version, "12");
	assert_int_equal(stats.status_writes, 1);
}

static void a_conflict_keeps_the_answers_and_drops_the_actions(void **state)
{
	(void)state;
	have_report();
	decision.app = "v2";
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(decision.exec.answer, ANSWER_DONE);
	fake_fail(status_write(), ERR_CONFLICT, "the object has been modified");
	assert_int_equal(stats.conflicts, 1);

	decision.action_count = 0;
	turn();
	fake_answer(live_read(), CLUSTER("20", "v1"));
	assert_int_equal(turn(), 1);
	assert_string_equal(decision.version, "20");
	assert_int_equal(decision.exec.answer, ANSWER_DONE);
	assert_non_null(strstr(status_write()->body, "\"resourceVersion\":\"20\""));
	fake_answer(status_write(), CLUSTER("21", "v2"));
	assert_null(fake_find(&w, VERB_APPLY, ""));
}

static void after_a_lost_answer_the_object_is_read_first(void **state)
{
	(void)state;
	decision.app = "v2";
	turn_after(WORK_COALESCE_MS);
	fake_fail(status_write(), ERR_TIMEOUT, "no answer");
	/* News make it due, but not before its time, and not before it was read. */
	put(OBJECT_POD, POD("shop-0", "6"));
	assert_int_equal(turn_after(500), 0);
	assert_int_equal(fake_open_count(&w), 0);
	turn_after(500);
	fake_fail(live_read(), ERR_UNAVAILABLE, "no connection");
	assert_int_equal(turn_after(1999), 0);
	assert_int_equal(fake_open_count(&w), 0);
	turn_after(1);
	fake_answer(live_read(), CLUSTER("11", "v2"));
	assert_int_equal(turn(), 1);
	assert_string_equal(decision.version, "11");
	assert_null(status_write());
}

static void an_answer_that_cannot_be_read_is_a_lost_one(void **state)
{
	(void)state;
	decision.app = "v2";
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	fake_answer(status_write(), "{\"kind\":\"Cluster\",\"metada");
	assert_int_equal(fake_open_count(&w), 0);
	turn_after(1000);
	assert_non_null(live_read());
}

static void an_object_that_is_gone_ends_it(void **state)
{
	(void)state;
	decision.app = "v2";
	turn_after(WORK_COALESCE_MS);
	fake_fail(status_write(), ERR_NOT_FOUND, "not found");
	turn_after(1000);
	fake_fail(live_read(), ERR_NOT_FOUND, "not found");
	assert_null(store_get(&s, OBJECT_CLUSTER, "ns", "shop"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 0);
	assert_true(pass_is_over(p));
}

static void a_new_object_of_that_name_starts_without_the_old_ones_answers(void **state)
{
	(void)state;
	have_report();
	put(OBJECT_CLUSTER, CLUSTER_OF("uid-2", "30", "v1"));
	turn_after(WORK_COALESCE_MS);
	assert_string_equal(decision.version, "30");
	assert_int_equal(decision.exec_count, 0);
}

static void a_refused_status_is_told_and_never_hot(void **state)
{
	int64_t start = w.now;

	(void)state;
	decision.app = "v2";
	turn_after(WORK_COALESCE_MS);
	fake_fail(status_write(), ERR_INVALID, "U1: upgradeInfo may not be removed");
	while (w.now < start + 60000) {
		put(OBJECT_POD, w.now / 20 % 2 ? POD("shop-0", "6") : POD("shop-1", "7"));
		turn_after(20);
		if (status_write())
			fake_fail(status_write(), ERR_INVALID, "U1: upgradeInfo may not be removed");
	}
	assert_string_equal(decision.failure, "write status: U1: upgradeInfo may not be removed");
	assert_in_range(stats.status_writes, 5, 7);

	turn_after(30000);
	fake_answer(status_write(), CLUSTER("40", "v2"));
	turn_after(WORK_COALESCE_MS);
	assert_string_equal(decision.failure, "");
}

static void a_body_over_the_limit_is_told_and_the_object_read(void **state)
{
	(void)state;
	decision.app = "v2";
	turn_after(WORK_COALESCE_MS);
	fake_fail(status_write(), ERR_LIMIT, "request is too large");
	turn_after(1000);
	fake_answer(live_read(), CLUSTER("10", "v1"));
	turn();
	assert_string_equal(decision.failure, "write status: request is too large");
}

static void what_comes_due_while_acting_runs_after_it(void **state)
{
	(void)state;
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	put(OBJECT_POD, POD("shop-1", "20"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 0);
	decision.action_count = 0;
	fake_answer(fake_find(&w, VERB_APPLY, ""), "{}");
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_int_equal(decision.pod_count, 2);
}

/* The answer to a write comes after the watch has told that the object is gone. */
static void a_late_answer_does_not_bring_the_object_back(void **state)
{
	const char *text = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"shop\",\"resourceVersion\":\"50\"}}";
	cleanup_json cJSON *json = json_parse(text, strlen(text), NULL);

	(void)state;
	decision.app = "v2";
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(store_remove(&s, OBJECT_CLUSTER, json, NULL), 0);
	fake_answer(status_write(), CLUSTER("11", "v2"));
	assert_null(store_get(&s, OBJECT_CLUSTER, "ns", "shop"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 0);
	assert_true(pass_is_over(p));
}

static void what_comes_due_during_a_write_runs_after_it(void **state)
{
	(void)state;
	decision.app = "v2";
	turn_after(WORK_COALESCE_MS);
	put(OBJECT_POD, POD("shop-1", "20"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 0);
	fake_answer(status_write(), CLUSTER("30", "v2"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_int_equal(decision.pod_count, 2);
}

static void another_pass_comes_when_the_verdict_says(void **state)
{
	(void)state;
	decision.requeue_at = w.now + 5000;
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_int_equal(turn_after(4979), 0);
	decision.requeue_at = 0;
	assert_int_equal(turn_after(1), 1);
	/* A time in the past is soon, never at once: a decision cannot make the loop spin. */
	decision.requeue_at = 1;
	put(OBJECT_POD, POD("shop-0", "6"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_int_equal(turn_after(WORK_COALESCE_MS - 1), 0);
	assert_int_equal(turn_after(1), 1);
}

static void a_stop_lets_the_write_end_and_nothing_follow(void **state)
{
	(void)state;
	decision.app = "v2";
	ask_for(&apply_action);
	turn_after(WORK_COALESCE_MS);
	common.stopping = true;
	assert_false(pass_is_quiet(p));
	fake_answer(status_write(), CLUSTER("11", "v2"));
	assert_true(pass_is_quiet(p));
	assert_int_equal(turn_after(60000), 0);
	assert_int_equal(fake_open_count(&w), 0);
}

static void it_can_be_freed_at_any_moment(void **state)
{
	const struct action all[] = { exec_action, apply_action, event_action };

	(void)state;
	decision.actions = all;
	decision.action_count = 3;
	for (int moment = 0; moment < 3; moment++) {
		decision.app = moment == 0 ? "v1" : "v2";
		pass_free(p);
		p = pass_new(&common, OBJECT_CLUSTER, "ns", "shop");
		workqueue_push(&queue, OBJECT_CLUSTER, "ns", "shop", w.now);
		assert_int_equal(turn(), 1);
		if (moment == 2)
			fake_fail(status_write(), ERR_CONFLICT, "modified");
		turn();
	}
	assert_non_null(live_read());
	pass_free(p);
	p = NULL;
	assert_int_equal(fake_open_count(&w), 0);
	/* An answer that nobody waits for any more. */
	fake_exec_done(&w.execs[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_did_not_change_is_not_written),
		TEST(actions_come_after_the_write),
		TEST(no_pass_sees_an_older_copy_than_its_own_write),
		TEST(a_conflict_keeps_the_answers_and_drops_the_actions),
		TEST(after_a_lost_answer_the_object_is_read_first),
		TEST(an_answer_that_cannot_be_read_is_a_lost_one),
		TEST(an_object_that_is_gone_ends_it),
		TEST(a_new_object_of_that_name_starts_without_the_old_ones_answers),
		TEST(a_refused_status_is_told_and_never_hot),
		TEST(a_body_over_the_limit_is_told_and_the_object_read),
		TEST(what_comes_due_while_acting_runs_after_it),
		TEST(a_late_answer_does_not_bring_the_object_back),
		TEST(what_comes_due_during_a_write_runs_after_it),
		TEST(another_pass_comes_when_the_verdict_says),
		TEST(a_stop_lets_the_write_end_and_nothing_follow),
		TEST(it_can_be_freed_at_any_moment),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
