#include "pass_fixture.h"

static void an_exec_is_not_waited_for_and_not_started_twice(void **state)
{
	(void)state;
	ask_for(&exec_action);
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(w.exec_count, 1);
	assert_string_equal(w.execs[0].pod, "shop-0");
	assert_string_equal(w.execs[0].container, "app");
	assert_string_equal(w.execs[0].key, "uid-1.7.1");
	put(OBJECT_POD, POD("shop-0", "6"));
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_true(decision.exec.flying);
	assert_int_equal(w.exec_count, 1);

	decision.action_count = 0;
	fake_exec_done(&w.execs[0], 3);
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
	assert_false(decision.exec.flying);
	assert_int_equal(decision.exec.answer, ANSWER_DONE);
	assert_int_equal(decision.exec.exit_code, 3);
	assert_string_equal(decision.exec.container, "c1");
	assert_int_equal(decision.exec.ended_at, w.now - WORK_COALESCE_MS);
}

static void one_verdict_starts_one_exec_a_member(void **state)
{
	const struct action twice[] = { exec_action, exec_action };

	(void)state;
	decision.actions = twice;
	decision.action_count = 2;
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(w.exec_count, 1);
}

static void tries_are_counted_for_the_same_run_only(void **state)
{
	struct action action = exec_action;

	(void)state;
	ask_for(&action);
	for (int i = 0; i < 3; i++) {
		turn_after(WORK_COALESCE_MS);
		assert_int_equal(decision.exec.tries, i);
		assert_int_equal(decision.exec.may_have_run, i > 1);
		fake_exec_end(&w.execs[i], i == 1 ? EXEC_LOST : EXEC_REFUSED, "");
	}
	action.exec.attempt = 2;
	turn_after(WORK_COALESCE_MS);
	decision.action_count = 0;
	put(OBJECT_POD, POD("shop-0", "6"));
	turn_after(WORK_COALESCE_MS);
	assert_true(decision.exec.flying);
	assert_int_equal(decision.exec.tries, 0);
	/* What was answered about another run says nothing about this one. */
	assert_int_equal(decision.exec.answer, ANSWER_NONE);
	assert_false(decision.exec.may_have_run);
}

/* The old container is gone, and so is whoever would answer; the new one must not wait for that. */
static void a_new_container_is_asked_at_once(void **state)
{
	struct action action = exec_action;

	(void)state;
	ask_for(&action);
	turn_after(WORK_COALESCE_MS);
	action.exec.container = "c2";
	put(OBJECT_POD, POD("shop-0", "6"));
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(w.exec_count, 2);
	decision.action_count = 0;
	fake_exec_done(&w.execs[0], 9);
	put(OBJECT_POD, POD("shop-0", "7"));
	turn_after(WORK_COALESCE_MS);
	assert_true(decision.exec.flying);
	fake_exec_done(&w.execs[1], 0);
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(decision.exec.exit_code, 0);
	assert_string_equal(decision.exec.container, "c2");
}

/* Of two calls the first is answered, and is URGENT or not. */
static void answer_one_of_two(bool urgent)
{
	struct action two[] = { exec_action, exec_action };

	two[0].exec.is_urgent = urgent;
	two[1].name = "shop-1";
	put(OBJECT_POD, POD("shop-1", "6"));
	decision.actions = two;
	decision.action_count = 2;
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(w.exec_count, 2);
	decision.action_count = 0;
	fake_exec_done(&w.execs[0], 0);
}

static void answers_that_may_come_together_are_decided_on_together(void **state)
{
	(void)state;
	answer_one_of_two(false);
	assert_int_equal(turn_after(WORK_GATHER_MS - 1), 0);
	fake_exec_done(&w.execs[1], 0);
	assert_int_equal(turn_after(1), 1);
	assert_int_equal(decision.exec_count, 2);
}

static void an_answer_that_an_upgrade_waits_for_is_decided_on_at_once(void **state)
{
	(void)state;
	answer_one_of_two(true);
	assert_int_equal(turn_after(WORK_COALESCE_MS), 1);
}

/* Two members' calls; the verdict's texts are gone before they are answered. */
static void a_configmeta_is_kept_once_until_the_last_answer(void **state)
{
	char common_part[] = "{\"all\":1,", own[] = "\"mine\":1}", other[] = "\"yours\":2}";
	struct action both[] = { exec_action, exec_action };

	(void)state;
	both[0].exec.config = both[1].exec.config = common_part;
	both[0].exec.config_own = own;
	both[1].exec.config_own = other;
	both[1].name = "shop-1";
	decision.actions = both;
	decision.action_count = 2;
	turn_after(WORK_COALESCE_MS);
	memset(common_part, 'x', sizeof(common_part) - 1);
	memset(other, 'x', sizeof(other) - 1);
	decision.action_count = 0;

	const struct exec_input *first = w.execs[0].request.input, *second = w.execs[1].request.input;
	assert_int_equal(w.exec_count, 2);
	assert_ptr_equal(first[0].data, second[0].data);
	assert_int_equal(first[0].len, sizeof(common_part) - 1);
	assert_int_equal(first[1].len, sizeof(own) - 1);
	fake_exec_done(&w.execs[0], 0);
	assert_memory_equal(second[0].data, "{\"all\":1,", second[0].len);
	assert_memory_equal(second[1].data, "\"yours\":2}", second[1].len);
}

static void what_is_held_is_reported(void **state)
{
	char answer[128];

	(void)state;
	ask_for(&exec_action);
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(w.execs[0].request.input[0].len, 0);
	snprintf(answer, sizeof(answer), "rolecall/1 %s aside 4 why\nrolecall/1 %s done 0\n", w.execs[0].key, w.execs[0].key);
	fake_exec_end(&w.execs[0], EXEC_EXITED, answer);
	decision.action_count = 0;
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(decision.exec.config, 4);
	assert_true(decision.exec.config_aside);
	assert_string_equal(decision.exec.config_why, "why");
}

static void remove_pod(void)
{
	const char *text = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"shop-0\",\"resourceVersion\":\"50\"}}";
	cleanup_json cJSON *json = json_parse(text, strlen(text), NULL);

	assert_int_equal(store_remove(&s, OBJECT_POD, json, NULL), 0);
}

static void answers_of_members_that_left_are_forgotten(void **state)
{
	(void)state;
	have_report();
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(decision.exec_count, 1);
	remove_pod();
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(decision.exec_count, 0);
}

static void a_member_whose_pod_is_away_is_remembered(void **state)
{
	(void)state;
	have_report();
	put(OBJECT_CLUSTER,
	    "{\"kind\":\"Cluster\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"shop\",\"uid\":\"uid-1\",\"resourceVersion\":"
	    "\"40\"},\"spec\":{\"app\":\"v1\",\"roles\":[]},\"status\":{\"roles\":[{\"id\":\"web\",\"members\":[{\"pod\":"
	    "\"shop-0\"}]}]}}");
	remove_pod();
	turn_after(WORK_COALESCE_MS);
	assert_int_equal(decision.exec_count, 1);
	fake_fail(status_write(), ERR_FORBIDDEN, "no");
}

/* Thousand members are told the names of all of them: that is kept once, for as long as one of them is being told. */
static void members_who_are_told_the_same_share_it(void **state)
{
	struct action both[] = { exec_action, exec_action };
	const char *const *first, *const *second;

	(void)state;
	put(OBJECT_POD, POD("shop-1", "6"));
	both[1].name = "shop-1";
	both[1].exec.attempt = 2;
	decision.actions = both;
	decision.action_count = 2;
	turn_after(WORK_COALESCE_MS);
	decision.action_count = 0;
	assert_int_equal(w.exec_count, 2);
	first = w.execs[0].request.argv;
	second = w.execs[1].request.argv;
	assert_ptr_equal(first[2], second[2]);
	assert_string_equal(second[4], "uid-1.7.2");
	fake_exec_done(&w.execs[0], 0);
	assert_string_equal(second[0], "/bin/sh");
	assert_string_equal(second[w.execs[1].request.argc - 1], "handle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_exec_is_not_waited_for_and_not_started_twice),
		TEST(one_verdict_starts_one_exec_a_member),
		TEST(tries_are_counted_for_the_same_run_only),
		TEST(a_new_container_is_asked_at_once),
		TEST(answers_that_may_come_together_are_decided_on_together),
		TEST(an_answer_that_an_upgrade_waits_for_is_decided_on_at_once),
		TEST(a_configmeta_is_kept_once_until_the_last_answer),
		TEST(what_is_held_is_reported),
		TEST(answers_of_members_that_left_are_forgotten),
		TEST(a_member_whose_pod_is_away_is_remembered),
		TEST(members_who_are_told_the_same_share_it),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
