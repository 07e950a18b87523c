/* The operator's own client against serve, both in this process: requests, hundreds of watches, execs. */
#include "tests/unit/unit.h"

#include "controller/clock.h"
#include "controller/mem.h"
#include "controller/net/http.h"
#include "controller/net/net.h"
#include "controller/net/nudge.h"
#include "tests/kubesim/serve.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define WATCHES 300
#define ROUNDS 20
#define URL_SIZE 64
#define ANSWERS 300
#define PARTS_MAX 20
#define PART_MAX 20000

static const char line[] = "{\"type\":\"BOOKMARK\"}\n";

struct fixture {
	char cert[32], key[32]; /* files */
	char url[URL_SIZE];
	struct serve *serve;
	struct net *net;
	struct credentials credentials;
	struct stream *watches[WATCHES];
	size_t watching, left;  /* streams open now; those whose client went away */
	struct stream *held;    /* is answered later */
	size_t nudges;
	size_t lines, done, len; /* what the client got */
	int http;
	enum exec_end end;
	int exit_code;
	char text[128];
};

static FILE *temporary(char *ret_name, size_t size)
{
	snprintf(ret_name, size, "/tmp/net_test.XXXXXX");
	int fd = mkstemp(ret_name);

	assert_true(fd >= 0);
	return fdopen(fd, "w");
}

static void write_certificate(struct fixture *f)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();
	FILE *cert_file = temporary(f->cert, sizeof(f->cert)), *key_file = temporary(f->key, sizeof(f->key));

	X509_gmtime_adj(X509_getm_notBefore(cert), 0);
	X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
	X509_set_pubkey(cert, key);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
	assert_int_equal(PEM_write_X509(cert_file, cert), 1);
	assert_int_equal(PEM_write_PrivateKey(key_file, key, NULL, NULL, 0, NULL, NULL), 1);
	fclose(cert_file);
	fclose(key_file);
	X509_free(cert);
	EVP_PKEY_free(key);
}

static void run_command(struct stream *s, const struct serve_request *r)
{
	static const char status[] = "\3{\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":"
	                             "[{\"reason\":\"ExitCode\",\"message\":\"7\"}]}}";

	assert_non_null(r->protocols);
	assert_string_equal(r->protocols[0], "v5.channel.k8s.io");
	stream_upgrade(s, r->protocols[0]);
	stream_frame(s, "\1hello ", 7);
	stream_frame(s, "\2world", 6);
	stream_frame(s, status, sizeof(status) - 1);
	stream_close(s, 1000);
}

static void on_request(void *ctx, struct stream *s, const struct serve_request *r)
{
	struct fixture *f = ctx;

	if (strstr(r->path, "watch=")) {
		stream_begin(s, 200, "application/json");
		stream_write(s, line, sizeof(line) - 1);
		f->watches[f->watching++] = s;
	} else if (strcmp(r->path, NUDGE_PATH) == 0) {
		f->nudges++;
		stream_answer(s, 200, "application/json", "{}", 2, 0);
	} else if (strstr(r->path, "/held")) {
		f->held = s;
	} else if (strstr(r->path, "/good/exec?")) {
		run_command(s, r);
	} else if (strstr(r->path, "/exec?")) {
		static const char status[] = "{\"kind\":\"Status\",\"message\":\"no such pod\"}";
		stream_answer(s, 404, "application/json", status, sizeof(status) - 1, 0);
	} else {
		assert_string_equal(r->content_type, r->len > 0 ? "application/json" : "");
		stream_answer(s, 200, "application/json", r->body, r->len, 0);
	}
}

static void on_frame(void *ctx, struct stream *s, const void *data, size_t len)
{
	(void)ctx;
	(void)s;
	(void)data;
	fail_msg("the operator sent %zu bytes to a command that reads nothing", len);
}

static void on_closed(void *ctx, struct stream *s)
{
	struct fixture *f = ctx;

	(void)s;
	f->left++;
}

static void on_data(void *ctx, const char *data, size_t len)
{
	struct fixture *f = ctx;

	for (size_t i = 0; i < len; i++)
		f->lines += data[i] == '\n';
}

static void on_done(void *ctx, const struct response *r)
{
	struct fixture *f = ctx;

	f->done++;
	f->http = r->http;
	f->len = r->len;
	snprintf(f->text, sizeof(f->text), "%s", r->body ? r->body : "");
}

static void on_exec(void *ctx, const struct exec_result *r)
{
	struct fixture *f = ctx;

	f->done++;
	f->end = r->end;
	f->exit_code = r->exit_code;
	snprintf(f->text, sizeof(f->text), "%s", r->end == EXEC_EXITED ? r->output : r->message);
}

static int set_up(void **state)
{
	struct fixture *f = mem_new(sizeof(*f));
	struct err err;

	write_certificate(f);
	struct serve_handlers h = { .ctx = f, .on_request = on_request, .on_frame = on_frame, .on_closed = on_closed };
	f->serve = serve_new(&(struct serve_options){ .address = "127.0.0.1", .cert_file = f->cert, .key_file = f->key },
	                     &h, &err);
	assert_non_null(f->serve);
	snprintf(f->url, sizeof(f->url), "https://127.0.0.1:%u", (unsigned)serve_port(f->serve));
	f->credentials = (struct credentials){ .server = f->url, .insecure = true };
	f->net = net_new(&f->credentials, &err);
	assert_non_null(f->net);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	net_free(f->net);
	serve_free(f->serve);
	credentials_release(&f->credentials);
	unlink(f->cert);
	unlink(f->key);
	free(f);
	return 0;
}

/* Turns both until *COUNT has reached GOAL. */
static void turn_until(struct fixture *f, const size_t *count, size_t goal)
{
	int64_t deadline = clock_steady_ms() + PATIENCE_MS;

	while (*count < goal) {
		assert_true(clock_steady_ms() < deadline);
		serve_step(f->serve, 0, -1);
		net_poll(f->net, 0, -1);
	}
}

static void create(struct fixture *f)
{
	const struct world *w = net_world(f->net);
	struct request r = { .verb = VERB_CREATE, .path = "/api/v1/pods", .body = "{\"kind\":\"Pod\"}",
	                     .timeout_ms = PATIENCE_MS, .on_done = on_done, .ctx = f };

	w->request(w->self, &r);
	turn_until(f, &f->done, f->done + 1);
}

static void *watch(struct fixture *f)
{
	const struct world *w = net_world(f->net);
	struct request r = { .verb = VERB_WATCH, .path = "/api/v1/pods?watch=1", .timeout_ms = 2 * PATIENCE_MS,
	                     .on_data = on_data, .on_done = on_done, .ctx = f };

	return w->request(w->self, &r);
}

static void test_request(void **state)
{
	struct fixture *f = *state;

	create(f);
	assert_int_equal(f->http, 200);
	assert_string_equal(f->text, "{\"kind\":\"Pod\"}");
}

static void test_watches(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < WATCHES; i++)
		watch(f);
	for (size_t round = 1; round < ROUNDS; round++) {
		turn_until(f, &f->lines, round * WATCHES);
		for (size_t i = 0; i < WATCHES; i++)
			stream_write(f->watches[i], line, sizeof(line) - 1);
	}
	turn_until(f, &f->lines, ROUNDS * WATCHES);
	assert_int_equal(f->done + f->left, 0);
}

/* libcurl tells the server with the next thing that it has to do on the connection. */
static void test_cancelled_watch(void **state)
{
	struct fixture *f = *state;
	const struct world *w = net_world(f->net);
	void *first = watch(f);

	watch(f);
	turn_until(f, &f->lines, 2);
	w->cancel(w->self, first);
	create(f);
	create(f);
	turn_until(f, &f->left, 1);
	stream_write(f->watches[1], line, sizeof(line) - 1);
	turn_until(f, &f->lines, 3);
}

static void test_end_of_a_watch(void **state)
{
	struct fixture *f = *state;

	watch(f);
	turn_until(f, &f->lines, 1);
	stream_end(f->watches[0]);
	turn_until(f, &f->done, 1);
	assert_int_equal(f->http, 200);
	assert_int_equal(f->left, 0);
}

/* Until the server holds it. */
static void ask(struct fixture *f)
{
	const struct world *w = net_world(f->net);

	w->request(w->self, &(struct request){ .verb = VERB_GET, .path = "/api/v1/pods/held", .timeout_ms = 2 * PATIENCE_MS,
	                                       .on_done = on_done, .ctx = f });
	for (f->held = NULL; !f->held; serve_step(f->serve, 0, -1))
		net_poll(f->net, 0, -1);
}

/* The server sends an answer in parts, and the client looks now and then. Once all is there it may not wait for more. */
static void read_in_parts(struct fixture *f, unsigned *random)
{
	static const char text[PART_MAX];
	size_t done = f->done, size = 0;

	ask(f);
	stream_begin(f->held, 200, "application/json");
	for (int parts = rand_r(random) % PARTS_MAX; parts >= 0; parts--) {
		size_t part = (size_t)rand_r(random) % (rand_r(random) % 2 ? PART_MAX : PART_MAX / 10);

		stream_write(f->held, text, part);
		size += part;
		if (rand_r(random) % 2) {
			serve_step(f->serve, 0, -1);
			net_poll(f->net, 0, -1);
		}
	}
	stream_end(f->held);
	if (rand_r(random) % 2)
		stream_write(f->watches[0], line, sizeof(line) - 1);
	while (f->done == done) {
		int64_t begun = clock_steady_ms();

		serve_step(f->serve, 0, -1);
		net_poll(f->net, PATIENCE_MS, -1);
		if (clock_steady_ms() - begun >= PATIENCE_MS)
			fail_msg("all %zu bytes are here, and the client waits", size);
	}
	assert_int_equal(f->http, 200);
	assert_int_equal(f->len, size);
}

/* libcurl may have an answer and not say so (nudge.h), even while no more requests may be sent. */
static void test_answers_beside_watches(void **state)
{
	struct fixture *f = *state;
	unsigned random = 1;

	for (size_t i = 0; i < 5; i++)
		watch(f);
	turn_until(f, &f->lines, 5);
	for (int i = 1; i < HTTP_SENT_MAX; i++)
		ask(f);
	for (int i = 0; i < ANSWERS; i++)
		read_in_parts(f, &random);
	assert_true(f->nudges < ANSWERS);
}

static void exec_in(struct fixture *f, const char *pod)
{
	static const char *const argv[] = { "sh", "-c", "echo \"hello world\"" };
	const struct world *w = net_world(f->net);
	struct exec_request r = { .namespace = "default", .pod = pod, .container = "app", .argv = argv, .argc = 3,
	                          .timeout_ms = PATIENCE_MS, .on_done = on_exec, .ctx = f };

	w->exec(w->self, &r);
	turn_until(f, &f->done, f->done + 1);
}

static void test_exec(void **state)
{
	struct fixture *f = *state;

	exec_in(f, "good");
	assert_int_equal(f->end, EXEC_EXITED);
	assert_int_equal(f->exit_code, 7);
	assert_string_equal(f->text, "hello world");
}

static void test_refused_exec(void **state)
{
	struct fixture *f = *state;

	exec_in(f, "bad");
	assert_int_equal(f->end, EXEC_REFUSED);
	assert_non_null(strstr(f->text, "no such pod"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_request, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_watches, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cancelled_watch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_end_of_a_watch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_answers_beside_watches, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused_exec, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
