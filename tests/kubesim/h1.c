/* HTTP/1.1: one request after another on a connection, and what becomes a WebSocket. */
#include "h1_parse.h"

#include "controller/clock.h"
#include "controller/mem.h"
#include "serve_stream.h"
#include "ws.h"

#include <stdio.h>

/* As Go's servers: see HEAD_FIELD_MAX. */
#define HEAD_MAX ((size_t)1 << 20)
/* Read ahead while an answer is awaited. */
#define IN_MAX ((size_t)64 << 10)
#define CHUNK_LINE_MAX 256
#define TRAILER_MAX 8192

enum h1_state { H1_HEAD, H1_BODY, H1_CHUNK_SIZE, H1_CHUNK, H1_CHUNK_END, H1_TRAILER, H1_ANSWERING, H1_WEBSOCKET };

struct h1 {
	enum h1_state state;
	struct bytes in;
	size_t searched; /* of .in: the end of the head does not begin there */
	struct h1_ask ask;
	uint64_t left;   /* of the body, or of a chunk */
	struct ws *ws;
};

/* The session is made by the first bytes. */
static struct h1 *session(struct conn *c)
{
	if (!c->session)
		c->session = mem_new(sizeof(struct h1));
	return c->session;
}

static void receive(struct conn *c, const char *data, size_t len)
{
	struct h1 *h = session(c);

	bytes_add(&h->in, data, len);
	c->is_full = h->in.len >= IN_MAX;
}

/* Where the rest of the request begins is no longer known, so the connection ends with the answer. */
static bool refuse(struct stream *s, int code)
{
	struct h1 *h = s->conn->session;

	h->state = H1_ANSWERING;
	h->ask.is_last = true;
	stream_refuse(s, code);
	return false;
}

static bool hand_over(struct stream *s)
{
	struct h1 *h = s->conn->session;

	h->state = H1_ANSWERING;
	stream_hand_over(s);
	return true;
}

static bool begin_body(struct stream *s)
{
	struct h1 *h = s->conn->session;

	if (h->ask.content_length > SERVE_BODY_MAX)
		return refuse(s, 413);
	if (h->ask.content_length == 0 && !h->ask.is_chunked)
		return hand_over(s);
	if (h->ask.waits_for_continue) {
		static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
		conn_send(s->conn, go_on, sizeof(go_on) - 1);
	}
	h->state = h->ask.is_chunked ? H1_CHUNK_SIZE : H1_BODY;
	h->left = h->ask.content_length;
	return true;
}

/* These return whether there may be more to understand. */
static bool take_head(struct conn *c)
{
	struct h1 *h = c->session;
	const char *data = bytes_front(&h->in);
	const char *end = memmem(data + h->searched, h->in.len - h->searched, "\r\n\r\n", 4);
	size_t len = end ? (size_t)(end - data) + 4 : h->in.len;

	if (!end && len <= HEAD_MAX) {
		h->searched = len > 3 ? len - 3 : 0;
		return false;
	}
	struct stream *s = stream_new(c);
	if (len > HEAD_MAX)
		return refuse(s, 431);
	int code = h1_parse(data, len, s->head, &h->ask);
	bytes_take(&h->in, len);
	h->searched = 0;
	return code == 0 ? begin_body(s) : refuse(s, code);
}

/* Moves what has come of the body, or of a chunk. True when that was all of it. */
static bool take_data(struct conn *c)
{
	struct h1 *h = c->session;
	size_t len = h->in.len < h->left ? h->in.len : (size_t)h->left;

	strbuf_add(&c->streams->head->body, bytes_front(&h->in), len);
	bytes_take(&h->in, len);
	h->left -= len;
	return h->left == 0;
}

/* The length of the line that .in begins with, without CRLF. -1: it has not come yet. -2: it is too long. */
static long line_length(const struct h1 *h, size_t max)
{
	const char *data = bytes_front(&h->in);
	const char *end = memmem(data, h->in.len, "\r\n", 2);

	if (end && (size_t)(end - data) <= max)
		return end - data;
	return !end && h->in.len <= max ? -1 : -2;
}

static bool take_chunk_size(struct conn *c)
{
	struct h1 *h = c->session;
	struct stream *s = c->streams;
	long len = line_length(h, CHUNK_LINE_MAX);

	if (len == -1)
		return false;
	int64_t size = len < 0 ? -1 : h1_parse_chunk_size(bytes_front(&h->in), (size_t)len);
	if (size < 0)
		return refuse(s, 400);
	if ((uint64_t)size > SERVE_BODY_MAX - s->head->body.len)
		return refuse(s, 413);
	bytes_take(&h->in, (size_t)len + 2);
	h->left = (uint64_t)size;
	h->state = size > 0 ? H1_CHUNK : H1_TRAILER;
	h->searched = 0;
	return true;
}

static bool take_chunk_end(struct conn *c)
{
	struct h1 *h = c->session;

	if (h->in.len < 2)
		return false;
	if (memcmp(bytes_front(&h->in), "\r\n", 2) != 0)
		return refuse(c->streams, 400);
	bytes_take(&h->in, 2);
	h->state = H1_CHUNK_SIZE;
	return true;
}

/* Fields after the last chunk are of no interest here. .searched counts them all. */
static bool take_trailer(struct conn *c)
{
	struct h1 *h = c->session;
	long len = line_length(h, TRAILER_MAX);

	if (len == -1)
		return false;
	if (len < 0 || h->searched + (size_t)len > TRAILER_MAX)
		return refuse(c->streams, 431);
	bytes_take(&h->in, (size_t)len + 2);
	h->searched += (size_t)len + 2;
	if (len > 0)
		return true;
	h->searched = 0;
	return hand_over(c->streams);
}

static bool take_frames(struct conn *c)
{
	struct h1 *h = c->session;
	struct bytes in = h->in;

	if (in.len == 0)
		return false;
	h->in = (struct bytes){ 0 };
	bool goes_on = ws_receive(h->ws, bytes_front(&in), in.len);
	bytes_release(&in);
	if (!goes_on) {
		if (c->streams)
			stream_vanish(c->streams);
		conn_end(c);
	}
	return false;
}

static bool advance(struct conn *c)
{
	struct h1 *h = c->session;

	switch (h->state) {
	case H1_HEAD:
		return c->out.len < CONN_OUT_LOW && take_head(c);
	case H1_BODY:
		return take_data(c) && hand_over(c->streams);
	case H1_CHUNK_SIZE:
		return take_chunk_size(c);
	case H1_CHUNK:
		if (!take_data(c))
			return false;
		h->state = H1_CHUNK_END;
		return true;
	case H1_CHUNK_END:
		return take_chunk_end(c);
	case H1_TRAILER:
		return take_trailer(c);
	case H1_ANSWERING:
		/* An upgrade was refused: the owner learns it when the connection has ended. */
		if (c->streams && c->streams->state == STREAM_DEAF)
			conn_end(c);
		return false;
	case H1_WEBSOCKET:
		return c->out.len < CONN_OUT_LOW && take_frames(c);
	}
	return false;
}

static void turn(struct conn *c)
{
	struct h1 *h = session(c);

	while (c->phase == CONN_OPEN && advance(c))
		;
	c->is_full = h->in.len >= IN_MAX && (h->state == H1_ANSWERING || c->out.len >= CONN_OUT_LOW);
}

static void answer(struct stream *s, const struct reply *r)
{
	struct conn *c = s->conn;
	struct h1 *h = c->session;
	cleanup_strbuf struct strbuf head = { 0 };

	strbuf_addf(&head, "HTTP/1.1 %d %s\r\n", r->code, stream_reason(r->code));
	if (r->content_type && *r->content_type)
		strbuf_addf(&head, "Content-Type: %s\r\n", r->content_type);
	if (r->retry_after_s > 0)
		strbuf_addf(&head, "Retry-After: %d\r\n", r->retry_after_s);
	if (h->ask.is_last)
		strbuf_adds(&head, "Connection: close\r\n");
	if (r->in_parts)
		strbuf_adds(&head, "Transfer-Encoding: chunked\r\n\r\n");
	else
		strbuf_addf(&head, "Content-Length: %zu\r\n\r\n", r->len);
	conn_send(c, head.data, head.len);
	if (!s->head_only && !r->in_parts)
		conn_send(c, r->body, r->len);
}

static void write_chunk(struct stream *s, const char *data, size_t len)
{
	char line[32];
	int line_len = snprintf(line, sizeof(line), "%zx\r\n", len);

	conn_send(s->conn, line, (size_t)line_len);
	conn_send(s->conn, data, len);
	conn_send(s->conn, "\r\n", 2);
}

static void end(struct stream *s)
{
	if (!s->head_only)
		conn_send(s->conn, "0\r\n\r\n", 5);
}

static int upgrade(struct stream *s, const char *protocol)
{
	struct h1 *h = s->conn->session;

	if (!*h->ask.ws_key)
		return -1;
	h->ws = ws_new(s, h->ask.ws_key, protocol);
	h->state = H1_WEBSOCKET;
	return 0;
}

static void send_frame(struct stream *s, const void *data, size_t len)
{
	struct h1 *h = s->conn->session;

	ws_send(h->ws, data, len);
}

static void close_frames(struct stream *s, uint16_t code)
{
	struct h1 *h = s->conn->session;

	ws_say_goodbye(h->ws, code);
	s->conn->deadline = clock_steady_ms() + CONN_ENDING_MS;
}

static void leave(struct stream *s)
{
	struct conn *c = s->conn;
	struct h1 *h = c->session;

	stream_free(s);
	if (h->state == H1_WEBSOCKET)
		return;
	h->state = H1_HEAD;
	if (h->ask.is_last)
		conn_end(c);
}

/* The next step frees the connection, and tells the owner. */
static void cut(struct stream *s)
{
	s->conn->phase = CONN_GONE;
}

static void release(struct conn *c)
{
	struct h1 *h = c->session;

	if (!h)
		return;
	ws_free(h->ws);
	bytes_release(&h->in);
	free(h);
}

const struct protocol h1_protocol = {
	.receive = receive,
	.turn = turn,
	.answer = answer,
	.write = write_chunk,
	.end = end,
	.upgrade = upgrade,
	.frame = send_frame,
	.close = close_frames,
	.leave = leave,
	.cut = cut,
	.release = release,
};
