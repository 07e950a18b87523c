#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/auth/kubeconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

/* Every test runs in an empty folder of its own. */
static char dir[] = "/tmp/kubeconfig_test.XXXXXX";

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int enter_dir(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	write_file("ca.pem", "CA");
	write_file("cert.pem", "CERT");
	write_file("key.pem", "KEY");
	write_file("padded", "\xEF\xBB\xBF  from-file\r\n");
	write_file("empty", "");
	return 0;
}

static int leave_dir(void **state)
{
	static const char *const names[] = { "ca.pem", "cert.pem", "key.pem", "padded", "empty", "config" };

	(void)state;
	for (size_t i = 0; i < LEN(names); i++)
		unlink(names[i]);
	assert_int_equal(chdir("/"), 0);
	return rmdir(dir);
}

#define CLUSTER(fields) "clusters: [{name: k, cluster: {" fields "}}]\n"
#define USER(fields) "users: [{name: u, user: {" fields "}}]\n"
#define CONTEXT "contexts: [{name: x, context: {cluster: k, user: u, namespace: ops}}]\ncurrent-context: x\n"
#define SERVER CLUSTER("server: 'https://h:6443'")
#define TOKEN USER("token: t")

struct good_row {
	const char *name, *text, *context;
	const char *server, *ca, *cert, *key, *token; /* NULL: none */
	const char *tls_server_name, *proxy_url;
	const char *headers;                          /* that say who we are; NULL: not looked at */
	bool insecure;
};

static const struct good_row good[] = {
	{ .name = "token", .text = SERVER TOKEN CONTEXT, .server = "https://h:6443", .token = "t" },
	{ .name = "byte order mark and CRLF",
	  .text = "\xEF\xBB\xBF" "users: [{name: u, user: {token: t}}]\r\n" SERVER CONTEXT,
	  .server = "https://h:6443",
	  .token = "t" },
	{ .name = "JSON",
	  .text = "{\"clusters\":[{\"name\":\"k\",\"cluster\":{\"server\":\"https:\\/\\/h\"}}],"
	          "\"users\":[{\"name\":\"u\",\"user\":{\"token\":\"\\u0074\"}}],"
	          "\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":\"k\",\"user\":\"u\"}}],\"current-context\":\"x\"}",
	  .server = "https://h",
	  .token = "t" },
	{ .name = "a path in front, and slashes at the end",
	  .text = CLUSTER("server: 'https://h/k8s/c1//'") TOKEN CONTEXT,
	  .server = "https://h/k8s/c1",
	  .token = "t" },
	{ .name = "paths relative to the file",
	  .text = CLUSTER("server: 'https://h', certificate-authority: ca.pem")
	          USER("client-certificate: ./cert.pem, client-key: key.pem") CONTEXT,
	  .server = "https://h",
	  .ca = "CA",
	  .cert = "CERT",
	  .key = "KEY" },
	{ .name = "data wins over path",
	  .text = CLUSTER("server: 'https://h', certificate-authority: nowhere, certificate-authority-data: Yw==")
	          USER("client-certificate: nowhere, client-certificate-data: YQ==, client-key: nowhere, "
	               "client-key-data: Yg==") CONTEXT,
	  .server = "https://h",
	  .ca = "c",
	  .cert = "a",
	  .key = "b" },
	{ .name = "empty data is absent",
	  .text = CLUSTER("server: 'https://h', certificate-authority: ca.pem, certificate-authority-data: ''") TOKEN CONTEXT,
	  .server = "https://h",
	  .ca = "CA",
	  .token = "t" },
	{ .name = "folded base64",
	  .text = "clusters:\n- name: k\n  cluster:\n    server: https://h\n    certificate-authority-data: |\n"
	          "      aGVs\n      bG8=\n\n" TOKEN CONTEXT,
	  .server = "https://h",
	  .ca = "hello",
	  .token = "t" },
	{ .name = "tokenFile wins over token and is trimmed",
	  .text = SERVER USER("token: stale, tokenFile: padded") CONTEXT,
	  .server = "https://h:6443",
	  .token = "from-file" },
	{ .name = "switches of the cluster",
	  .text = CLUSTER("server: 'https://h', insecure-skip-tls-verify: True, proxy-url: 'socks5://p:1', "
	                  "tls-server-name: kubernetes") TOKEN CONTEXT,
	  .server = "https://h",
	  .token = "t",
	  .tls_server_name = "kubernetes",
	  .proxy_url = "socks5h://p:1",
	  .insecure = true },
	{ .name = "another context, beside entries that cannot be used",
	  .text = "clusters: [{name: k, cluster: {server: 'https://h'}}, null, 1, {name: j}, {name: j}]\n"
	          "users: [{name: u, user: {auth-provider: {name: x}}}, {name: v, user: {token: t}}]\n"
	          "contexts: [{name: \"caf\xC3\xA9\", context: {cluster: k, user: v}}]\ncurrent-context: gone\n",
	  .context = "caf\xC3\xA9",
	  .server = "https://h",
	  .token = "t" },
	{ .name = "anchors, merge keys and unknown fields",
	  .text = "x: &c {server: 'https://h', extensions: [{name: e, extension: {a: 1}}]}\n"
	          "clusters: [{name: k, cluster: {<<: *c}}]\n" TOKEN CONTEXT,
	  .server = "https://h",
	  .token = "t" },
	{ .name = "JSON with tabs, and a character beyond 16 bits",
	  .text = "{\n\t\"clusters\":\t[{\"name\":\"k\",\"cluster\":{\"server\":\"https://h\"}}],\n"
	          "\t\"users\":[{\"name\":\"\\ud83d\\ude00\",\"user\":{\"token\":\"t\"}}],\n"
	          "\t\"contexts\":[{\"name\":\"x\",\"context\":{\"cluster\":\"k\",\"user\":\"\\ud83d\\ude00\"}}],"
	          "\"current-context\":\"x\"}",
	  .server = "https://h",
	  .token = "t" },
	{ .name = "an IPv6 address, and capitals in the scheme",
	  .text = CLUSTER("server: 'HTTPS://[2001:db8::1]:6443/'") TOKEN CONTEXT,
	  .server = "HTTPS://[2001:db8::1]:6443",
	  .token = "t" },
	{ .name = "name and password",
	  .text = SERVER USER("username: admin, password: 'p:w'") CONTEXT,
	  .server = "https://h:6443",
	  .headers = "Authorization: Basic YWRtaW46cDp3\r\n" },
	{ .name = "a token beyond ASCII",
	  .text = SERVER USER("token: \"t\\u00e9\"") CONTEXT,
	  .server = "https://h:6443",
	  .token = "t\xC3\xA9",
	  .headers = "Authorization: Bearer t\xC3\xA9\r\n" },
	{ .name = "impersonation",
	  .text = SERVER USER("token: t, as: jane, as-uid: '7', as-groups: [a b, c], "
	                      "as-user-extra: {'scopes/x%': [one, two], empty: []}") CONTEXT,
	  .server = "https://h:6443",
	  .token = "t",
	  .headers = "Authorization: Bearer t\r\nImpersonate-User: jane\r\nImpersonate-Uid: 7\r\n"
	             "Impersonate-Group: a b\r\nImpersonate-Group: c\r\n"
	             "Impersonate-Extra-scopes%2Fx%25: one\r\nImpersonate-Extra-scopes%2Fx%25: two\r\n" },
};

static void check_text(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void check_material(const struct material *m, const char *want)
{
	assert_string_equal(strbuf_str(&m->text), want ? want : "");
}

static void test_good(void **state)
{
	const struct good_row *row = *state;
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	write_file("config", row->text);
	if (kubeconfig_load(path_of("config"), row->context, &c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(c.server, row->server);
	check_material(&c.ca, row->ca);
	check_material(&c.cert, row->cert);
	check_material(&c.key, row->key);
	check_material(&c.token, row->token);
	check_text(c.tls_server_name, row->tls_server_name);
	check_text(c.proxy_url, row->proxy_url);
	assert_int_equal(c.insecure, row->insecure);
	check_text(c.namespace, strstr(row->text, "namespace: ops") ? "ops" : NULL);
	cleanup_strbuf struct strbuf headers = { 0 };
	credentials_add_headers(&c, &headers);
	if (row->headers)
		assert_string_equal(strbuf_str(&headers), row->headers);
}

struct bad_row {
	const char *name, *text, *context;
	const char *parts[4]; /* of the message */
};

static const struct bad_row bad[] = {
	{ "empty file", "", NULL, { "config", "no current-context", "--context" } },
	{ "only a comment", "# nothing\n", NULL, { "config", "no current-context" } },
	{ "nothing configured", "clusters: null\ncontexts: []\ncurrent-context: ''\nusers: null\n", NULL,
	  { "no current-context", "there: none" } },
	{ "{}", "{}", NULL, { "no current-context" } },
	{ "a list", "[]", NULL, { "config is not a kubeconfig" } },
	{ "another kind", "kind: Deployment\n", NULL, { "config is not a kubeconfig", "Deployment" } },
	{ "clusters that are no list", "clusters: {k: 1}\n" TOKEN CONTEXT, NULL, { "config", "clusters must be a list" } },
	{ "a current-context that is a number", SERVER TOKEN "current-context: 1\n", NULL,
	  { "config", "current-context must be text" } },
	{ "two documents", SERVER "---\n" TOKEN, NULL, { "config", "more than one document" } },
	{ "a NUL in JSON", "{\"current-context\":\"a\\u0000b\"}", NULL, { "config", "line 1" } },
	{ "two users of one name", SERVER "users: [{name: u, user: {token: t}}, {name: u, user: {token: v}}]\n" CONTEXT, NULL,
	  { "config", "two users", "\"u\"" } },
	{ "no YAML", "clusters: [{name: k", NULL, { "config", "line" } },
	{ "cut JSON", "{\"clusters\":[{\"na", NULL, { "config" } },
	{ "an unknown context", SERVER TOKEN CONTEXT, "y", { "no context \"y\"", "\"x\"" } },
	{ "an unknown cluster", TOKEN CONTEXT, NULL, { "context \"x\"", "no cluster \"k\"", "clusters: none" } },
	{ "an unknown user", SERVER CONTEXT, NULL, { "context \"x\"", "no user \"u\"" } },
	{ "a context without a user", SERVER TOKEN "contexts: [{name: x, context: {cluster: k}}]\n", "x",
	  { "context \"x\"", "names no user" } },
	{ "an empty cluster", "clusters: [{name: k}]\n" TOKEN CONTEXT, NULL, { "cluster \"k\"", "is empty" } },
	{ "no server", CLUSTER("") TOKEN CONTEXT, NULL, { "cluster \"k\"", "no server" } },
	{ "no scheme", CLUSTER("server: 'api:6443'") TOKEN CONTEXT, NULL, { "cluster \"k\"", "\"api:6443\"", "https://" } },
	{ "a server that is a number", CLUSTER("server: 1") TOKEN CONTEXT, NULL, { "cluster \"k\"", "server must be text" } },
	{ "insecure as text", CLUSTER("server: 'https://h', insecure-skip-tls-verify: 'true'") TOKEN CONTEXT, NULL,
	  { "cluster \"k\"", "insecure-skip-tls-verify", "true or false" } },
	{ "insecure with a CA",
	  CLUSTER("server: 'https://h', insecure-skip-tls-verify: true, certificate-authority: ca.pem") TOKEN CONTEXT, NULL,
	  { "cluster \"k\"", "both", "remove one" } },
	{ "a CA that is not there", CLUSTER("server: 'https://h', certificate-authority: nope.pem") TOKEN CONTEXT, NULL,
	  { "certificate-authority", "nope.pem", "cluster \"k\"", "No such file" } },
	{ "an empty CA file", CLUSTER("server: 'https://h', certificate-authority: empty") TOKEN CONTEXT, NULL,
	  { "certificate-authority", "cluster \"k\"", "is empty" } },
	{ "data that is no base64", SERVER USER("client-certificate-data: '!!!', client-key-data: YQ==") CONTEXT, NULL,
	  { "client-certificate-data of user \"u\"", "not base64" } },
	{ "certificate without key", SERVER USER("client-certificate: cert.pem") CONTEXT, NULL,
	  { "user \"u\"", "client-key", "missing" } },
	{ "no credentials", SERVER USER("") CONTEXT, NULL, { "user \"u\"", "no credentials" } },
	{ "an empty token file", SERVER USER("tokenFile: empty") CONTEXT, NULL, { "tokenFile", "user \"u\"", "is empty" } },
	{ "a token with a line end", SERVER USER("token: \"a\\r\\nX-Evil: 1\"") CONTEXT, NULL,
	  { "token of user \"u\"", "character" } },
	{ "a token that is a large number", SERVER USER("token: 98765432109876543210") CONTEXT, NULL, { "config", "line 2" } },
	{ "a token that is a number", SERVER USER("token: 12") CONTEXT, NULL, { "user \"u\"", "token must be text" } },
	{ "auth-provider", SERVER USER("auth-provider: {name: gcp}, token: t") CONTEXT, NULL,
	  { "user \"u\"", "auth-provider gcp", "--context" } },
	{ "token and password", SERVER USER("token: t, username: a, password: b") CONTEXT, NULL, { "user \"u\"", "both" } },
	{ "a password alone", SERVER USER("password: Evil") CONTEXT, NULL, { "user \"u\"", "username" } },
	{ "a colon in the name", SERVER USER("username: 'a:b', password: Evil") CONTEXT, NULL, { "user \"u\"", "colon" } },
	{ "groups without a user", SERVER USER("token: t, as-groups: [a]") CONTEXT, NULL, { "user \"u\"", "\"as\"" } },
	{ "a group with a line end", SERVER USER("token: t, as: b, as-groups: [\"a\\nEvil: 1\"]") CONTEXT, NULL,
	  { "user \"u\"", "as-groups" } },
	{ "groups that are text", SERVER USER("token: t, as: b, as-groups: a") CONTEXT, NULL, { "as-groups must be a list" } },
	{ "a group that is a number", SERVER USER("token: t, as: b, as-groups: [a, 1]") CONTEXT, NULL,
	  { "item 2 of as-groups must be text" } },
	{ "extras that are a list", SERVER USER("token: t, as: b, as-user-extra: [a]") CONTEXT, NULL, { "as-user-extra" } },
	{ "an unknown kind of proxy", CLUSTER("server: 'https://h', proxy-url: 'ftp://Evil'") TOKEN CONTEXT, NULL,
	  { "cluster \"k\"", "proxy-url", "socks5" } },
};

static void test_bad(void **state)
{
	const struct bad_row *row = *state;
	struct credentials c = { .server = "untouched" };
	struct err err = { 0 };

	write_file("config", row->text);
	assert_int_equal(kubeconfig_load(path_of("config"), row->context, &c, &err), -1);
	assert_string_equal(c.server, "untouched");
	for (size_t i = 0; i < LEN(row->parts) && row->parts[i]; i++)
		if (!strstr(err.msg, row->parts[i]))
			fail_msg("\"%s\" is not in: %s", row->parts[i], err.msg);
	assert_null(strstr(err.msg, "Evil"));
	assert_null(strstr(err.msg, "9876543210"));
}

int main(void)
{
	struct CMUnitTest tests[LEN(good) + LEN(bad)];

	for (size_t i = 0; i < LEN(good); i++)
		tests[i] =
			(struct CMUnitTest){ good[i].name, test_good, NULL, NULL, (void *)(uintptr_t)&good[i] };
	for (size_t i = 0; i < LEN(bad); i++)
		tests[LEN(good) + i] =
			(struct CMUnitTest){ bad[i].name, test_bad, NULL, NULL, (void *)(uintptr_t)&bad[i] };
	return cmocka_run_group_tests(tests, enter_dir, leave_dir);
}
