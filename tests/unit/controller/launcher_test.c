#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/exec/detail.h"
#include "controller/exec/launcher.h"
#include "controller/world.h"
#include "crd/base/arena.h"

#include <string.h>

#define KEY "9f0c.7.2"
#define LEN(a) (sizeof(a) / sizeof(*(a)))

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

struct answer_row {
	const char *name;
	enum exec_end end;
	int exec_code;
	const char *output;
	const char *message;
	enum answer answer;
	int exit_code;
	bool ran_again;
	const char *detail;
};

static const struct answer_row answers[] = {
	{"done with 0", EXEC_EXITED, 0, "rolecall/1 " KEY " done 0\n", NULL, ANSWER_DONE, 0, false, NULL},
	{"failed, with the end of its output", EXEC_EXITED, 0, "rolecall/1 " KEY " done 3\nno disk\nsorry\n", NULL,
	 ANSWER_DONE, 3, false, "no disk sorry"},
	{"failed in silence", EXEC_EXITED, 0, "rolecall/1 " KEY " done 255\n", NULL, ANSWER_DONE, 255, false, NULL},
	{"handler not executable", EXEC_EXITED, 0, "rolecall/1 " KEY " done 126\n", NULL, ANSWER_DONE, 126, false, NULL},
	{"handler not found", EXEC_EXITED, 0, "rolecall/1 " KEY " done 127\nsh: exec: x: not found\n", NULL,
	 ANSWER_DONE, 127, false, "sh: exec: x: not found"},
	{"running", EXEC_EXITED, 0, "rolecall/1 " KEY " running 0\n", NULL, ANSWER_RUNNING, 0, false, NULL},
	{"timeout", EXEC_EXITED, 0, "rolecall/1 " KEY " timeout 0\nwaiting\n", NULL, ANSWER_TIMEOUT, 0, false, "waiting"},
	{"no set-up", EXEC_EXITED, 0, "rolecall/1 " KEY " no-setup 0\n", NULL, ANSWER_NO_SETUP, 0, false, NULL},
	{"set-up is there", EXEC_EXITED, 0, "rolecall/1 " KEY " setup 0\n", NULL, ANSWER_SETUP, 0, false, NULL},
	{"no place for state", EXEC_EXITED, 0, "rolecall/1 " KEY " no-state 0\nmkdir: Read-only file system\n", NULL,
	 ANSWER_UNKNOWN, 0, false, "mkdir: Read-only file system"},
	{"meant for another pod", EXEC_EXITED, 0, "rolecall/1 " KEY " other-pod 0\nit is gone\n", NULL, ANSWER_REFUSED, 0, false,
	 "it is gone"},
	{"started again", EXEC_EXITED, 0, "rolecall/1 " KEY " again 0\nrolecall/1 " KEY " running 0\n", NULL,
	 ANSWER_RUNNING, 0, true, NULL},
	{"started again and failed", EXEC_EXITED, 0, "rolecall/1 " KEY " again 0\nrolecall/1 " KEY " done 1\nx\n", NULL,
	 ANSWER_DONE, 1, true, "x"},
	{"again alone is no answer", EXEC_EXITED, 0, "rolecall/1 " KEY " again 0\n", NULL, ANSWER_UNKNOWN, 0, true,
	 "exec 0: rolecall/1 " KEY " again 0"},
	{"noise before it", EXEC_EXITED, 0, "sh: warning: setlocale\n\nrolecall/1 " KEY " done 0\n", NULL, ANSWER_DONE, 0,
	 false, NULL},
	{"the first final word wins", EXEC_EXITED, 0, "rolecall/1 " KEY " done 4\nrolecall/1 " KEY " done 0\n", NULL,
	 ANSWER_DONE, 4, false, "rolecall/1 " KEY " done 0"},
	{"again after the final word is output", EXEC_EXITED, 0,
	 "rolecall/1 " KEY " done 4\nrolecall/1 " KEY " again 0\n", NULL, ANSWER_DONE, 4, false,
	 "rolecall/1 " KEY " again 0"},
	{"exec's exit code says nothing", EXEC_EXITED, 127, "", NULL, ANSWER_UNKNOWN, 0, false,
	 "the exec ended with 127 and gave no answer"},
	{"exit 0 without an answer", EXEC_EXITED, 0, NULL, NULL, ANSWER_UNKNOWN, 0, false,
	 "the exec ended with 0 and gave no answer"},
	{"the runtime's own words", EXEC_EXITED, 126, "exec: /bin/sh: no such file\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 126: exec: /bin/sh: no such file"},
	{"another key", EXEC_EXITED, 0, "rolecall/1 9f0c.7.1 done 0\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 9f0c.7.1 done 0"},
	{"a longer key", EXEC_EXITED, 0, "rolecall/1 " KEY "1 done 0\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY "1 done 0"},
	{"another version", EXEC_EXITED, 0, "rolecall/2 " KEY " done 0\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/2 " KEY " done 0"},
	{"not at the start of the line", EXEC_EXITED, 0, "x rolecall/1 " KEY " done 0\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: x rolecall/1 " KEY " done 0"},
	{"an unknown word", EXEC_EXITED, 0, "rolecall/1 " KEY " dome 0\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " dome 0"},
	{"no code", EXEC_EXITED, 0, "rolecall/1 " KEY " done\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " done"},
	{"empty code", EXEC_EXITED, 0, "rolecall/1 " KEY " done \n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " done"},
	{"code that is none", EXEC_EXITED, 0, "rolecall/1 " KEY " done 0x\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " done 0x"},
	{"code too big", EXEC_EXITED, 0, "rolecall/1 " KEY " done 256\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " done 256"},
	{"negative code", EXEC_EXITED, 0, "rolecall/1 " KEY " done -1\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " done -1"},
	{"more behind the code", EXEC_EXITED, 0, "rolecall/1 " KEY " done 0 0\n", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " done 0 0"},
	{"half a line", EXEC_EXITED, 0, "rolecall/1 " KEY " done 1", NULL, ANSWER_UNKNOWN, 0, false,
	 "exec 0: rolecall/1 " KEY " done 1"},
	{"refused", EXEC_REFUSED, 0, NULL, "container not found", ANSWER_REFUSED, 0, false, "container not found"},
	{"refused without a word", EXEC_REFUSED, 0, NULL, NULL, ANSWER_REFUSED, 0, false, NULL},
	{"refused whatever was printed", EXEC_REFUSED, 0, "rolecall/1 " KEY " done 0\n", "no 101", ANSWER_REFUSED, 0,
	 false, "no 101"},
	{"lost", EXEC_LOST, 0, "", "connection reset", ANSWER_UNKNOWN, 0, false, "connection reset"},
	{"lost after the answer", EXEC_LOST, 0, "rolecall/1 " KEY " done 0\n", "connection reset", ANSWER_DONE, 0, false,
	 NULL},
	{"lost inside the answer", EXEC_LOST, 0, "rolecall/1 " KEY " done 12", "connection reset", ANSWER_UNKNOWN, 0,
	 false, "connection reset"},
	{"a long error keeps its end", EXEC_EXITED, 0, "rolecall/1 " KEY " done 1\nlost" HUNDRED TEN TEN "end-here\n", NULL,
	 ANSWER_DONE, 1, false, HUNDRED TEN TEN "end-here"},
	{"a long reason keeps its start", EXEC_REFUSED, 0, NULL, "start-ok" HUNDRED TEN TEN "lost", ANSWER_REFUSED, 0, false,
	 "start-ok" HUNDRED TEN TEN},
};

struct config_row {
	const char *name;
	const char *line; /* before "rolecall/1 KEY done 0" */
	int64_t config;
	bool aside;
	const char *why;
	enum answer answer;
};

static const struct config_row configs[] = {
	{"no word of a configmeta", "", 0, false, NULL, ANSWER_DONE},
	{"configmeta in its place", "rolecall/1 " KEY " config 12\n", 12, false, NULL, ANSWER_DONE},
	{"configmeta of the largest generation", "rolecall/1 " KEY " config 9223372036854775799\n", 9223372036854775799, false, NULL,
	 ANSWER_DONE},
	{"configmeta of a larger one", "rolecall/1 " KEY " config 92233720368547758070\n", 0, false, NULL, ANSWER_DONE},
	{"configmeta aside, and why", "rolecall/1 " KEY " aside 3 mkdir: Read-only\tfile system\n", 3, true,
	 "mkdir: Read-only file system", ANSWER_DONE},
	{"configmeta aside, said by a call that did not try", "rolecall/1 " KEY " aside 3\n", 3, true, NULL, ANSWER_DONE},
	{"configmeta of another run", "rolecall/1 9f0c.7.1 config 3\n", 0, false, NULL, ANSWER_DONE},
	{"configmeta of no generation", "rolecall/1 " KEY " config x\n", 0, false, NULL, ANSWER_DONE},
	{"configmeta and more", "rolecall/1 " KEY " config 3x\n", 0, false, NULL, ANSWER_DONE},
	{"configmeta and a second run", "rolecall/1 " KEY " again 0\nrolecall/1 " KEY " config 3\n", 3, false, NULL, ANSWER_DONE},
	{"configmeta that is missing", "rolecall/1 " KEY " config 3\nrolecall/1 " KEY " no-config 0\n", 3, false, NULL,
	 ANSWER_NO_CONFIG},
	{"configmeta in a handler's output", "rolecall/1 " KEY " done 0\nrolecall/1 " KEY " config 3\n", 0, false, NULL,
	 ANSWER_DONE},
};

static void assert_text(const char *got, const char *want)
{
	if (want) {
		assert_non_null(got);
		assert_string_equal(got, want);
	} else {
		assert_null(got);
	}
}

static void test_answer(void **state)
{
	const struct answer_row *row = *state;
	cleanup_arena struct arena a = {0};
	const struct exec_result r = {row->end, row->exec_code, row->output, row->output ? strlen(row->output) : 0,
				      row->message};
	struct exec_report report = {.answer = ANSWER_SETUP, .exit_code = 99, .ran_again = !row->ran_again,
				     .detail = "old", .id = 7, .tries = 5};

	launcher_answer(&r, KEY, &report, &a);
	assert_int_equal(report.answer, row->answer);
	assert_int_equal(report.exit_code, row->exit_code);
	assert_int_equal(report.ran_again, row->ran_again);
	assert_text(report.detail, row->detail);
	assert_int_equal(report.id, 7);
	assert_int_equal(report.tries, 5);
}

static void test_config(void **state)
{
	const struct config_row *row = *state;
	cleanup_arena struct arena a = {0};
	const char *output = arena_printf(&a, "%srolecall/1 " KEY " done 0\n", row->line);
	const struct exec_result r = {.end = EXEC_EXITED, .output = output, .len = strlen(output)};
	struct exec_report report = {.config = 99, .config_aside = true, .config_why = "old"};

	launcher_answer(&r, KEY, &report, &a);
	assert_int_equal(report.answer, row->answer);
	assert_int_equal(report.config, row->config);
	assert_int_equal(report.config_aside, row->aside);
	assert_text(report.config_why, row->why);
}

struct detail_row {
	const char *name;
	const char *text;
	size_t len;
	const char *head, *tail; /* of 8 bytes */
};

#define TEXT(s) s, sizeof(s) - 1

static const struct detail_row details[] = {
	{"nothing", TEXT(""), NULL, NULL},
	{"white space only", TEXT(" \r\n\t "), NULL, NULL},
	{"fits", TEXT("abcdefgh"), "abcdefgh", "abcdefgh"},
	{"is cut", TEXT("abcdefghi"), "abcdefgh", "bcdefghi"},
	{"lines become blanks", TEXT("\na\r\n\tb \n"), "a b", "a b"},
	{"control characters go", TEXT("a\x1b[1m\0\x7f" "b"), "a[1mb", "a[1mb"},
	{"C1 control characters go", TEXT("a\xc2\x9b" "b"), "ab", "ab"},
	{"line separator is white", TEXT("a\xe2\x80\xa8" "b"), "a b", "a b"},
	{"two bytes stay whole", TEXT("1234567\xc3\xa4" "1234567"), "1234567", "1234567"},
	{"four bytes stay whole", TEXT("123456\xf0\x9f\x98\x80" "123456"), "123456", "123456"},
	{"a character at the edge", TEXT("1234\xf0\x9f\x98\x80" "1234"), "1234\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" "1234"},
	{"a lone tail", TEXT("a\x80" "b"), "a?b", "a?b"},
	{"an unfinished character", TEXT("a\xe2\x82"), "a??", "a??"},
	{"overlong", TEXT("\xc0\xaf\xe0\x80\xaf"), "?????", "?????"},
	{"surrogate", TEXT("\xed\xa0\x80"), "???", "???"},
	{"beyond U+10FFFF", TEXT("\xf4\x90\x80\x80"), "????", "????"},
	{"the last code point", TEXT("\xf4\x8f\xbf\xbf"), "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
};

static void test_detail(void **state)
{
	const struct detail_row *row = *state;
	cleanup_arena struct arena a = {0};

	assert_text(detail_head(row->text, row->len, 8, &a), row->head);
	assert_text(detail_tail(row->text, row->len, 8, &a), row->tail);
}

struct argv_row {
	const char *name;
	struct exec_call call;
	const char *key, *mode, *setup, *limit;
	size_t own;
	const char *generation, *length, *pod;
};

static const char *const handler[] = {"/opt/handler", "--role", "", "a b\n$(x)'\""};

static const struct argv_row calls[] = {
	{"run", {.id = 7, .attempt = 2, .setup = "9f0c/4", .timeout_s = 600, .pod_uid = "77aa", .argv = handler,
		 .argc = LEN(handler)},
	 KEY, "run", "9f0c/4", "600", LEN(handler), "0", "0", "77aa"},
	{"configure", {.id = 8, .attempt = 1, .setup = "9f0c/4", .is_configure = true, .timeout_s = 5, .argv = handler,
		       .argc = 1},
	 "9f0c.8.1", "configure", "9f0c/4", "5", 1, "0", "0", "-"},
	{"run without a set-up", {.id = 9, .attempt = 1, .timeout_s = 1, .argv = handler, .argc = 2},
	 "9f0c.9.1", "run", "-", "1", 2, "0", "0", "-"},
	{"check", {.attempt = 1, .setup = "9f0c/4", .timeout_s = 10}, "9f0c.0.0", "check", "9f0c/4", "10", 0, "0", "0", "-"},
	{"check with a handler", {.setup = "9f0c/4", .argv = handler, .argc = 4}, "9f0c.0.0", "check", "9f0c/4", "0", 0, "0", "0", "-"},
	{"large id", {.id = INT64_MAX, .attempt = 6, .timeout_s = 1, .argv = handler, .argc = 1},
	 "9f0c.9223372036854775807.6", "run", "-", "1", 1, "0", "0", "-"},
	{"configmeta needed", {.id = 7, .attempt = 2, .timeout_s = 1, .generation = 12, .argv = handler, .argc = 1},
	 KEY, "run", "-", "1", 1, "12", "0", "-"},
	{"configmeta sent", {.id = 7, .attempt = 2, .timeout_s = 1, .generation = 12, .config = "{\"a\":1,",
			     .config_own = "\"\xc3\xa4\":2}\n", .argv = handler, .argc = 1},
	 KEY, "run", "-", "1", 1, "12", "15", "-"},
	{"configmeta sent with a check", {.timeout_s = 1, .generation = 12, .config = "{", .config_own = "}"},
	 "9f0c.0.0", "check", "-", "1", 0, "12", "2", "-"},
};

static void test_argv(void **state)
{
	const struct argv_row *row = *state;
	cleanup_arena struct arena a = {0};
	size_t argc = 0;
	const char *const *argv = launcher_argv("9f0c", &row->call, &a, &argc);

	assert_int_equal(argc, 11 + row->own);
	assert_null(argv[argc]);
	assert_string_equal(argv[0], "/bin/sh");
	assert_string_equal(argv[1], "-c");
	assert_non_null(strstr(argv[2], "rolecall/1"));
	assert_string_equal(argv[3], "rolecall");
	assert_string_equal(argv[4], row->key);
	assert_string_equal(argv[4], launcher_key("9f0c", &row->call, &a));
	assert_string_equal(argv[5], row->mode);
	assert_string_equal(argv[6], row->setup);
	assert_string_equal(argv[7], row->limit);
	for (size_t i = 0; i < row->own; i++)
		assert_ptr_equal(argv[11 + i], handler[i]);
	assert_string_equal(argv[8], row->generation);
	assert_string_equal(argv[9], row->length);
	assert_string_equal(argv[10], row->pod);
}

/* Within a kernel's limit of 128 KiB for one argument, and small beside what an exec costs anyway. */
static void test_text_is_small(void **state)
{
	cleanup_arena struct arena a = {0};
	const struct exec_call call = {.id = 0};
	size_t argc;

	(void)state;
	assert_in_range(strlen(launcher_argv("9f0c", &call, &a, &argc)[2]), 1000, 8192);
}

#define ROWS (LEN(answers) + LEN(configs) + LEN(details) + LEN(calls))

int main(void)
{
	struct CMUnitTest tests[ROWS + 1];
	size_t n = 0;

	for (size_t i = 0; i < LEN(answers); i++)
		tests[n++] = (struct CMUnitTest){answers[i].name, test_answer, NULL, NULL, (void *)(uintptr_t)&answers[i]};
	for (size_t i = 0; i < LEN(configs); i++)
		tests[n++] = (struct CMUnitTest){configs[i].name, test_config, NULL, NULL, (void *)(uintptr_t)&configs[i]};
	for (size_t i = 0; i < LEN(details); i++)
		tests[n++] = (struct CMUnitTest){details[i].name, test_detail, NULL, NULL, (void *)(uintptr_t)&details[i]};
	for (size_t i = 0; i < LEN(calls); i++)
		tests[n++] = (struct CMUnitTest){calls[i].name, test_argv, NULL, NULL, (void *)(uintptr_t)&calls[i]};
	tests[n++] = (struct CMUnitTest){"the text is small", test_text_is_small, NULL, NULL, NULL};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
