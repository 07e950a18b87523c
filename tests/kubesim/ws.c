#include "ws.h"

#include "controller/mem.h"
#include "crd/base/strbuf.h"
#include "serve_stream.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <wslay/wslay.h>

/* RFC 6455, section 1.3. */
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define ACCEPT_SIZE 29 /* base64 of a SHA-1, and a NUL */

struct ws {
	wslay_event_context_ptr context;
	struct conn *conn;
	struct stream *stream; /* NULL once the owner has said goodbye */
	const char *in;        /* while ws_receive() runs */
	size_t in_len;
};

static ssize_t take(wslay_event_context_ptr context, uint8_t *data, size_t size, int flags, void *ctx)
{
	struct ws *w = ctx;
	size_t len = w->in_len < size ? w->in_len : size;

	(void)flags;
	if (len == 0) {
		wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	memcpy(data, w->in, len);
	w->in += len;
	w->in_len -= len;
	return (ssize_t)len;
}

static ssize_t give(wslay_event_context_ptr context, const uint8_t *data, size_t len, int flags, void *ctx)
{
	struct ws *w = ctx;

	(void)context;
	(void)flags;
	conn_send(w->conn, (const char *)data, len);
	return (ssize_t)len;
}

static void on_message(wslay_event_context_ptr context, const struct wslay_event_on_msg_recv_arg *m, void *ctx)
{
	struct ws *w = ctx;

	if (m->opcode == WSLAY_TEXT_FRAME) {
		wslay_event_queue_close(context, WSLAY_CODE_UNSUPPORTED_DATA, NULL, 0);
		wslay_event_shutdown_read(context);
	} else if (m->opcode == WSLAY_BINARY_FRAME && w->stream)
		w->conn->handlers->on_frame(w->conn->handlers->ctx, w->stream, m->msg, m->msg_length);
}

static void shake_hands(struct conn *c, const char *key, const char *protocol)
{
	cleanup_strbuf struct strbuf text = { 0 }, head = { 0 };
	unsigned char hash[SHA_DIGEST_LENGTH], accept[ACCEPT_SIZE];

	strbuf_addf(&text, "%s" GUID, key);
	SHA1((const unsigned char *)text.data, text.len, hash);
	EVP_EncodeBlock(accept, hash, sizeof(hash));
	strbuf_adds(&head, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
	strbuf_addf(&head, "Sec-WebSocket-Accept: %s\r\n", (const char *)accept);
	if (protocol && *protocol)
		strbuf_addf(&head, "Sec-WebSocket-Protocol: %s\r\n", protocol);
	strbuf_adds(&head, "\r\n");
	conn_send(c, head.data, head.len);
}

struct ws *ws_new(struct stream *s, const char *key, const char *protocol)
{
	static const struct wslay_event_callbacks callbacks = {
		.recv_callback = take,
		.send_callback = give,
		.on_msg_recv_callback = on_message,
	};
	struct ws *w = mem_new(sizeof(*w));

	*w = (struct ws){ .conn = s->conn, .stream = s };
	if (wslay_event_context_server_init(&w->context, &callbacks, w) != 0)
		die("serve", "out of memory for a WebSocket", 0);
	wslay_event_config_set_max_recv_msg_length(w->context, WS_MESSAGE_MAX);
	shake_hands(s->conn, key, protocol);
	return w;
}

void ws_free(struct ws *w)
{
	if (!w)
		return;
	wslay_event_context_free(w->context);
	free(w);
}

/* What libwslay queued goes into the connection, where the bound on what waits is kept. */
static void flush(struct ws *w)
{
	if (wslay_event_want_write(w->context) && wslay_event_send(w->context) != 0)
		wslay_event_shutdown_write(w->context);
}

bool ws_receive(struct ws *w, const char *data, size_t len)
{
	w->in = data;
	w->in_len = len;
	bool is_good = wslay_event_recv(w->context) == 0;
	flush(w);
	return is_good && wslay_event_get_read_enabled(w->context);
}

void ws_send(struct ws *w, const void *data, size_t len)
{
	struct wslay_event_msg m = { .opcode = WSLAY_BINARY_FRAME, .msg = data, .msg_length = len };

	if (wslay_event_queue_msg(w->context, &m) == 0)
		flush(w);
}

void ws_say_goodbye(struct ws *w, uint16_t code)
{
	w->stream = NULL;
	if (wslay_event_queue_close(w->context, code, NULL, 0) == 0)
		flush(w);
}
