#include "tests/unit/unit.h"

#include "crd/base/strmap.h"

#include <stdio.h>

static int values[1000];

static void set_get_remove(void **state)
{
	(void)state;
	cleanup_strmap struct strmap m = { 0 };
	assert_null(strmap_get(&m, "a"));
	assert_null(strmap_remove(&m, "a"));
	assert_null(strmap_set(&m, "a", &values[1]));
	assert_null(strmap_set(&m, "", &values[2]));
	assert_ptr_equal(strmap_set(&m, "a", &values[3]), &values[1]);
	assert_int_equal(strmap_count(&m), 2);
	assert_ptr_equal(strmap_get(&m, "a"), &values[3]);
	assert_ptr_equal(strmap_get(&m, ""), &values[2]);
	assert_null(strmap_get(&m, "A"));
	assert_ptr_equal(strmap_remove(&m, "a"), &values[3]);
	assert_null(strmap_get(&m, "a"));
	assert_int_equal(strmap_count(&m), 1);
}

static void keys_are_copied(void **state)
{
	(void)state;
	cleanup_strmap struct strmap m = { 0 };
	char key[8] = "web-0";
	strmap_set(&m, key, &values[0]);
	key[4] = '1';
	assert_ptr_equal(strmap_get(&m, "web-0"), &values[0]);
	assert_null(strmap_get(&m, "web-1"));
}

static void walk_in_order_and_remove_on_the_way(void **state)
{
	(void)state;
	cleanup_strmap struct strmap m = { 0 };
	char key[16];
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "key-%d", i);
		strmap_set(&m, key, &values[i]);
	}
	struct strmap_iter it = { 0 };
	int seen = 0;
	for (const char *k; (k = strmap_next(&m, &it)); seen++) {
		assert_ptr_equal(it.value, &values[seen]);
		if (seen % 2)
			assert_ptr_equal(strmap_remove(&m, k), &values[seen]);
	}
	assert_int_equal(seen, 1000);
	assert_int_equal(strmap_count(&m), 500);
	it = (struct strmap_iter){ 0 };
	assert_string_equal(strmap_next(&m, &it), "key-0");
	assert_string_equal(strmap_next(&m, &it), "key-2");
}

static void empty_and_released(void **state)
{
	(void)state;
	struct strmap m = { 0 };
	struct strmap_iter it = { 0 };
	assert_null(strmap_next(&m, &it));
	strmap_set(&m, "a", &values[0]);
	strmap_release(&m);
	strmap_release(&m);
	strmap_release(NULL);
	assert_int_equal(strmap_count(&m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_get_remove),
		cmocka_unit_test(keys_are_copied),
		cmocka_unit_test(walk_in_order_and_remove_on_the_way),
		cmocka_unit_test(empty_and_released),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
