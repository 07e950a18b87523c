#include "tests/unit/unit.h"

#include "reconcile/condition.h"

#include <string.h>

#define MESSAGE_MAX 1024 /* the CRD's maxLength */
#define THEN_MS 5000
#define NOW_MS 9500

struct fixture {
	struct arena arena;
	struct condition *items;
	size_t count;
};

static struct condition_list list_at(struct fixture *f, int64_t now, int64_t generation)
{
	return (struct condition_list){ &f->items, &f->count, now, generation };
}

static void test_time_moves_with_the_word_only(void **state)
{
	struct fixture f = { .count = 0 };

	(void)state;
	condition_set(list_at(&f, THEN_MS, 1), &f.arena, "Ready", false, "Some", "one");
	condition_set(list_at(&f, NOW_MS, 2), &f.arena, "Ready", false, "Other", "two");
	assert_int_equal(f.count, 1);
	assert_int_equal(f.items[0].last_transition_time, THEN_MS);
	assert_int_equal(f.items[0].observed_generation, 2);
	assert_string_equal(f.items[0].reason, "Other");
	assert_string_equal(f.items[0].message, "two");
	condition_set(list_at(&f, NOW_MS, 2), &f.arena, "Ready", true, "All", "three");
	assert_int_equal(f.items[0].last_transition_time, NOW_MS - NOW_MS % 1000);
	arena_release(&f.arena);
}

static void test_one_of_each_type(void **state)
{
	struct fixture f = { .count = 0 };

	(void)state;
	condition_set(list_at(&f, NOW_MS, 1), &f.arena, "Ready", true, "All", "");
	condition_set(list_at(&f, NOW_MS, 1), &f.arena, "Degraded", false, "None", "");
	assert_int_equal(f.count, 2);
	assert_ptr_equal(condition_find(f.items, f.count, "Degraded"), &f.items[1]);
	assert_null(condition_find(f.items, f.count, "Notified"));
	arena_release(&f.arena);
}

static void test_long_message_is_cut(void **state)
{
	struct fixture f = { .count = 0 };
	char text[MESSAGE_MAX + 2];

	(void)state;
	memset(text, 'x', sizeof text);
	text[MESSAGE_MAX + 1] = '\0';
	condition_set(list_at(&f, NOW_MS, 1), &f.arena, "Ready", false, "Some", text);
	assert_int_equal(strlen(f.items[0].message), MESSAGE_MAX);
	text[MESSAGE_MAX] = '\0';
	condition_set(list_at(&f, NOW_MS, 1), &f.arena, "Ready", false, "Some", text);
	assert_int_equal(strlen(f.items[0].message), MESSAGE_MAX);
	arena_release(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_moves_with_the_word_only),
		cmocka_unit_test(test_one_of_each_type),
		cmocka_unit_test(test_long_message_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
