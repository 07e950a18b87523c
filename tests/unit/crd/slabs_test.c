#include "tests/unit/unit.h"

#include "crd/base/slabs.h"
#include "crd/base/strmap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 5000

static size_t used(const struct slabs *s)
{
	size_t sum = 0;

	for (size_t i = 0; i < SLABS_CLASSES; i++)
		sum += s->classes[i].used;
	return sum;
}

static size_t held(const struct slabs *s)
{
	size_t count = 0;

	for (size_t i = 0; i < SLABS_CLASSES; i++)
		count += s->classes[i].slabs != NULL;
	return count;
}

/* Every size up to the largest, and some beyond: each thing keeps what was written into it, however many there are. */
static void test_things_do_not_touch_each_other(void **state)
{
	struct slabs s = { 0 };
	unsigned char *things[MANY];

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		size_t size = i % (SLABS_ITEM_MAX + 10);

		things[i] = slabs_new(&s, size);
		assert_int_equal((uintptr_t)things[i] % SLABS_STEP, 0);
		for (size_t k = 0; k < size; k++)
			assert_int_equal(things[i][k], 0);
		memset(things[i], (int)(i % 251) + 1, size);
	}
	for (size_t i = 0; i < MANY; i++) {
		size_t size = i % (SLABS_ITEM_MAX + 10);

		for (size_t k = 0; k < size; k++)
			assert_int_equal(things[i][k], (int)(i % 251) + 1);
		slabs_free(&s, things[i], size);
	}
	assert_int_equal(used(&s), 0);
	assert_int_equal(held(&s), 0);
}

static void test_freed_is_used_again_and_zeroed(void **state)
{
	struct slabs s = { 0 };

	(void)state;
	void *stays = slabs_new(&s, 40);
	for (int i = 0; i < MANY; i++) {
		char *p = slabs_new(&s, 33);

		assert_int_equal(p[0] + p[32], 0);
		memset(p, 7, 33);
		slabs_free(&s, p, 33);
	}
	assert_true(used(&s) <= 1); /* 0 where a sanitizer looks on */
	slabs_free(&s, stays, 40);
	assert_int_equal(held(&s), 0);
}

static void test_texts_and_nothing(void **state)
{
	struct slabs s = { 0 };

	(void)state;
	const char *text = slabs_strdup(&s, "a text"), *empty = slabs_strdup(&s, "");
	assert_string_equal(text, "a text");
	assert_string_equal(empty, "");
	assert_null(slabs_strdup(&s, NULL));
	slabs_free_text(&s, text);
	slabs_free_text(&s, empty);
	slabs_free_text(&s, NULL);
	slabs_free(&s, NULL, 16);
	assert_int_equal(held(&s), 0);
	free(slabs_new(NULL, 16));
}

static void test_a_map_gives_all_back(void **state)
{
	struct slabs s = { 0 };
	struct strmap map = { .slabs = &s };
	char key[32];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "key-%d", i);
		strmap_set(&map, key, &s);
	}
	assert_int_equal(strmap_count(&map), MANY);
	strmap_remove(&map, "key-17");
	assert_null(strmap_get(&map, "key-17"));
	assert_ptr_equal(strmap_get(&map, "key-18"), &s);
	strmap_release(&map);
	assert_int_equal(held(&s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_things_do_not_touch_each_other),
		cmocka_unit_test(test_freed_is_used_again_and_zeroed),
		cmocka_unit_test(test_texts_and_nothing),
		cmocka_unit_test(test_a_map_gives_all_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
