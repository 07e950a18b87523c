#include "controller/cli/options.h"
#include "tests/unit/unit.h"

#include <string.h>

#define COMMAND_LINE_MAX 10

struct row {
	const char *name;
	const char *args[COMMAND_LINE_MAX];
	const char *wrong; /* the message; NULL: it is right */
	struct options want;
};

#define GET .command = COMMAND_GET, .operand_count = 1, .operands = { "shop" }
#define RUN .command = COMMAND_RUN

static const struct row rows[] = {
	{ "nothing", { NULL }, "no command", { 0 } },
	{ "help", { "--help" }, NULL, { .command = COMMAND_HELP, .help = true } },
	{ "-h", { "-h" }, NULL, { .command = COMMAND_HELP, .help = true } },
	{ "help as a word", { "help" }, NULL, { .command = COMMAND_HELP, .help = true } },
	{ "help of a command", { "help", "skip" }, NULL, { .command = COMMAND_SKIP, .help = true } },
	{ "help of no command",
	  { "help", "skp" },
	  "there is no command \"skp\": did you mean \"skip\"?",
	  { .command = COMMAND_HELP } },
	{ "a command's help needs no operands", { "skip", "--help" }, NULL, { .command = COMMAND_SKIP, .help = true } },
	{ "version", { "version" }, NULL, { .command = COMMAND_VERSION } },
	{ "version as an option", { "--version" }, NULL, { .command = COMMAND_VERSION, .show_version = true } },
	{ "unknown command", { "gte", "shop" }, "there is no command \"gte\": did you mean \"get\"?", { 0 } },
	{ "a command that is like none", { "frobnicate" }, "there is no command \"frobnicate\"", { 0 } },
	{ "get", { "get" }, NULL, { .command = COMMAND_GET } },
	{ "get one", { "get", "shop" }, NULL, { GET } },
	{ "options behind, with =", { "get", "shop", "--namespace=n" }, NULL, { GET, .namespace = "n" } },
	{ "options behind, as two words", { "get", "shop", "--namespace", "n" }, NULL, { GET, .namespace = "n" } },
	{ "options in front", { "-n", "n", "get", "shop" }, NULL, { GET, .namespace = "n" } },
	{ "a letter and its value in one word", { "get", "-nn", "shop" }, NULL, { GET, .namespace = "n" } },
	{ "a letter, = and its value", { "get", "-n=n", "shop" }, NULL, { GET, .namespace = "n" } },
	{ "letters together",
	  { "get", "-Awojson" },
	  NULL,
	  { .command = COMMAND_GET, .all_namespaces = true, .watch = true, .output = OUTPUT_JSON } },
	{ "false", { "get", "shop", "--watch=false" }, NULL, { GET } },
	{ "true", { "get", "shop", "--watch=true" }, NULL, { GET, .watch = true } },
	{ "neither true nor false", { "get", "--watch=1" }, "--watch takes no value but true or false, not \"1\"", { 0 } },
	{ "the last one counts", { "get", "shop", "-n", "a", "-n", "b" }, NULL, { GET, .namespace = "b" } },
	{ "behind -- all are operands", { "get", "--", "shop" }, NULL, { GET } },
	{ "a name that looks like an option",
	  { "get", "--", "-n" },
	  NULL,
	  { .command = COMMAND_GET, .operand_count = 1, .operands = { "-n" } } },
	{ "unknown option", { "get", "--namespce", "n" }, "there is no option --namespce: did you mean --namespace?", { 0 } },
	{ "no abbreviations", { "get", "--name=n" }, "there is no option --name", { 0 } },
	{ "unknown letter", { "get", "-x" }, "there is no option \"-x\"", { 0 } },
	{ "another command's option", { "pause", "shop", "--watch" }, "pause takes no option --watch", { 0 } },
	{ "missing value", { "get", "--context" }, "--context needs a value: --context NAME", { 0 } },
	{ "empty value", { "get", "-n", "" }, "--namespace was given an empty value; leave the option out instead", { 0 } },
	{ "unknown format",
	  { "get", "-o", "xml" },
	  "--output is table, wide, json, yaml or name, not \"xml\"",
	  { 0 } },
	{ "seconds", { "get", "shop", "--request-timeout", "90" }, NULL, { GET, .request_timeout_ms = 90000 } },
	{ "minutes", { "get", "shop", "--request-timeout=2m" }, NULL, { GET, .request_timeout_ms = 120000 } },
	{ "hours", { "get", "shop", "--request-timeout=1h" }, NULL, { GET, .request_timeout_ms = 3600000 } },
	{ "no time",
	  { "get", "--request-timeout=0" },
	  "--request-timeout is a time from 1s to 24h, as 90s or 2m, not \"0\"",
	  { 0 } },
	{ "a unit that is none",
	  { "get", "--request-timeout=9d" },
	  "--request-timeout is a time from 1s to 24h, as 90s or 2m, not \"9d\"",
	  { 0 } },
	{ "a negative time",
	  { "get", "--request-timeout=-1s" },
	  "--request-timeout is a time from 1s to 24h, as 90s or 2m, not \"-1s\"",
	  { 0 } },
	{ "a time too long",
	  { "get", "--request-timeout=99999999999999999999h" },
	  "--request-timeout is a time from 1s to 24h, as 90s or 2m, not \"99999999999999999999h\"",
	  { 0 } },
	{ "everywhere and one name",
	  { "get", "-A", "shop" },
	  "--all-namespaces goes with neither a name nor --namespace: which is meant?",
	  { 0 } },
	{ "everywhere and one namespace",
	  { "get", "-A", "-n", "n" },
	  "--all-namespaces goes with neither --namespace nor a name: which is meant?",
	  { 0 } },
	{ "kind and name", { "get", "cluster/shop" }, NULL, { GET } },
	{ "short kind and name", { "get", "rcl/shop" }, NULL, { GET } },
	{ "as -o name prints it", { "get", "cluster.rolecall.dev/shop" }, NULL, { GET } },
	{ "another kind",
	  { "get", "app/x" },
	  "\"app/x\" is no Cluster, and get is about Clusters only; for other kinds: kubectl get app/x",
	  { 0 } },
	{ "a kind without a name", { "get", "cluster/" }, "\"cluster/\" is no name of a Cluster", { 0 } },
	{ "kind and name as two words",
	  { "get", "cluster", "shop" },
	  "all commands are about Clusters, the kind is not named: rolecall get shop",
	  { 0 } },
	{ "two where one is meant", { "get", "a", "b" }, "get takes one Cluster, and 2 were given: a, b", { 0 } },
	{ "many where one is meant",
	  { "pause", "a", "b", "c", "d", "e" },
	  "pause takes one Cluster, and 5 were given: a, b, ...",
	  { 0 } },
	{ "too few", { "retry", "shop" }, "retry needs CLUSTER MEMBER", { 0 } },
	{ "too many", { "retry", "shop", "a", "b" }, "retry takes CLUSTER MEMBER, and \"b\" is too much", { 0 } },
	{ "far too many", { "skip", "shop", "a", "1", "2" }, "skip takes CLUSTER MEMBER ID, and \"the rest\" is too much", { 0 } },
	{ "an empty name", { "get", "" }, "get was given an empty name", { 0 } },
	{ "a member",
	  { "skip", "shop", "a-0/12", "--wait", "--timeout=5s" },
	  NULL,
	  { .command = COMMAND_SKIP, .operand_count = 2, .operands = { "shop", "a-0/12" }, .wait = true, .wait_timeout_ms = 5000 } },
	{ "run", { "run" }, NULL, { RUN } },
	{ "run with everything",
	  { "run", "--kubeconfig", "k", "--context=c", "--namespace", "n", "--log-level=debug" },
	  NULL,
	  { RUN, .kubeconfig = "k", .context = "c", .namespace = "n", .log_level = LOG_DEBUG } },
	{ "unknown level", { "run", "--log-level", "loud" }, "--log-level is error, warn, info or debug, not \"loud\"", { 0 } },
	{ "a word after run", { "run", "now" }, "run takes options only, and \"now\" is too much", { 0 } },
	{ "two shells", { "completion", "bash", "zsh" }, "completion takes one shell, and 2 were given: bash, zsh", { 0 } },
};

static void check_text(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void check_options(const struct options *got, const struct options *want)
{
	assert_int_equal(got->command, want->command);
	assert_int_equal(got->help, want->help);
	assert_int_equal(got->show_version, want->show_version);
	assert_int_equal(got->operand_count, want->operand_count);
	for (size_t i = 0; i < want->operand_count; i++)
		assert_string_equal(got->operands[i], want->operands[i]);
	check_text(got->kubeconfig, want->kubeconfig);
	check_text(got->context, want->context);
	check_text(got->namespace, want->namespace);
	assert_int_equal(got->all_namespaces, want->all_namespaces);
	assert_int_equal(got->watch, want->watch);
	assert_int_equal(got->wait, want->wait);
	assert_int_equal(got->output, want->output);
	assert_int_equal(got->log_level, want->log_level ? want->log_level : LOG_INFO);
	assert_int_equal(got->request_timeout_ms, want->request_timeout_ms ? want->request_timeout_ms : REQUEST_TIMEOUT_MS);
	assert_int_equal(got->wait_timeout_ms, want->wait_timeout_ms ? want->wait_timeout_ms : WAIT_TIMEOUT_MS);
}

static int parse(const char *program, const char *const *args, size_t max, struct options *ret, struct err *err)
{
	char *argv[1 + COMMAND_LINE_MAX] = { (char *)(uintptr_t)program };
	int argc = 1;

	for (size_t i = 0; i < max && args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)args[i];
	return options_parse(argc, argv, ret, err);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	struct options got;
	struct err err = { 0 };
	int parsed = parse("rolecall", row->args, UNIT_COUNT(row->args), &got, &err);

	if (row->wrong) {
		assert_string_equal(err.msg, row->wrong);
		assert_int_equal(parsed, -1);
		return;
	}
	assert_string_equal(err.msg, "");
	assert_int_equal(parsed, 0);
	check_options(&got, &row->want);
}

static void test_program(void **state)
{
	static const char *const get[] = { "get", "rcl", "shop", NULL };
	struct options got;
	struct err err;

	(void)state;
	assert_int_equal(parse("/usr/local/bin/kubectl-rolecall", get, UNIT_COUNT(get), &got, &err), -1);
	assert_string_equal(got.program, "kubectl rolecall");
	assert_string_equal(err.msg, "all commands are about Clusters, the kind is not named: kubectl rolecall get shop");
}

/* Every option stands in some help, every exit code in the general one, and the program is called by its name. */
static void test_help(void **state)
{
	static const char *const words[] = { "--kubeconfig FILE", "--log-level LEVEL", "SIGTERM",  "  kubectl rolecall run --n",
		                             "-n, --namespace NAME" };
	struct options o = { .program = "kubectl rolecall", .command = COMMAND_RUN, .help = true };
	cleanup_strbuf struct strbuf run = { 0 }, all = { 0 };

	(void)state;
	options_help(&o, &run);
	for (size_t i = 0; i < UNIT_COUNT(words); i++)
		assert_non_null(strstr(strbuf_str(&run), words[i]));
	assert_null(strstr(strbuf_str(&run), "--watch"));
	assert_null(strchr(strbuf_str(&run), '@'));
	o.command = COMMAND_HELP;
	options_help(&o, &all);
	for (enum command c = 0; c < COMMANDS; c++)
		assert_non_null(strstr(strbuf_str(&all), command_words[c].summary));
	for (char code[] = "\n  0  "; code[3] <= '5'; code[3]++)
		assert_non_null(strstr(strbuf_str(&all), code));
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + 2];

	UNIT_ROWS(tests, rows, test_row);
	tests[UNIT_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(test_program);
	tests[UNIT_COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(test_help);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
