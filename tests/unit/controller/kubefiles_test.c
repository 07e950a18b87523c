#include "tests/unit/unit.h"

#include "controller/auth/kubeconfig.h"
#include "controller/auth/kubefiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The tests run in a folder of their own. */
static char dir[] = "/tmp/kubefiles_test.XXXXXX";

static const struct {
	const char *name, *text;
} files[] = {
	{ "a", "current-context: ''\n"
	       "clusters: [{name: k, cluster: {server: 'https://a'}}]\n"
	       "users: [{name: u, user: {token: a}}]\n"
	       "contexts: [{name: a, context: {cluster: k, user: u}}]\n" },
	{ "b", "current-context: b\n"
	       "clusters: [{name: k, cluster: {server: 'https://b', insecure-skip-tls-verify: true}}]\n"
	       "users: [{name: u, user: {token: b}}, {name: v, user: {tokenFile: token}}]\n"
	       "contexts: [{name: b, context: {cluster: k, user: u, namespace: ops}},\n"
	       "           {name: v, context: {cluster: k, user: v}}]\n" },
	{ "broken", "clusters: [" },
	{ "empty", "" },
	{ "sub/.kube/config", "current-context: home\n"
	                      "clusters: [{name: k, cluster: {server: 'https://home'}}]\n"
	                      "users: [{name: u, user: {token: h}}]\n"
	                      "contexts: [{name: home, context: {cluster: k, user: u}}]\n" },
	{ "token", "of-b\n" },
};

static int make_files(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(mkdir("sub/.kube", 0700), 0);
	for (size_t i = 0; i < UNIT_COUNT(files); i++) {
		FILE *f = fopen(files[i].name, "w");
		assert_non_null(f);
		assert_true(fputs(files[i].text, f) >= 0);
		assert_int_equal(fclose(f), 0);
	}
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(files); i++)
		unlink(files[i].name);
	rmdir("sub/.kube");
	rmdir("sub");
	assert_int_equal(chdir("/"), 0);
	return rmdir(dir);
}

struct row {
	const char *name;
	const char *path, *list, *home, *context; /* NULL: not given */
	const char *server, *token;               /* NULL: it fails, with the words below */
	const char *words[3];
};

static const struct row rows[] = {
	{ "the first that is not empty is the current-context", NULL, "a:b", NULL, NULL, "https://a", "a", { NULL } },
	{ "order counts", NULL, "b:a", NULL, NULL, "https://b", "b", { NULL } },
	{ "an entry counts whole", NULL, "a:b", NULL, "v", "https://a", "of-b", { NULL } },
	{ "empty names", NULL, ":a::b:", NULL, NULL, "https://a", "a", { NULL } },
	{ "a file that is missing", NULL, "a:missing:b", NULL, "b", "https://a", "a", { NULL } },
	{ "an empty file", NULL, "empty:b", NULL, NULL, "https://b", "b", { NULL } },
	{ "one file twice", NULL, "b:b", NULL, NULL, "https://b", "b", { NULL } },
	{ "an option goes before the list", "b", "a", NULL, NULL, "https://b", "b", { NULL } },
	{ "an option with a colon is one name", "a:b", NULL, NULL, NULL, NULL, NULL, { "cannot open a:b", "No such file" } },
	{ "an option that is missing", "missing", "a", "sub", NULL, NULL, NULL, { "cannot open missing" } },
	{ "the file at home", NULL, NULL, "sub", NULL, "https://home", "h", { NULL } },
	{ "an empty list is none", NULL, "", "sub", NULL, "https://home", "h", { NULL } },
	{ "all missing", NULL, "x:y", "sub", NULL, NULL, NULL, { "\"x:y\"", "no such file exists" } },
	{ "nothing but colons", NULL, "::", "sub", NULL, NULL, NULL, { "no such file exists" } },
	{ "a broken file", NULL, "a:broken:b", NULL, "b", NULL, NULL, { "kubeconfig broken", "line" } },
	{ "a folder", NULL, "a:sub", NULL, "b", NULL, NULL, { "cannot read sub", "directory" } },
	{ "a file as a folder", NULL, "a:b/c", NULL, "b", NULL, NULL, { "cannot open b/c" } },
	{ "what there is, of all files", NULL, "a:b", NULL, "no", NULL, NULL,
	  { "no context \"no\" in a, b", "contexts: \"a\", \"b\", \"v\"" } },
	{ "nothing at home", NULL, NULL, "nowhere", NULL, NULL, NULL, { "cannot open nowhere/.kube/config" } },
	{ "no home", NULL, NULL, NULL, NULL, NULL, NULL, { "--kubeconfig or $KUBECONFIG" } },
};

static void set_env(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	set_env("KUBECONFIG", row->list);
	set_env("HOME", row->home);
	int loaded = kubeconfig_load(row->path, row->context, &c, &err);
	assert_int_equal(loaded, row->server ? 0 : -1);
	if (loaded == 0) {
		assert_string_equal(c.server, row->server);
		assert_string_equal(c.token.text.data, row->token);
		assert_false(c.insecure && strcmp(row->server, "https://a") == 0);
	}
	for (size_t i = 0; i < UNIT_COUNT(row->words) && row->words[i]; i++)
		if (!strstr(err.msg, row->words[i]))
			fail_msg("\"%s\" is not in: %s", row->words[i], err.msg);
}

static void test_is_named(void **state)
{
	(void)state;
	unsetenv("KUBECONFIG");
	assert_false(kubeconfig_is_named(NULL));
	assert_true(kubeconfig_is_named("given"));
	setenv("KUBECONFIG", "", 1);
	assert_false(kubeconfig_is_named(NULL));
	setenv("KUBECONFIG", "missing", 1);
	assert_true(kubeconfig_is_named(NULL));
}

static void test_too_many(void **state)
{
	cleanup_strbuf struct strbuf list = { 0 };
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i <= KUBEFILES_MAX; i++)
		strbuf_adds(&list, "b:");
	setenv("KUBECONFIG", list.data, 1);
	assert_int_equal(kubeconfig_load(NULL, NULL, &c, &err), -1);
	assert_int_equal(err.kind, ERR_LIMIT);
}

/* What is legal YAML and of no use: it ends soon, and with an error. */
static void check_limit(const char *before, const char *tail, const char *after, const char *words)
{
	cleanup_strbuf struct strbuf text = { 0 };
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	strbuf_adds(&text, "{current-context: a, contexts: [{name: a, context: {cluster: k, user: u}}], "
	                   "clusters: [{name: k, cluster: {server: 'https://a'}}], users: [{name: u, user: {token: t, as: a, ");
	strbuf_adds(&text, before);
	for (int i = 0; i <= ENTRY_LIST_MAX; i++)
		strbuf_addf(&text, "%d%s", i, tail);
	strbuf_addf(&text, "%s}}]}", after);
	unlink("token");
	FILE *f = fopen("token", "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text.data, 1, text.len, f), text.len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(kubeconfig_load("token", NULL, &c, &err), -1);
	assert_int_equal(err.kind, ERR_LIMIT);
	if (!strstr(err.msg, words))
		fail_msg("\"%s\" is not in: %s", words, err.msg);
}

static void test_long_lists(void **state)
{
	(void)state;
	check_limit("as-groups: [g", ", g", "]", "as-groups has more than");
	check_limit("as-user-extra: {k", ": [v], k", ": [v]}", "as-user-extra has more than");
	check_limit("exec: {command: x, apiVersion: client.authentication.k8s.io/v1, args: [a", ", a", "]}", "args has more");
	check_limit("exec: {command: x, apiVersion: client.authentication.k8s.io/v1, env: [{name: a", "}, {name: a", "}]}",
	            "env has more");
}

int main(void)
{
	const struct CMUnitTest fixed[] = {
		cmocka_unit_test(test_is_named),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_long_lists),
	};
	struct CMUnitTest tests[UNIT_COUNT(rows)];

	UNIT_ROWS(tests, rows, test_row);
	int failed = cmocka_run_group_tests(tests, make_files, remove_files);
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	return failed + cmocka_run_group_tests(fixed, make_files, remove_files);
}
