#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/log.h"
#include "crd/base/json.h"
#include "crd/base/time.h"

#include <string.h>
#include <unistd.h>

static int out[2];

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(pipe(out), 0);
	log_set_fd(out[1]);
	log_set_level(LOG_INFO);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	log_set_fd(STDERR_FILENO);
	close(out[0]);
	close(out[1]);
	return 0;
}

/* The one line that was written, as a tree. */
static cJSON *read_line(void)
{
	char line[16384];
	struct err err = { 0 };
	ssize_t len = read(out[0], line, sizeof(line));

	assert_true(len > 0);
	assert_int_equal(line[len - 1], '\n');
	assert_ptr_equal(memchr(line, '\n', (size_t)len), line + len - 1);
	cJSON *tree = json_parse(line, (size_t)len, &err);
	assert_non_null(tree);
	return tree;
}

static bool nothing_written(void)
{
	char c;

	close(out[1]);
	out[1] = -1;
	return read(out[0], &c, 1) == 0;
}

static void test_line(void **state)
{
	int64_t when;

	(void)state;
	log_warn("pass done", LOG_STR("cluster", "ns/shop"), LOG_INT("n", -3), LOG_BOOL("ready", true),
	         LOG_STR("none", NULL));
	cleanup_json cJSON *line = read_line();
	assert_string_equal(json_str(line, "level"), "warn");
	assert_string_equal(json_str(line, "msg"), "pass done");
	assert_string_equal(json_str(line, "cluster"), "ns/shop");
	assert_int_equal(json_int(line, "n", 0), -3);
	assert_true(json_bool(line, "ready"));
	assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(line, "none")));
	assert_int_equal(time_parse(json_str(line, "time"), &when), 0);
}

static void test_no_pairs(void **state)
{
	(void)state;
	log_error("failed");
	cleanup_json cJSON *line = read_line();
	assert_string_equal(json_str(line, "level"), "error");
	assert_int_equal(cJSON_GetArraySize(line), 3);
}

static void test_odd_text_stays_one_line(void **state)
{
	(void)state;
	log_info("x", LOG_STR("text", "a\nb\"c\\\xff\x1b[31m"));
	cleanup_json cJSON *line = read_line();
	assert_string_equal(json_str(line, "text"), "a\nb\"c\\\xEF\xBF\xBD\x1b[31m");
}

static void test_long_text_is_cut_between_characters(void **state)
{
	char text[LOG_VALUE_MAX * 2 + 1];

	(void)state;
	text[0] = 'x';
	for (size_t i = 1; i < sizeof(text) - 1; i += 2)
		memcpy(text + i, "\xC3\xA9", 2);
	text[sizeof(text) - 2] = '\0';
	log_info("x", LOG_STR("text", text));
	cleanup_json cJSON *line = read_line();
	const char *got = json_str(line, "text");
	assert_int_equal(strlen(got), LOG_VALUE_MAX - 1 + 3);
	assert_string_equal(got + strlen(got) - 5, "\xC3\xA9...");
}

static void test_level_below_is_dropped(void **state)
{
	(void)state;
	assert_false(log_wants(LOG_DEBUG));
	log_debug("not wanted");
	assert_true(nothing_written());
}

static void test_level_above_is_written(void **state)
{
	(void)state;
	log_set_level(LOG_DEBUG);
	log_debug("wanted");
	cleanup_json cJSON *line = read_line();
	assert_string_equal(json_str(line, "msg"), "wanted");
}

static void test_level_names(void **state)
{
	enum log_level level = LOG_INFO;

	(void)state;
	assert_int_equal(log_level_parse("error", &level), 0);
	assert_int_equal(level, LOG_ERROR);
	assert_int_equal(log_level_parse("debug", &level), 0);
	assert_int_equal(level, LOG_DEBUG);
	assert_int_equal(log_level_parse("verbose", &level), -1);
	assert_int_equal(log_level_parse("", &level), -1);
	assert_int_equal(level, LOG_DEBUG);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_line),
		TEST(test_no_pairs),
		TEST(test_odd_text_stays_one_line),
		TEST(test_long_text_is_cut_between_characters),
		TEST(test_level_below_is_dropped),
		TEST(test_level_above_is_written),
		cmocka_unit_test(test_level_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
