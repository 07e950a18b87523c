/* Credentials that change under a running net: token files and credential plugins, against a real server. */
#include "net_fixture.h"

#include "controller/auth/file.h"
#include "controller/auth/plugin.h"

#define CLUSTER "server: 'https://localhost:@TLS@', certificate-authority: ca.crt"
#define EXEC "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}"
#define ANSWER(status) "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{" status "}}"
/* Counts its runs in "count"; "answer" is what it says, with COUNT replaced. */
#define PLUGIN                                                                              \
	"#!/bin/sh\ncd '%s'\nn=$(($(cat count) + 1))\necho $n >count\n[ -e gate ] && cat gate\n" \
	"[ -e answer ] || { echo 'log in first' >&2; exit 1; }\nsed \"s/COUNT/$n/\" answer\n"

static struct credentials c;
static struct net *net;

static void open_net(const char *user)
{
	struct err err;

	if (log_in(CLUSTER, user, &c, &err) < 0)
		fail_msg("%s", err.msg);
	net = net_new(&c, &err);
	assert_non_null(net);
}

static void write_plugin(const char *answer)
{
	cleanup_strbuf struct strbuf script = { 0 };

	strbuf_addf(&script, PLUGIN, dir);
	write_file("plugin", script.data, 0700);
	write_file("count", "0\n", 0600);
	write_file("answer", answer, 0600);
}

static int close_net(void **state)
{
	(void)state;
	net_free(net);
	net = NULL;
	credentials_release(&c);
	unlink(in_dir("gate"));
	return 0;
}

static void check_count(const char *want)
{
	char line[16] = "";
	FILE *f = fopen(in_dir("count"), "r");

	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_string_equal(line, want);
}

static void test_token_file(void **state)
{
	struct asked a;

	(void)state;
	write_file("token", "first\n", 0600);
	open_net("tokenFile: token");
	get(net, &a, "/api");
	assert_non_null(strstr(a.body, "Bearer first"));
	write_file("token", "second\r\n", 0600);
	get(net, &a, "/only/second");
	assert_non_null(strstr(a.body, "Bearer second"));
	get(net, &a, "/only/third");
	assert_int_equal(a.http, 401);
	assert_non_null(strstr(a.err.msg, "the credentials of user \"u\""));
}

static void test_plugin_is_asked_again(void **state)
{
	struct asked a, both[2];

	(void)state;
	write_plugin(ANSWER("\"token\":\"tCOUNT\""));
	open_net(EXEC);
	check_count("1\n");
	get(net, &a, "/api");
	assert_non_null(strstr(a.body, "Bearer t1"));
	/* One run serves both. */
	ask(net, &both[0], VERB_GET, "/only/t2");
	ask(net, &both[1], VERB_GET, "/only/t2");
	wait_for(net, &both[0].done);
	wait_for(net, &both[1].done);
	assert_non_null(strstr(both[0].body, "Bearer t2"));
	assert_non_null(strstr(both[1].body, "Bearer t2"));
	check_count("2\n");
}

/* Once, not for ever. */
static void test_refused_again(void **state)
{
	struct asked a;

	(void)state;
	write_plugin(ANSWER("\"token\":\"tCOUNT\""));
	open_net(EXEC);
	get(net, &a, "/only/never");
	assert_int_equal(a.http, 401);
	assert_int_equal(a.err.kind, ERR_FORBIDDEN);
	check_count("2\n");
}

static void test_failure_is_told(void **state)
{
	struct asked a;

	(void)state;
	write_plugin(ANSWER("\"token\":\"tCOUNT\""));
	open_net(EXEC);
	assert_int_equal(unlink(in_dir("answer")), 0);
	get(net, &a, "/only/t9");
	assert_int_equal(a.http, 401);
	assert_non_null(strstr(a.err.msg, "failed (exit code 1): log in first"));
	check_count("2\n");
}

static void test_certificates(void **state)
{
	cleanup_strbuf struct strbuf script = { 0 };
	struct asked a;

	(void)state;
	write_file("who", "jane", 0600);
	strbuf_addf(&script,
	            "#!/bin/sh\ncd '%s'\npem() { sed 's/$/\\\\n/' $(cat who).$1 | tr -d '\\n'; }\n"
	            "printf '%%s' '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":'\n"
	            "printf '%%s' \"{\\\"clientCertificateData\\\":\\\"$(pem crt)\\\",\\\"clientKeyData\\\":\\\"$(pem key)\\\"}}\"\n",
	            dir);
	write_file("plugin", script.data, 0700);
	open_net(EXEC);
	get(net, &a, "/api");
	assert_non_null(strstr(a.body, "peer=['jane']"));
	/* The old connection is open still, and not used for it. */
	write_file("who", "joe", 0600);
	get(net, &a, "/only/joe");
	assert_non_null(strstr(a.body, "peer=['joe']"));
	get(net, &a, "/api");
	assert_non_null(strstr(a.body, "peer=['joe']"));
}

/* While a plugin takes its time, requests wait, and nothing else does. */
static void test_loop_goes_on(void **state)
{
	struct asked a, other;


	(void)state;
	write_plugin(ANSWER("\"token\":\"tCOUNT\""));
	open_net(EXEC);
	assert_int_equal(mkfifo(in_dir("gate"), 0600), 0);
	ask(net, &a, VERB_GET, "/only/t2");
	while (!c.plugin->runs)
		net_poll(net, TIMEOUT_MS, -1);
	ask(net, &other, VERB_GET, "/api");
	int64_t start = clock_steady_ms();
	for (int i = 0; i < 5; i++)
		net_poll(net, 1, -1);
	assert_true(clock_steady_ms() - start < TIMEOUT_MS);
	assert_true(c.plugin->runs);
	assert_false(a.done || other.done);
	FILE *gate = fopen(in_dir("gate"), "w");
	assert_non_null(gate);
	fclose(gate);
	wait_for(net, &a.done);
	wait_for(net, &other.done);
	assert_non_null(strstr(a.body, "Bearer t2"));
	assert_non_null(strstr(other.body, "Bearer t2"));
	check_count("2\n");
}

struct execed {
	bool done;
	char why[512];
};

static void on_exec_done(void *ctx, const struct exec_result *r)
{
	struct execed *e = ctx;

	e->done = true;
	snprintf(e->why, sizeof(e->why), "%s", r->message);
}

static void start_exec(struct execed *e)
{
	static const char *const argv[] = { "sh" };
	const struct world *w = net_world(net);

	*e = (struct execed){ 0 };
	w->exec(w->self, &(struct exec_request){ .namespace = "n", .pod = "p", .container = "c", .argv = argv, .argc = 1,
	                                         .timeout_ms = TIMEOUT_MS, .on_done = on_exec_done, .ctx = e });
}

static void check_exec(const char *why)
{
	struct execed e;

	start_exec(&e);
	wait_for(net, &e.done);
	if (!strstr(e.why, why))
		fail_msg("\"%s\" is not in: %s", why, e.why);
}

static void copy_file(const char *from, const char *to)
{
	cleanup_strbuf struct strbuf text = { .cap = FILE_MAX };
	struct err err;

	if (file_read(in_dir(from), &text, &err) < 0)
		fail_msg("%s", err.msg);
	write_file(to, strbuf_str(&text), 0600);
}

/* What execs share of a CA ends with it, in both directions, even for one that was on its way to connect. */
static void test_execs_trust_the_ca_of_now(void **state)
{
	static const char trusted[] = "HTTP 403", untrusted[] = "is not trusted";
	struct execed early;

	(void)state;
	copy_file("ca.crt", "now.crt");
	write_file("token", "first\n", 0600);
	if (log_in("server: 'https://localhost:@TLS@', certificate-authority: now.crt", "tokenFile: token", &c, NULL) < 0)
		fail_msg("cannot log in");
	net = net_new(&c, NULL);
	check_exec(trusted);
	check_exec(trusted);
	start_exec(&early);
	net_poll(net, 0, -1);
	copy_file("other-ca.crt", "now.crt");
	assert_true(credentials_refresh(&c, clock_steady_ms(), true));
	wait_for(net, &early.done);
	check_exec(untrusted);
	check_exec(untrusted);
	copy_file("ca.crt", "now.crt");
	assert_true(credentials_refresh(&c, clock_steady_ms(), true));
	check_exec(trusted);
	net_give_back(net);
	check_exec(trusted);
}

/* The first exec and those after it, on the straight way and through a proxy that is checked with the same CA. */
static void test_execs_show_the_certificate(void **state)
{
	static const char *const clusters[] = {
		CLUSTER, "server: 'https://api.test:@TLS@', certificate-authority: ca.crt, proxy-url: 'https://localhost:@HTTPS@'",
	};
	struct err err;

	for (size_t i = 0; i < UNIT_COUNT(clusters); i++) {
		if (log_in(clusters[i], "client-certificate: jane.crt, client-key: jane.key", &c, &err) < 0)
			fail_msg("%s", err.msg);
		net = net_new(&c, &err);
		for (int k = 0; k < 3; k++)
			check_exec("peer=['jane']");
		close_net(state);
	}
}

static int refused_by_server(void)
{
	struct asked a;
	int count;

	get(net, &a, "/refused");
	assert_int_equal(sscanf(a.body, "{\"refused\": %d}", &count), 1);
	return count;
}

/* An answer that has ended, and no new one: requests fail without being sent. */
static void test_never_anonymous(void **state)
{
	struct asked a;

	(void)state;
	write_plugin(ANSWER("\"token\":\"tCOUNT\""));
	open_net(EXEC);
	int before = refused_by_server();
	assert_int_equal(unlink(in_dir("answer")), 0);
	c.plugin->expires_ms = c.plugin->due_ms = clock_steady_ms();
	get(net, &a, "/only/never");
	assert_int_equal(a.http, 0);
	assert_int_equal(a.err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(a.err.msg, "credential plugin of user \"u\""));
	assert_non_null(strstr(a.err.msg, "log in first"));
	/* The next run is due when the wait after a failure is over. */
	write_file("answer", ANSWER("\"token\":\"tCOUNT\""), 0600);
	c.plugin->due_ms = clock_steady_ms();
	assert_int_equal(refused_by_server(), before);
	check_count("3\n");
}

static void test_login_fails(void **state)
{
	struct credentials none = { 0 };
	struct err err;

	(void)state;
	write_plugin("");
	assert_int_equal(unlink(in_dir("answer")), 0);
	assert_int_equal(log_in(CLUSTER, EXEC, &none, &err), -1);
	assert_non_null(strstr(err.msg, "log in first"));
	assert_int_equal(log_in(CLUSTER, "client-certificate: jane.crt, client-key: joe.key", &none, &err), -1);
	assert_non_null(strstr(err.msg, "does not belong to"));
	assert_null(none.server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_token_file, close_net),
		cmocka_unit_test_teardown(test_plugin_is_asked_again, close_net),
		cmocka_unit_test_teardown(test_refused_again, close_net),
		cmocka_unit_test_teardown(test_failure_is_told, close_net),
		cmocka_unit_test_teardown(test_certificates, close_net),
		cmocka_unit_test_teardown(test_execs_trust_the_ca_of_now, close_net),
		cmocka_unit_test_teardown(test_execs_show_the_certificate, close_net),
		cmocka_unit_test_teardown(test_loop_goes_on, close_net),
		cmocka_unit_test_teardown(test_never_anonymous, close_net),
		cmocka_unit_test_teardown(test_login_fails, close_net),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
