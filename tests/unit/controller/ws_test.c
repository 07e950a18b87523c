#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/net/channel.h"
#include "controller/net/ws.h"

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

/* The example of RFC 6455, section 1.3. */
#define KEY "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define START "HTTP/1.1 101 Switching Protocols\r\n"
#define UPGRADE "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define V5 "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n"

static void test_key(void **state)
{
	unsigned char nonce[WS_NONCE_SIZE] = "the sample nonce";
	char key[WS_KEY_SIZE];

	(void)state;
	ws_key(nonce, key);
	assert_string_equal(key, KEY);
}

static void test_request(void **state)
{
	cleanup_strbuf struct strbuf with = { 0 }, without = { 0 };

	(void)state;
	ws_write_request(&(struct ws_request){ "h:1", "/x?y=1", KEY, "Authorization: Bearer secret\r\n" }, &with);
	assert_non_null(strstr(with.data, "GET /x?y=1 HTTP/1.1\r\nHost: h:1\r\n"));
	assert_non_null(strstr(with.data, "\r\nSec-WebSocket-Key: " KEY "\r\n"));
	assert_non_null(strstr(with.data, "\r\nSec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io\r\n"));
	assert_non_null(strstr(with.data, "\r\nAuthorization: Bearer secret\r\n\r\n"));
	ws_write_request(&(struct ws_request){ "h:1", "/x", KEY, "" }, &without);
	assert_null(strstr(without.data, "Authorization"));
	assert_int_equal(ws_head_length(without.data, without.len), without.len);
}

static void test_head_length(void **state)
{
	static const char answer[] = START UPGRADE "\r\nframe\r\n\r\n";
	size_t head = strlen(START UPGRADE "\r\n");

	(void)state;
	for (size_t len = 0; len < head; len++)
		assert_int_equal(ws_head_length(answer, len), 0);
	assert_int_equal(ws_head_length(answer, head), head);
	assert_int_equal(ws_head_length(answer, strlen(answer)), head);
}

struct head_row {
	const char *name, *head;
	int http; /* -1: no HTTP */
	long length;
};

static const struct head_row heads[] = {
	{ "101", START UPGRADE "\r\n", 101, -1 },
	{ "404 with length", "HTTP/1.1 404 Not Found\r\nContent-Length: 172\r\n\r\n", 404, 172 },
	{ "length in capitals and blanks", "HTTP/1.1 500 X\r\nCONTENT-LENGTH: \t7 \r\n\r\n", 500, 7 },
	{ "HTTP/1.0", "HTTP/1.0 503 X\r\n\r\n", 503, -1 },
	{ "length that is no number", "HTTP/1.1 404 X\r\nContent-Length: 1x\r\n\r\n", 404, -1 },
	{ "negative length", "HTTP/1.1 404 X\r\nContent-Length: -1\r\n\r\n", 404, -1 },
	{ "two lengths", "HTTP/1.1 404 X\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 404, -1 },
	{ "no code", "HTTP/1.1 OK\r\n\r\n", -1, 0 },
	{ "HTTP/2", "HTTP/2 101\r\n\r\n", -1, 0 },
	{ "something else", "SSH-2.0-OpenSSH\r\n\r\n", -1, 0 },
	{ "nothing", "\r\n\r\n", -1, 0 },
};

static void test_head(void **state)
{
	const struct head_row *row = *state;
	struct ws_head head = { 0 };
	struct err err = { 0 };
	int read = ws_read_head(row->head, strlen(row->head), &head, &err);

	assert_int_equal(read, row->http < 0 ? -1 : 0);
	if (row->http < 0) {
		assert_int_equal(err.kind, ERR_PROTOCOL);
		return;
	}
	assert_int_equal(head.http, row->http);
	assert_int_equal(head.content_length, row->length);
}

struct check_row {
	const char *name, *head;
	const char *wrong; /* part of the message; NULL: it is accepted */
};

static const struct check_row checks[] = {
	{ "as Kubernetes answers", START UPGRADE ACCEPT V5 "\r\n", NULL },
	{ "v4", START UPGRADE ACCEPT "Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n", NULL },
	{ "other order, case and blanks",
	  START V5 "upgrade:WebSocket\r\nCONNECTION: keep-alive, upgrade \r\n" ACCEPT "\r\n", NULL },
	{ "no Upgrade", START "Connection: Upgrade\r\n" ACCEPT V5 "\r\n", "Upgrade: websocket" },
	{ "no Connection", START "Upgrade: websocket\r\n" ACCEPT V5 "\r\n", "Connection: Upgrade" },
	{ "no Accept", START UPGRADE V5 "\r\n", "Sec-WebSocket-Accept" },
	{ "Accept of another key", START UPGRADE "Sec-WebSocket-Accept: HSmrc0sMlYUkAGmm5OPpG2HaGWk=\r\n" V5 "\r\n",
	  "Sec-WebSocket-Accept" },
	{ "Accept twice", START UPGRADE ACCEPT ACCEPT V5 "\r\n", "Sec-WebSocket-Accept" },
	{ "no protocol", START UPGRADE ACCEPT "\r\n", "protocol" },
	{ "a protocol that was not offered", START UPGRADE ACCEPT "Sec-WebSocket-Protocol: channel.k8s.io\r\n\r\n",
	  "protocol" },
};

static void test_check(void **state)
{
	const struct check_row *row = *state;
	struct err err = { 0 };
	int checked = ws_check_head(row->head, strlen(row->head), KEY, &err);

	assert_int_equal(checked, row->wrong ? -1 : 0);
	if (row->wrong)
		assert_non_null(strstr(err.msg, row->wrong));
}

#define FAILURE(fields) "\3{\"metadata\":{},\"status\":\"Failure\"," fields "}"
#define NON_ZERO(code) \
	FAILURE("\"message\":\"command terminated\",\"reason\":\"NonZeroExitCode\"," \
	        "\"details\":{\"causes\":[{\"reason\":\"ExitCode\",\"message\":\"" code "\"}]}")
#define INTERNAL(message) FAILURE("\"message\":\"" message "\",\"reason\":\"InternalError\",\"code\":500")
#define FAILED_EXEC "error executing command in container: failed to exec in container: failed to start exec \\\"1a2b\\\": "

struct stream_row {
	const char *name;
	const char *messages[4];
	enum exec_end end;
	int exit_code;
	const char *output;
	const char *message; /* NULL: any */
};

static const struct stream_row streams[] = {
	{ "success", { "\1", "\1out\n", "\3{\"metadata\":{},\"status\":\"Success\"}" }, EXEC_EXITED, 0, "out\n", "" },
	{ "exit 7", { "\1a", "\2b", NON_ZERO("7") }, EXEC_EXITED, 7, "ab", "command terminated" },
	{ "exit 137", { NON_ZERO("137") }, EXEC_EXITED, 137, "", NULL },
	{ "closed before anything", { NULL }, EXEC_LOST, 0, "", "why" },
	{ "closed after output", { "\1all is well" }, EXEC_LOST, 0, "all is well", "why" },
	{ "half a Status", { "\3{\"status\":\"Succ" }, EXEC_LOST, 0, "", "why" },
	{ "a Status in two pieces", { "\3{\"status\":", "\3\"Success\"}" }, EXEC_EXITED, 0, "", "" },
	{ "a Status with a line end", { "\3{\"status\":\"Success\"}\n" }, EXEC_EXITED, 0, "", "" },
	{ "what follows the Status does not count", { NON_ZERO("7"), "\1x", "\3{\"status\":\"Success\"}" }, EXEC_EXITED,
	  7, "", NULL },
	{ "no Status at all", { "\3{}" }, EXEC_LOST, 0, "", "why" },
	{ "a Status of another kind", { "\3{\"status\":\"Unknown\"}" }, EXEC_LOST, 0, "", "why" },
	{ "text instead of a Status", { "\3exit 0}" }, EXEC_LOST, 0, "", "why" },
	{ "failure with code 0", { NON_ZERO("0") }, EXEC_LOST, 0, "", NULL },
	{ "failure with a word for a code", { NON_ZERO("abc") }, EXEC_LOST, 0, "", NULL },
	{ "failure with a code and more", { NON_ZERO("7x") }, EXEC_LOST, 0, "", NULL },
	{ "failure with no code", { NON_ZERO("") }, EXEC_LOST, 0, "", NULL },
	{ "failure with 256", { NON_ZERO("256") }, EXEC_LOST, 0, "", NULL },
	{ "failure without causes", { FAILURE("\"reason\":\"NonZeroExitCode\"") }, EXEC_LOST, 0, "",
	  "the Status tells no exit code" },
	{ "failure without anything", { "\3{\"status\":\"Failure\"}" }, EXEC_LOST, 0, "", "the Status tells no exit code" },
	{ "failure of the transport", { INTERNAL("error dialing backend: EOF") }, EXEC_LOST, 0, "",
	  "error dialing backend: EOF" },
	{ "no such file", { INTERNAL(FAILED_EXEC "OCI runtime exec failed: exec: no such file") }, EXEC_REFUSED, 0, "",
	  "OCI runtime exec failed: exec: no such file" },
	{ "paused", { INTERNAL(FAILED_EXEC "cannot exec in a paused state: unknown") }, EXEC_REFUSED, 0, "",
	  "cannot exec in a paused state: unknown" },
	{ "no time to start it", { INTERNAL(FAILED_EXEC "context deadline exceeded") }, EXEC_LOST, 0, "", NULL },
	{ "container not found", { INTERNAL("container not found (\\\"c\\\")") }, EXEC_REFUSED, 0, "",
	  "container not found (\"c\")" },
	{ "404", { FAILURE("\"message\":\"gone\",\"code\":404") }, EXEC_REFUSED, 0, "", "gone" },
	{ "an unknown channel", { "\7x", "\3{\"status\":\"Success\"}" }, EXEC_EXITED, 0, "", "" },
};

static void test_stream(void **state)
{
	const struct stream_row *row = *state;
	struct channels c = { 0 };

	for (size_t i = 0; i < LEN(row->messages) && row->messages[i]; i++)
		channels_take(&c, row->messages[i], strlen(row->messages[i]));
	struct exec_result r = channels_result(&c, "why");
	assert_int_equal(r.end, row->end);
	assert_int_equal(r.exit_code, row->exit_code);
	assert_string_equal(r.output, row->output);
	assert_int_equal(r.len, strlen(row->output));
	if (row->message)
		assert_string_equal(r.message, row->message);
}

static void test_output_is_capped(void **state)
{
	static char message[1 + EXEC_OUTPUT_MAX];
	struct channels c = { 0 };

	(void)state;
	memset(message, 'x', sizeof(message));
	message[0] = 1;
	channels_take(&c, message, 100);
	channels_take(&c, message, sizeof(message));
	struct exec_result r = channels_result(&c, "why");
	assert_int_equal(r.len, EXEC_OUTPUT_MAX);
	assert_int_equal(strlen(r.output), EXEC_OUTPUT_MAX);
}

static void test_status_is_capped(void **state)
{
	static char message[1 + CHANNEL_STATUS_MAX];
	struct channels c = { 0 };

	(void)state;
	memset(message, ' ', sizeof(message));
	message[0] = 3;
	channels_take(&c, message, sizeof(message));
	channels_take(&c, "\3{\"status\":\"Success\"}", 22);
	assert_int_equal(channels_result(&c, "why").end, EXEC_LOST);
}

/* Input of two parts in messages of at most 4 bytes with their channel. */
static void test_input_in_pieces(void **state)
{
	static const struct {
		const char *parts[EXEC_INPUT_PARTS], *messages;
	} rows[] = {
		{ { "", "" }, "" },          { { "a", "" }, "0a." },        { { "abc", "" }, "0abc." },
		{ { "abcd", "" }, "0abc.0d." }, { { "ab", "cd" }, "0abc.0d." }, { { "", "abcdef" }, "0abc.0def." },
		{ { "abcd", "ef" }, "0abc.0def." },
	};
	char message[4];

	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		struct exec_input input[EXEC_INPUT_PARTS];
		cleanup_strbuf struct strbuf got = { 0 };
		size_t at = 0;

		for (size_t k = 0; k < EXEC_INPUT_PARTS; k++)
			input[k] = (struct exec_input){ rows[i].parts[k], strlen(rows[i].parts[k]) };
		for (size_t len; (len = channels_give(input, &at, message, sizeof(message))) > 0;) {
			strbuf_addf(&got, "%d", message[0]);
			strbuf_add(&got, message + 1, len - 1);
			strbuf_addc(&got, '.');
		}
		assert_string_equal(strbuf_str(&got), rows[i].messages);
	}
}

static size_t add_rows(struct CMUnitTest *tests, size_t at, void (*run)(void **), const void *rows, size_t count,
                       size_t size)
{
	for (size_t i = 0; i < count; i++) {
		const char *row = (const char *)rows + i * size;
		/* A row begins with its name. */
		tests[at++] = (struct CMUnitTest){ *(const char *const *)row, run, NULL, NULL, (void *)(uintptr_t)row };
	}
	return at;
}

int main(void)
{
	struct CMUnitTest tests[6 + LEN(heads) + LEN(checks) + LEN(streams)] = {
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_head_length),
		cmocka_unit_test(test_output_is_capped),
		cmocka_unit_test(test_status_is_capped),
		cmocka_unit_test(test_input_in_pieces),
	};
	size_t at = 6;

	at = add_rows(tests, at, test_head, heads, LEN(heads), sizeof(*heads));
	at = add_rows(tests, at, test_check, checks, LEN(checks), sizeof(*checks));
	add_rows(tests, at, test_stream, streams, LEN(streams), sizeof(*streams));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
