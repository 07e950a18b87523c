/* Execs against a small server of the test's own: what goes to standard input, and that a slow reader holds nobody up. */
#include "controller/net/exec.h"

#include "controller/mem.h"
#include "controller/net/job.h"
#include "tests/unit/unit.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>

#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" /* RFC 6455 */
/* More than a connection holds on its way, with a reader that does not read. */
#define LARGE ((size_t)16 << 20)
#define PATIENCE_MS 20000

enum behaviour { READS_WHEN_TOLD, ENDS_UNREAD };

static char pattern(size_t at)
{
	return (char)('a' + at % 23);
}

static void read_all(int fd, void *to, size_t len)
{
	for (size_t have = 0; have < len;) {
		ssize_t got = read(fd, (char *)to + have, len - have);
		if (got <= 0)
			_exit(1);
		have += (size_t)got;
	}
}

static void send_text(int fd, const char *text, size_t len)
{
	if (write(fd, text, len) != (ssize_t)len)
		_exit(2);
}

/* A message of at most 125 bytes, as a server sends it. */
static void send_message(int fd, const char *text)
{
	char frame[128];
	size_t len = strlen(text);

	frame[0] = (char)0x82;
	frame[1] = (char)len;
	memcpy(frame + 2, text, len);
	send_text(fd, frame, len + 2);
}

/* Returns whether the request asks for standard input. */
static bool shake_hands(int fd)
{
	char head[4096] = "", text[128], answer[256], accept[32];
	unsigned char hash[SHA_DIGEST_LENGTH];

	for (size_t len = 0; !strstr(head, "\r\n\r\n") && len < sizeof(head) - 1; len++)
		read_all(fd, head + len, 1);
	const char *key = strstr(head, "Sec-WebSocket-Key: ");
	if (!key)
		_exit(3);
	int len = snprintf(text, sizeof(text), "%.24s" GUID, key + strlen("Sec-WebSocket-Key: "));
	SHA1((const unsigned char *)text, (size_t)len, hash);
	EVP_EncodeBlock((unsigned char *)accept, hash, sizeof(hash));
	len = snprintf(answer, sizeof(answer),
	               "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	               "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n", accept);
	send_text(fd, answer, (size_t)len);
	return strstr(head, "&stdin=true") != NULL;
}

/* One masked message of a client. Returns the length of what is behind its channel; -1: no message to channel 0, or not as sent. */
static ssize_t read_message(int fd, size_t at)
{
	unsigned char head[2], more[8], mask[4];
	static char body[EXEC_INPUT_CHUNK + 1];
	size_t len;

	read_all(fd, head, 2);
	len = head[1] & 0x7f;
	if (len >= 126) {
		size_t bytes = len == 126 ? 2 : 8;
		read_all(fd, more, bytes);
		len = 0;
		for (size_t i = 0; i < bytes; i++)
			len = len << 8 | more[i];
	}
	if (head[0] != 0x82 || len < 2 || len > sizeof(body))
		return -1;
	read_all(fd, mask, 4);
	read_all(fd, body, len);
	for (size_t i = 0; i < len; i++)
		body[i] = (char)(body[i] ^ mask[i % 4]);
	for (size_t i = 1; i < len; i++)
		if (body[i] != pattern(at + i - 1))
			return -1;
	return body[0] == 0 ? (ssize_t)len - 1 : -1;
}

static void serve(int listener, int told, enum behaviour how, size_t total)
{
	char text[64];
	int fd = accept(listener, NULL, NULL);
	bool has_stdin = shake_hands(fd);
	size_t at = 0;

	if (how == READS_WHEN_TOLD) {
		read_all(told, text, 1);
		for (ssize_t len; at < total && (len = read_message(fd, at)) > 0;)
			at += (size_t)len;
	}
	snprintf(text, sizeof(text), "\1%s %zu", has_stdin ? "stdin" : "none", at);
	send_message(fd, text);
	send_message(fd, "\3{\"status\":\"Success\"}");
	/* Closed by the client, whatever it had still to send. */
	while (read(fd, text, sizeof(text)) > 0)
		;
	_exit(0);
}

struct bench {
	struct credentials credentials;
	struct endpoint endpoint;
	struct execs execs;
	pid_t server;
	int tell;
	char address[64], output[64];
	enum exec_end end;
	bool done;
};

static void on_done(void *ctx, const struct exec_result *r)
{
	struct bench *w = ctx;

	w->done = true;
	w->end = r->end;
	snprintf(w->output, sizeof(w->output), "%s", r->output);
}

static void begin(struct bench *w, enum behaviour how, size_t total)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(any);
	int listener = socket(AF_INET, SOCK_STREAM, 0), small = 4096, pipes[2];

	*w = (struct bench){ .credentials = { .who = "the test" } };
	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(bind(listener, (struct sockaddr *)&any, size), 0);
	assert_int_equal(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&any, &size);
	assert_int_equal(pipe(pipes), 0);
	w->server = fork();
	if (w->server == 0)
		serve(listener, pipes[0], how, total);
	close(listener);
	close(pipes[0]);
	w->tell = pipes[1];
	snprintf(w->address, sizeof(w->address), "http://127.0.0.1:%d", ntohs(any.sin_port));
	w->credentials.server = w->address;
	assert_int_equal(endpoint_init(&w->endpoint, &w->credentials, NULL), 0);
	execs_init(&w->execs, &w->endpoint);
}

static void end(struct bench *w)
{
	int status = -1;

	execs_release(&w->execs);
	endpoint_release(&w->endpoint);
	close(w->tell);
	waitpid(w->server, &status, 0);
	assert_int_equal(status, 0);
}

static const char *const argv[] = { "cat" };

static void start(struct bench *w, const char *one, size_t one_len, const char *two, size_t two_len)
{
	const struct exec_request r = {
		.namespace = "ns", .pod = "p", .container = "app", .argv = argv, .argc = 1,
		.input = { { one, one_len }, { two, two_len } },
		.timeout_ms = PATIENCE_MS, .on_done = on_done, .ctx = w,
	};

	execs_add(&w->execs, &r);
}

/* Goes on until it is done, or nothing more can be sent for now. */
static void go_on(struct bench *w, bool until_stuck)
{
	while (!w->done) {
		struct curl_waitfd wait[EXEC_SOCKETS_MAX];
		size_t count = execs_sockets(&w->execs, wait, EXEC_SOCKETS_MAX);
		struct pollfd fds[EXEC_SOCKETS_MAX];

		for (size_t i = 0; i < count; i++) {
			fds[i] = (struct pollfd){ .fd = wait[i].fd };
			fds[i].events = (short)((wait[i].events & CURL_WAIT_POLLIN ? POLLIN : 0) |
			                        (wait[i].events & CURL_WAIT_POLLOUT ? POLLOUT : 0));
		}
		const struct job *job = w->execs.jobs;
		bool sends = job && job->state == JOB_OPEN && job->given > 0;
		int ready = poll(fds, (nfds_t)count, until_stuck && sends ? 200 : count ? 1000 : 0);
		if (until_stuck && sends && ready == 0)
			return;
		execs_step(&w->execs);
	}
}

static char *make_input(size_t len)
{
	char *text = mem_new(len);

	for (size_t i = 0; i < len; i++)
		text[i] = pattern(i);
	return text;
}

static void a_slow_reader_gets_all_of_it_in_pieces(void **state)
{
	char *text = make_input(LARGE);
	struct bench w;

	(void)state;
	begin(&w, READS_WHEN_TOLD, LARGE);
	start(&w, text, LARGE - 5, text + LARGE - 5, 5);
	go_on(&w, true);
	assert_false(w.done);
	assert_in_range(w.execs.jobs->given, EXEC_INPUT_CHUNK, LARGE - EXEC_INPUT_CHUNK);
	assert_int_equal(write(w.tell, "x", 1), 1);
	go_on(&w, false);
	assert_int_equal(w.end, EXEC_EXITED);
	assert_string_equal(w.output, "stdin 16777216");
	end(&w);
	free(text);
}

/* The launcher needs no input for a run that it knows. */
static void an_end_before_all_was_read_is_an_end(void **state)
{
	char *text = make_input(LARGE);
	struct bench w;

	(void)state;
	begin(&w, ENDS_UNREAD, LARGE);
	start(&w, text, LARGE, NULL, 0);
	go_on(&w, false);
	assert_int_equal(w.end, EXEC_EXITED);
	assert_string_equal(w.output, "stdin 0");
	end(&w);
	free(text);
}

static void without_input_there_is_no_stdin(void **state)
{
	struct bench w;

	(void)state;
	begin(&w, ENDS_UNREAD, 0);
	start(&w, NULL, 0, NULL, 0);
	go_on(&w, false);
	assert_int_equal(w.end, EXEC_EXITED);
	assert_string_equal(w.output, "none 0");
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_reader_gets_all_of_it_in_pieces),
		cmocka_unit_test(an_end_before_all_was_read_is_an_end),
		cmocka_unit_test(without_input_there_is_no_stdin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
