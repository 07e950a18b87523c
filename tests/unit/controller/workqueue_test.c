#include "tests/unit/unit.h"

#include "controller/work/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct workqueue q;

static int empty(void **state)
{
	(void)state;
	workqueue_release(&q);
	q = (struct workqueue){ 0 };
	return 0;
}

static void push(const char *name, int64_t due)
{
	workqueue_push(&q, OBJECT_CLUSTER, "ns", name, due);
}

/* Pops all that is due at NOW: "a c " */
static void assert_pops(int64_t now, const char *names)
{
	char got[256] = "";
	size_t len = 0;

	for (struct work_item *item; (item = workqueue_pop(&q, now));) {
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s ", item->name);
		free(item);
	}
	assert_string_equal(got, names);
}

static void earliest_first(void **state)
{
	(void)state;
	push("c", 30);
	push("a", 10);
	push("b", 20);
	assert_int_equal(workqueue_next(&q), 10);
	assert_pops(9, "");
	assert_pops(25, "a b ");
	assert_int_equal(workqueue_next(&q), 30);
	assert_pops(30, "c ");
	assert_int_equal(workqueue_next(&q), INT64_MAX);
}

static void a_key_stands_once_and_the_earlier_time_wins(void **state)
{
	(void)state;
	push("a", 30);
	push("a", 10);
	push("a", 20);
	assert_int_equal(workqueue_count(&q), 1);
	assert_int_equal(workqueue_next(&q), 10);
	assert_pops(10, "a ");
	assert_pops(100, "");
}

static void a_key_can_come_back(void **state)
{
	(void)state;
	push("a", 10);
	assert_pops(10, "a ");
	push("a", 5);
	assert_int_equal(workqueue_next(&q), 5);
	assert_pops(10, "a ");
}

static void kind_and_namespace_are_part_of_the_key(void **state)
{
	(void)state;
	workqueue_push(&q, OBJECT_CLUSTER, "one", "a", 1);
	workqueue_push(&q, OBJECT_CLUSTER, "two", "a", 2);
	workqueue_push(&q, OBJECT_APP, "one", "a", 3);
	assert_int_equal(workqueue_count(&q), 3);

	struct work_item *item = workqueue_pop(&q, 1);
	assert_string_equal(item->namespace, "one");
	assert_int_equal(item->kind, OBJECT_CLUSTER);
	free(item);
	assert_pops(3, "a a ");
}

/* Against a plain array, with pushes and pops as they come. */
static void many_keys_keep_their_order(void **state)
{
	int64_t due[40];
	unsigned seed = 7;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(due); i++)
		due[i] = INT64_MAX;
	for (int round = 0; round < 4000; round++) {
		char name[8];
		size_t i = (seed = seed * 1103515245 + 12345) >> 16 & 31;
		int64_t at = round + (seed >> 8 & 63);

		snprintf(name, sizeof(name), "%zu", i);
		push(name, at);
		due[i] = at < due[i] ? at : due[i];

		struct work_item *item = workqueue_pop(&q, round);
		int64_t least = INT64_MAX;
		for (size_t k = 0; k < UNIT_COUNT(due); k++)
			least = due[k] < least ? due[k] : least;
		assert_int_equal(item != NULL, least <= round);
		if (item) {
			assert_int_equal(item->due, least);
			due[strtoul(item->name, NULL, 10)] = INT64_MAX;
		}
		free(item);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(earliest_first, empty, empty),
		cmocka_unit_test_setup_teardown(a_key_stands_once_and_the_earlier_time_wins, empty, empty),
		cmocka_unit_test_setup_teardown(a_key_can_come_back, empty, empty),
		cmocka_unit_test_setup_teardown(kind_and_namespace_are_part_of_the_key, empty, empty),
		cmocka_unit_test_setup_teardown(many_keys_keep_their_order, empty, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
