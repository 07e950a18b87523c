#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/options.h"

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

struct row {
	const char *name;
	const char *args[8];
	const char *wrong; /* part of the message; NULL: it is right */
	struct options want;
};

#define RUN .command = COMMAND_RUN

static const struct row rows[] = {
	{ "nothing", { NULL }, "no command", { 0 } },
	{ "help", { "--help" }, NULL, { .command = COMMAND_HELP, .log_level = LOG_INFO } },
	{ "help as a word", { "help" }, NULL, { .command = COMMAND_HELP, .log_level = LOG_INFO } },
	{ "version", { "version" }, NULL, { .command = COMMAND_VERSION, .log_level = LOG_INFO } },
	{ "unknown command", { "start" }, "\"start\"", { 0 } },
	{ "run", { "run" }, NULL, { RUN, .log_level = LOG_INFO } },
	{ "run with everything",
	  { "run", "--kubeconfig", "k", "--context=c", "--namespace", "n", "--log-level=debug" },
	  NULL,
	  { RUN, "k", "c", "n", LOG_DEBUG } },
	{ "run help", { "run", "--help" }, NULL, { .command = COMMAND_RUN_HELP, .log_level = LOG_INFO } },
	{ "run -h", { "run", "-h" }, NULL, { .command = COMMAND_RUN_HELP, .log_level = LOG_INFO } },
	{ "unknown option", { "run", "--speed" }, "\"--speed\"", { 0 } },
	{ "missing value", { "run", "--context" }, "--context needs a value", { 0 } },
	{ "empty value", { "run", "--kubeconfig", "" }, "empty", { 0 } },
	{ "unknown level", { "run", "--log-level", "loud" }, "not \"loud\"", { 0 } },
	{ "a word after run", { "run", "now" }, "\"now\"", { 0 } },
};

static void check_text(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	char *argv[2 + LEN(row->args)] = { (char *)(uintptr_t)"rolecall" };
	struct options got = { .command = COMMAND_VERSION, .kubeconfig = "untouched" };
	struct err err = { 0 };
	int argc = 1;

	while ((size_t)argc <= LEN(row->args) && row->args[argc - 1]) {
		argv[argc] = (char *)(uintptr_t)row->args[argc - 1];
		argc++;
	}
	int parsed = options_parse(argc, argv, &got, &err);
	assert_int_equal(parsed, row->wrong ? -1 : 0);
	if (row->wrong) {
		assert_non_null(strstr(err.msg, row->wrong));
		assert_string_equal(got.kubeconfig, "untouched");
		return;
	}
	assert_int_equal(got.command, row->want.command);
	assert_int_equal(got.log_level, row->want.log_level);
	check_text(got.kubeconfig, row->want.kubeconfig);
	check_text(got.context, row->want.context);
	check_text(got.namespace, row->want.namespace);
}

static void test_help_names_every_option(void **state)
{
	static const char *const words[] = { "--kubeconfig FILE", "--context NAME", "--namespace NAME",
		                             "--log-level LEVEL", "SIGTERM", "exit codes: 0" };
	char text[4096] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(out);
	options_print_run_help(out);
	fclose(out);
	for (size_t i = 0; i < LEN(words); i++)
		assert_non_null(strstr(text, words[i]));
}

int main(void)
{
	struct CMUnitTest tests[1 + LEN(rows)] = { cmocka_unit_test(test_help_names_every_option) };

	for (size_t i = 0; i < LEN(rows); i++)
		tests[1 + i] = (struct CMUnitTest){ rows[i].name, test_row, NULL, NULL, (void *)(uintptr_t)&rows[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
