/* Connections that a kubeconfig asks for, to a real server: TLS, names, proxies, who we say we are. */
#include "net_fixture.h"

#include "controller/net/flight.h"
#include "controller/net/http.h"

#include <utlist.h>

#define LOCAL "server: 'https://localhost:@TLS@'"
#define CA ", certificate-authority: ca.crt"
#define JANE "client-certificate: jane.crt, client-key: jane.key"
#define TEST "server: 'https://api.test:@TLS@'" CA

struct row {
	const char *name, *cluster, *user; /* user: NULL is a token */
	bool fails;
	const char *words[4];              /* of what the server was asked, or of the error */
	const char *env[2];                /* a variable and its value */
};

static const struct row rows[] = {
	{ "a CA of its own", LOCAL CA, NULL, false, { "Authorization: Bearer t", "name=localhost", "peer=[]" }, { NULL } },
	{ "a token beyond ASCII", LOCAL CA, "token: \"t\\u00e9\"", false, { "Bearer t\\u00c3\\u00a9" }, { NULL } },
	{ "the system's CAs do not know it", LOCAL, NULL, true,
	  { "https://localhost:@TLS@ is not trusted (checked with the system's certificates)" }, { NULL } },
	{ "another CA", LOCAL ", certificate-authority: other-ca.crt", NULL, true,
	  { "is not trusted (checked with certificate-authority", "other-ca.crt" }, { NULL } },
	{ "insecure", LOCAL ", insecure-skip-tls-verify: true", NULL, false, { "Bearer t" }, { NULL } },
	{ "insecure, wrong name", "server: 'https://127.0.0.1:@TLS@', tls-server-name: wrong.test, insecure-skip-tls-verify: true",
	  NULL, false, { "name=wrong.test" }, { NULL } },
	{ "an address", "server: 'https://127.0.0.1:@TLS@'" CA, NULL, false, { "name=None", "Host: 127.0.0.1:@TLS@" }, { NULL } },
	{ "IPv6", "server: 'https://[::1]:@TLS6@'" CA, NULL, false, { "name=None", "Host: [::1]:@TLS6@" }, { NULL } },
	{ "IPv6 with another name", "server: 'https://[::1]:@TLS6@', tls-server-name: kube.test" CA, NULL, false,
	  { "name=kube.test", "Host: [::1]:@TLS6@" }, { NULL } },
	{ "another name", "server: 'https://127.0.0.1:@TLS@', tls-server-name: kube.test" CA, NULL, false,
	  { "name=kube.test", "Host: 127.0.0.1:@TLS@" }, { NULL } },
	{ "a wrong name", "server: 'https://127.0.0.1:@TLS@', tls-server-name: wrong.test" CA, NULL, true,
	  { "is not trusted", "wrong.test" }, { NULL } },
	{ "a name that is none", "server: 'https://127.0.0.1:@TLS@', tls-server-name: 'a b'" CA, NULL, true,
	  { "tls-server-name \"a b\" is no name" }, { NULL } },
	{ "expired", "server: 'https://127.0.0.1:@TLS@', tls-server-name: expired.test" CA, NULL, true,
	  { "is not trusted", "expired" }, { NULL } },
	{ "TLS 1.3 only", "server: 'https://127.0.0.1:@TLS@', tls-server-name: modern.test" CA, NULL, false, { "Bearer t" },
	  { NULL } },
	{ "a path in front", "server: 'https://localhost:@TLS@/k8s/clusters/c-1/'" CA, NULL, false,
	  { "/k8s/clusters/c-1/api/v1/x |" }, { NULL } },
	{ "a query behind", "server: 'https://localhost:@TLS@/k8s?x=1#y'" CA, NULL, false, { "/k8s/api/v1/x |" }, { NULL } },
	{ "a user in the address", "server: 'https://me:S3CRET@@localhost:1'" CA, NULL, true, { "has a user in it" }, { NULL } },
	{ "a certificate", LOCAL CA, JANE, false, { "peer=['jane']" }, { NULL } },
	{ "a certificate and a token", LOCAL CA, JANE ", token: t", false, { "peer=['jane']", "Bearer t" }, { NULL } },
	{ "name and password", LOCAL CA, "username: admin, password: 'p:w'", false, { "Authorization: Basic YWRtaW46cDp3" },
	  { NULL } },
	{ "as somebody else", LOCAL CA, "token: t, as: jane, as-uid: '7', as-groups: [a, b]", false,
	  { "Impersonate-Group: a | Impersonate-Group: b", "Impersonate-Uid: 7", "Impersonate-User: jane" }, { NULL } },
	{ "through an http proxy", TEST ", proxy-url: 'http://127.0.0.1:@HTTP@'", NULL, false, { "name=api.test", "Bearer t" },
	  { NULL } },
	{ "through an https proxy", TEST ", proxy-url: 'https://localhost:@HTTPS@'", NULL, false, { "name=api.test" }, { NULL } },
	{ "through an https proxy that is not trusted",
	  "server: 'https://api.test:@TLS@', certificate-authority: other-ca.crt, proxy-url: 'https://localhost:@HTTPS@'", NULL, true,
	  { "not trusted" }, { NULL } },
	{ "through a socks5 proxy, which looks up the name", TEST ", proxy-url: 'socks5://127.0.0.1:@SOCKS@'", NULL, false,
	  { "name=api.test" }, { NULL } },
	{ "with another name through a proxy", TEST ", tls-server-name: kube.test, proxy-url: 'http://127.0.0.1:@HTTP@'", JANE,
	  false, { "name=kube.test", "Host: api.test:@TLS@", "peer=['jane']" }, { NULL } },
	{ "with another name through socks5", TEST ", tls-server-name: kube.test, proxy-url: 'socks5://127.0.0.1:@SOCKS@'", JANE,
	  false, { "name=kube.test", "Host: api.test:@TLS@" }, { NULL } },
	{ "the proxy does not know the host", "server: 'https://other.test:@TLS@'" CA ", proxy-url: 'http://127.0.0.1:@HTTP@'",
	  NULL, true, { "https://other.test:@TLS@", "502" }, { NULL } },
	{ "no proxy there", TEST ", proxy-url: 'http://me:S3CRET@@127.0.0.1:1'", NULL, true, { "cannot connect to https://api.test" },
	  { NULL } },
	{ "$NO_PROXY does not count beside proxy-url", TEST ", proxy-url: 'http://127.0.0.1:@HTTP@'", NULL, false, { "Bearer t" },
	  { "NO_PROXY", "*" } },
	{ "$HTTPS_PROXY", TEST, NULL, false, { "Bearer t" }, { "HTTPS_PROXY", "http://127.0.0.1:@HTTP@" } },
};

static void check_row(const struct row *row)
{
	cleanup_credentials struct credentials c = { 0 };
	struct net *net = NULL;
	struct asked a = { 0 };

	if (log_in(row->cluster, row->user ? row->user : "token: t", &c, &a.err) == 0)
		net = net_new(&c, &a.err);
	if (net)
		get(net, &a, "/api/v1/x");
	net_free(net);
	if (!row->fails && a.http != 200)
		fail_msg("HTTP %d, %s", a.http, a.err.msg);
	assert_int_equal(a.http, row->fails ? 0 : 200);
	check_words(row->fails ? a.err.msg : a.body, row->words, UNIT_COUNT(row->words));
	assert_null(strstr(a.err.msg, "S3CRET"));
}

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_strbuf struct strbuf value = { 0 };

	if (strstr(row->cluster, "@TLS6@") && server.tls6 == 0) {
		print_message("skipped: this machine has no IPv6\n");
		skip();
	}
	if (row->env[0]) {
		expand(row->env[1], &value);
		setenv(row->env[0], value.data, 1);
	}
	check_row(row);
	if (row->env[0])
		unsetenv(row->env[0]);
}

struct exec_asked {
	bool done;
	enum exec_end end;
	char message[1024];
};

static void on_exec_done(void *ctx, const struct exec_result *r)
{
	struct exec_asked *a = ctx;

	*a = (struct exec_asked){ .done = true, .end = r->end };
	snprintf(a->message, sizeof(a->message), "%s", r->message);
}

/* Execs go the same way and say the same. */
static void test_exec(void **state)
{
	static const char *const argv[] = { "ls" };
	static const char *const words[] = { "HTTP 403: /k8s/api/v1/namespaces/n/pods/p/exec", "name=kube.test", "peer=['jane']",
		                             "Host: api.test:@TLS@", "Authorization: Bearer t", "Impersonate-User: joe" };
	cleanup_credentials struct credentials c = { 0 };
	struct exec_asked a = { 0 };
	struct err err;

	(void)state;
	if (log_in("server: 'https://api.test:@TLS@/k8s'" CA ", tls-server-name: kube.test, proxy-url: 'socks5://127.0.0.1:@SOCKS@'",
	           JANE ", token: t, as: joe", &c, &err) < 0)
		fail_msg("%s", err.msg);
	struct net *net = net_new(&c, &err);
	assert_non_null(net);
	const struct world *w = net_world(net);
	w->exec(w->self, &(struct exec_request){ "n", "p", "c", argv, 1, { { NULL, 0 } }, TIMEOUT_MS, on_exec_done, &a });
	wait_for(net, &a.done);
	net_free(net);
	assert_int_equal(a.end, EXEC_REFUSED);
	check_words(a.message, words, UNIT_COUNT(words));
}

#define WATCHES 12
#define REQUESTS (HTTP_SENT_MAX * 2) /* half of them have to wait */

/* Every watch takes a connection of its own for good: what comes after them must still get through. */
static void test_http1_watches(void **state)
{
	static struct asked watches[WATCHES], requests[REQUESTS];
	cleanup_credentials struct credentials c = { 0 };
	struct err err;

	(void)state;
	if (log_in(LOCAL CA, "token: t", &c, &err) < 0)
		fail_msg("%s", err.msg);
	struct net *net = net_new(&c, &err);
	assert_non_null(net);
	for (size_t i = 0; i < WATCHES; i++)
		ask(net, &watches[i], VERB_WATCH, "/watch/x?watch=true");
	for (size_t i = 0; i < REQUESTS; i++)
		ask(net, &requests[i], VERB_GET, "/api/v1/x");
	for (size_t i = 0; i < REQUESTS; i++) {
		wait_for(net, &requests[i].done);
		assert_int_equal(requests[i].http, 200);
	}
	for (size_t i = 0; i < WATCHES; i++)
		assert_false(watches[i].done);
	net_free(net);
}

static size_t sent(const struct http *h)
{
	const struct flight *f;
	size_t count = 0;

	DL_FOREACH(h->flights, f)
		count += f->started;
	return count;
}

/* More than may be sent at once: the rest follows, but for one that is not wanted any more. */
static void test_requests_wait_their_turn(void **state)
{
	static struct asked requests[REQUESTS];
	cleanup_credentials struct credentials c = { 0 };
	struct endpoint endpoint;
	struct http http;

	(void)state;
	if (log_in(LOCAL CA, "token: t", &c, NULL) < 0 || endpoint_init(&endpoint, &c, NULL) < 0)
		fail_msg("cannot log in");
	http_init(&http, &endpoint);
	for (size_t i = 0; i < REQUESTS; i++) {
		requests[i] = (struct asked){ 0 };
		requests[i].handle = http_request(&http, &(struct request){ .verb = VERB_CREATE, .path = "/api/v1/x", .body = "{}",
		                                                            .on_done = on_done, .ctx = &requests[i] });
	}
	http_step(&http);
	assert_int_equal(sent(&http), HTTP_SENT_MAX);
	http_cancel(requests[REQUESTS - 1].handle);
	for (int64_t deadline = clock_steady_ms() + TIMEOUT_MS; http.flights;) {
		assert_true(clock_steady_ms() < deadline);
		curl_multi_poll(http.multi, NULL, 0, http_deadline(&http) > clock_steady_ms() ? 100 : 0, NULL);
		http_step(&http);
		assert_true(sent(&http) <= HTTP_SENT_MAX);
	}
	for (size_t i = 0; i < REQUESTS - 1; i++)
		assert_int_equal(requests[i].http, 200);
	assert_false(requests[REQUESTS - 1].done);
	http_release(&http);
	endpoint_release(&endpoint);
}

int main(void)
{
	const struct CMUnitTest fixed[] = {
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_http1_watches),
		cmocka_unit_test(test_requests_wait_their_turn),
	};
	struct CMUnitTest tests[UNIT_COUNT(rows) + UNIT_COUNT(fixed)];
	static const char *const variables[] = { "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy" };

	for (size_t i = 0; i < UNIT_COUNT(variables); i++)
		unsetenv(variables[i]);
	UNIT_ROWS(tests, rows, test_row);
	memcpy(tests + UNIT_COUNT(rows), fixed, sizeof(fixed));
	return cmocka_run_group_tests(tests, start_server, stop_server);
}
