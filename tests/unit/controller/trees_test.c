#include "tests/unit/unit.h"

#include "controller/trees.h"
#include "crd/base/json.h"

#include <malloc.h>
#include <string.h>

static const char text[] = "{\"list\":[{\"name\":\"a text that is longer than a node\",\"count\":1.5}]}";

static size_t heap(void)
{
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Trees that overlap keep what they say until the last one is gone; then nothing of them is on the heap. */
static void test_trees_come_and_go(void **state)
{
	size_t before = heap();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		cJSON *first = json_parse(text, strlen(text), NULL), *second = json_parse(text, strlen(text), NULL);

		cJSON_AddStringToObject(second, "more", "words");
		cJSON_Delete(first);
		assert_string_equal(json_str(json_get(second, "list")->child, "name"), "a text that is longer than a node");
		assert_string_equal(json_str(second, "more"), "words");
		trees_give_back();
		assert_string_equal(json_str(second, "more"), "words");
		cJSON_Delete(second);
	}
	trees_give_back();
	assert_int_equal(heap(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_trees_come_and_go) };

	trees_use_arena();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
