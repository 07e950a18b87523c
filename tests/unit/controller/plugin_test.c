/* Credential plugins as programs: how they are run, and what comes of it. Their answers: execcredential_test.c. */
#include "plugin_fixture.h"

#include "controller/auth/file.h"

struct row {
	const char *name, *exec, *script;
	const char *token;    /* NULL: it fails, with the words below */
	const char *seen;     /* what the plugin wrote into "seen"; NULL: not looked at */
	const char *words[3];
};

static const struct row rows[] = {
	{ "beside the file", "command: ./plugin", SAY_T, "t", NULL, { NULL } },
	{ "in $PATH", "command: bare-plugin", NULL, "from-path", NULL, { NULL } },
	{ "null args and env", "command: ./plugin, args: null, env: null", SAY_T, "t", NULL, { NULL } },
	{ "an absolute path", "command: /bin/sh, args: [-c, 'echo ''" STATUS("\"token\":\"a\"") "''']", NULL, "a", NULL, { NULL } },
	{ "arguments as they are",
	  "command: ./plugin, args: ['', \"two\\nlines 'and' $X\", 'a;touch${IFS}b', '$(id)', \"\\\"\", '*']",
	  "for a; do printf '[%s]' \"$a\"; done >seen\n" SAY_T, "t",
	  "[][two\nlines 'and' $X][a;touch${IFS}b][$(id)][\"][*]", { NULL } },
	{ "environment",
	  "command: ./plugin, env: [{name: HOME, value: first}, {name: HOME, value: a b}, {name: EMPTY, value: ''}, {name: NONE}]",
	  "printf '%s|%s|%s|%s' \"$HOME\" \"${EMPTY-unset}\" \"${NONE-unset}\" \"$INHERITED\" >seen\n" SAY_T, "t", "a b|||yes",
	  { NULL } },
	{ "what it is told", "command: ./plugin", "printf '%s' \"$KUBERNETES_EXEC_INFO\" >seen\n" SAY_T, "t",
	  "{\"apiVersion\":\"" V1 "\",\"kind\":\"ExecCredential\",\"spec\":{\"interactive\":false}}", { NULL } },
	{ "what it is told of the cluster", "command: ./plugin, provideClusterInfo: true",
	  "printf '%s' \"$KUBERNETES_EXEC_INFO\" >seen\n" SAY_T, "t",
	  "{\"apiVersion\":\"" V1 "\",\"kind\":\"ExecCredential\",\"spec\":{\"cluster\":{\"server\":\"https://h\","
	  "\"certificate-authority-data\":\"Q0E=\",\"config\":{\"audience\":\"a\",\"n\":[1,\"b\"]}},\"interactive\":false}}",
	  { NULL } },
	{ "no input", "command: ./plugin", "wc -c | tr -d ' \\n' >seen\n" SAY_T, "t", "0", { NULL } },
	{ "complaints beside an answer", "command: ./plugin", "echo 'warning: old' >&2\n" SAY_T, "t", NULL, { NULL } },
	{ "a large answer", "command: ./plugin",
	  "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"x\":\"%0200000d\",\"status\":{\"token\":\"t\"}}' 0\n", "t",
	  NULL, { NULL } },
	{ "a child that keeps the pipes", "command: ./plugin", "sleep 30 &\n" SAY_T, "t", NULL, { NULL } },
	{ "no such file", "command: ./none, installHint: \"Get it:\\n  https://docs.example/none\"", NULL, NULL, NULL,
	  { "cannot run ./none: No such file", "Get it: https://docs.example/none" } },
	{ "not in $PATH", "command: no-such-plugin, installHint: get it", NULL, NULL, NULL,
	  { "user \"u\"", "cannot run no-such-plugin: No such file", "get it" } },
	{ "not executable", "command: ./plain-text", NULL, NULL, NULL, { "cannot run ./plain-text: Permission denied" } },
	{ "a folder", "command: ./in-path", NULL, NULL, NULL, { "cannot run ./in-path: Permission denied" } },
	{ "it fails", "command: ./plugin, installHint: no hint", "echo 'session has expired' >&2\necho S3CRET\nexit 3\n", NULL, NULL,
	  { "./plugin failed (exit code 3): session has expired" } },
	{ "it fails, and tells too much", "command: ./plugin", "echo 'token: S3CRET' >&2\nexit 1\n", NULL, NULL,
	  { "failed (exit code 1): token: ***" } },
	{ "it fails with many words", "command: ./plugin",
	  "i=0; while [ $i -lt 3000 ]; do echo \"line $i of many\"; i=$((i+1)); done >&2\necho the end >&2\nexit 1\n", NULL, NULL,
	  { "failed (exit code 1): ", "line 2999 of many the end" } },
	{ "it is killed", "command: ./plugin", "kill -9 $$\n", NULL, NULL, { "was killed (signal 9)" } },
	{ "words on standard output", "command: ./plugin", "echo 'Please log in: S3CRET'\n" SAY_T, NULL, NULL,
	  { "./plugin: its answer is neither JSON nor YAML" } },
	{ "no answer, but a complaint", "command: ./plugin", "echo 'log in first' >&2\n", NULL, NULL,
	  { "no ExecCredential: log in first" } },
	{ "1 MB", "command: ./plugin", "head -c 1000000 /dev/zero\n", NULL, NULL, { "more than 262144 bytes" } },
	{ "without end", "command: ./plugin", "cat /dev/zero\n", NULL, NULL, { "more than 262144 bytes" } },
	{ "a token with a line end", "command: ./plugin", SAY("\"token\":\"a\\\\nS3CRET: 1\""), NULL, NULL,
	  { "the token of its answer: the token has a character" } },
	{ "a certificate that is none", "command: ./plugin",
	  SAY("\"clientCertificateData\":\"S3CRET\",\"clientKeyData\":\"S3CRET\""), NULL, NULL,
	  { "the certificate of its answer holds no PEM certificate" } },
};

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_credentials struct credentials c = { 0 };
	cleanup_strbuf struct strbuf seen = { 0 };
	struct err err = { 0 };

	if (load(row->exec, row->script, &c, &err) < 0)
		fail_msg("%s", err.msg);
	int got = credentials_wait(&c, &err);
	if (got < 0 && row->token)
		fail_msg("%s", err.msg);
	assert_int_equal(got, row->token ? 0 : -1);
	assert_string_equal(strbuf_str(&c.token.text), row->token ? row->token : "");
	if (row->seen) {
		assert_int_equal(file_read("seen", &seen, &err), 0);
		assert_string_equal(strbuf_str(&seen), row->seen);
	}
	for (size_t i = 0; i < UNIT_COUNT(row->words) && row->words[i]; i++)
		if (!strstr(err.msg, row->words[i]))
			fail_msg("\"%s\" is not in: %s", row->words[i], err.msg);
	assert_null(strstr(err.msg, "S3CRET"));
}

struct bad_row {
	const char *name, *user;
	const char *words[3];
};

static const struct bad_row bad[] = {
	{ "no command", "exec: {apiVersion: " V1 "}", { "exec of user \"u\"", "no command" } },
	{ "no version", "exec: {command: x}", { "exec of user \"u\"", "apiVersion must be" } },
	{ "an old version", "exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}",
	  { "apiVersion must be", "v1alpha1" } },
	{ "args as text", "exec: {command: x, apiVersion: " V1 ", args: -v}", { "args must be a list" } },
	{ "an argument that is a number", "exec: {command: x, apiVersion: " V1 ", args: [a, 1]}", { "item 2 of args must be text" } },
	{ "env as a mapping", "exec: {command: x, apiVersion: " V1 ", env: {A: b}}", { "env must be a list" } },
	{ "env without a name", "exec: {command: x, apiVersion: " V1 ", env: [{value: S3CRET}]}", { "item 1 of env", "name" } },
	{ "env with a number", "exec: {command: x, apiVersion: " V1 ", env: [{name: A, value: 1}]}",
	  { "item 1 of env: value must be text" } },
	{ "a name with an equals sign", "exec: {command: x, apiVersion: " V1 ", env: [{name: A=b}]}", { "item 1 of env", "\"=\"" } },
	{ "an unknown mode", "exec: {command: x, apiVersion: " V1 ", interactiveMode: Sometimes}", { "interactiveMode must be" } },
	{ "exec as text", "exec: aws", { "exec of user \"u\"", "mapping" } },
};

static int load_user(const char *user, struct credentials *c, struct err *err)
{
	cleanup_strbuf struct strbuf config = { 0 };

	strbuf_addf(&config,
	            "current-context: x\ncontexts: [{name: x, context: {cluster: k, user: u}}]\n"
	            "clusters: [{name: k, cluster: {server: 'https://h'}}]\nusers: [{name: u, user: {%s}}]\n",
	            user);
	write_file("config", config.data, 0600);
	return kubeconfig_load("./config", NULL, c, err);
}

static void test_bad(void **state)
{
	const struct bad_row *row = *state;
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	assert_int_equal(load_user(row->user, &c, &err), -1);
	for (size_t i = 0; i < UNIT_COUNT(row->words) && row->words[i]; i++)
		if (!strstr(err.msg, row->words[i]))
			fail_msg("\"%s\" is not in: %s", row->words[i], err.msg);
	assert_null(strstr(err.msg, "S3CRET"));
}

static void test_token_goes_before_plugin(void **state)
{
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	(void)state;
	if (load_user("token: t, exec: {command: ./none, apiVersion: " V1 "}", &c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_null(c.plugin);
	assert_int_equal(credentials_wait(&c, &err), 0);
	assert_string_equal(c.token.text.data, "t");
}

/* A kubeconfig that is named without its folder: "./plugin" must not become a name for $PATH. */
static void test_file_without_folder(void **state)
{
	cleanup_credentials struct credentials c = { 0 }, other = { 0 };
	struct err err = { 0 };

	(void)state;
	if (load("command: ./plugin", SAY_T, &c, &err) < 0 || kubeconfig_load("config", NULL, &other, &err) < 0 ||
	    credentials_wait(&other, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(other.token.text.data, "t");
}

int main(void)
{
	const struct CMUnitTest fixed[] = {
		cmocka_unit_test(test_token_goes_before_plugin),
		cmocka_unit_test(test_file_without_folder),
	};
	struct CMUnitTest tests[UNIT_COUNT(rows) + UNIT_COUNT(bad) + UNIT_COUNT(fixed)];

	UNIT_ROWS(tests, rows, test_row);
	UNIT_ROWS(tests + UNIT_COUNT(rows), bad, test_bad);
	memcpy(tests + UNIT_COUNT(rows) + UNIT_COUNT(bad), fixed, sizeof(fixed));
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
