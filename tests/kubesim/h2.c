/* HTTP/2 by libnghttp2: thousands of requests and watches on one connection. */
#include "serve_stream.h"

#include "controller/mem.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>

/* A real API server allows 100 to 250; here a bench may want each watch on the same connection. */
#define STREAMS_MAX 10000
#define NUMBER_SIZE 24
#define ANSWER_HEADERS_MAX 4

struct h2 {
	nghttp2_session *nghttp2;
	bool has_cut;  /* a stream's owner is to be told */
	bool is_broken;
};

static struct stream *find(nghttp2_session *session, int32_t id)
{
	return nghttp2_session_get_stream_user_data(session, id);
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	struct stream *s = stream_new(ctx);
	s->id = frame->hd.stream_id;
	nghttp2_session_set_stream_user_data(session, s->id, s);
	return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_len,
                     const uint8_t *value, size_t len, uint8_t flags, void *ctx)
{
	struct stream *s = find(session, frame->hd.stream_id);

	(void)flags;
	(void)ctx;
	/* What comes after the body is of no interest. */
	if (!s || s->state != STREAM_ASKING || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	if (name_len == 7 && memcmp(name, ":method", 7) == 0)
		head_set(s->head, HEAD_METHOD, (const char *)value, len);
	else if (name_len == 5 && memcmp(name, ":path", 5) == 0)
		head_set(s->head, HEAD_PATH, (const char *)value, len);
	else
		head_add(s->head, (const char *)name, name_len, (const char *)value, len);
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t len, void *ctx)
{
	struct stream *s = find(session, id);

	(void)flags;
	(void)ctx;
	if (!s || s->state != STREAM_ASKING)
		return 0;
	strbuf_add(&s->head->body, (const char *)data, len);
	if (s->head->body.full)
		stream_refuse(s, 413);
	return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
	bool ends = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
	bool counts = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
	struct stream *s = ends && counts ? find(session, frame->hd.stream_id) : NULL;

	(void)ctx;
	if (!s || s->state != STREAM_ASKING)
		return 0;
	/* CONNECT has no path, OPTIONS may have "*". */
	if (strbuf_str(&s->head->fields[HEAD_PATH])[0] != '/')
		stream_refuse(s, 400);
	else
		stream_hand_over(s);
	return 0;
}

/* Answered before the whole request had come: the rest is not wanted (RFC 9113, section 8.1). */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
	bool ends = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
	bool counts = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;

	(void)ctx;
	if (ends && counts && nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
		nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
	return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *ctx)
{
	struct stream *s = find(session, id);

	(void)code;
	(void)ctx;
	if (s)
		stream_vanish(s);
	return 0;
}

static struct h2 *session_new(struct conn *c)
{
	static const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS_MAX },
	};
	struct h2 *h = mem_new(sizeof(*h));
	nghttp2_session_callbacks *callbacks;

	if (nghttp2_session_callbacks_new(&callbacks) != 0)
		die("serve", "out of memory for HTTP/2", 0);
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
	nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
	if (nghttp2_session_server_new(&h->nghttp2, callbacks, c) != 0)
		die("serve", "out of memory for HTTP/2", 0);
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_submit_settings(h->nghttp2, NGHTTP2_FLAG_NONE, settings, sizeof(settings) / sizeof(settings[0]));
	return h;
}

static struct h2 *session(struct conn *c)
{
	if (!c->session)
		c->session = session_new(c);
	return c->session;
}

static nghttp2_session *nghttp2_of(const struct stream *s)
{
	struct h2 *h = s->conn->session;

	return h->nghttp2;
}

static void receive(struct conn *c, const char *data, size_t len)
{
	struct h2 *h = session(c);

	if (nghttp2_session_mem_recv(h->nghttp2, (const uint8_t *)data, len) < 0)
		h->is_broken = true;
}

/* The client may not be reading at all, so the owner does not wait until it knows. */
static void tell_the_cut(struct conn *c, struct h2 *h)
{
	if (!h->has_cut)
		return;
	h->has_cut = false;
	for (struct stream *s = c->streams; s; s = s->next)
		if (s->state == STREAM_DEAF)
			stream_tell(s);
}

static void turn(struct conn *c)
{
	struct h2 *h = session(c);
	const uint8_t *data;

	tell_the_cut(c, h);
	while (c->out.len < CONN_OUT_LOW && !h->is_broken) {
		ssize_t len = nghttp2_session_mem_send(h->nghttp2, &data);
		if (len < 0)
			h->is_broken = true;
		if (len <= 0)
			break;
		conn_send(c, (const char *)data, (size_t)len);
	}
	if (h->is_broken || (!nghttp2_session_want_read(h->nghttp2) && !nghttp2_session_want_write(h->nghttp2)))
		conn_end(c);
}

static ssize_t give(nghttp2_session *session, int32_t id, uint8_t *data, size_t size, uint32_t *flags,
                    nghttp2_data_source *source, void *ctx)
{
	struct stream *s = source->ptr;
	size_t len = s->waiting.len < size ? s->waiting.len : size;

	(void)session;
	(void)id;
	(void)ctx;
	if (len == 0 && !s->is_ended)
		return NGHTTP2_ERR_DEFERRED;
	memcpy(data, bytes_front(&s->waiting), len);
	bytes_take(&s->waiting, len);
	s->conn->waiting -= len;
	if (s->waiting.len == 0 && s->is_ended)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)len;
}

static nghttp2_nv pair(const char *name, const char *value)
{
	return (nghttp2_nv){ .name = (uint8_t *)name, .namelen = strlen(name), .value = (uint8_t *)value,
	                     .valuelen = strlen(value) };
}

static void wait_to_go(struct stream *s, const char *data, size_t len)
{
	bytes_add(&s->waiting, data, len);
	s->conn->waiting += len;
}

static void answer(struct stream *s, const struct reply *r)
{
	char code[NUMBER_SIZE], length[NUMBER_SIZE], retry[NUMBER_SIZE];
	nghttp2_nv headers[ANSWER_HEADERS_MAX];
	size_t count = 0;

	snprintf(code, sizeof(code), "%d", r->code);
	snprintf(length, sizeof(length), "%zu", r->len);
	snprintf(retry, sizeof(retry), "%d", r->retry_after_s);
	headers[count++] = pair(":status", code);
	if (r->content_type && *r->content_type)
		headers[count++] = pair("content-type", r->content_type);
	if (!r->in_parts)
		headers[count++] = pair("content-length", length);
	if (r->retry_after_s > 0)
		headers[count++] = pair("retry-after", retry);
	s->is_ended = !r->in_parts;
	if (!s->head_only && !r->in_parts)
		wait_to_go(s, r->body, r->len);
	nghttp2_data_provider body = { .source.ptr = s, .read_callback = give };
	nghttp2_submit_response(nghttp2_of(s), s->id, headers, count, s->head_only ? NULL : &body);
}

static void write_data(struct stream *s, const char *data, size_t len)
{
	wait_to_go(s, data, len);
	nghttp2_session_resume_data(nghttp2_of(s), s->id);
}

static void end(struct stream *s)
{
	s->is_ended = true;
	nghttp2_session_resume_data(nghttp2_of(s), s->id);
}

static int upgrade(struct stream *s, const char *protocol)
{
	(void)s;
	(void)protocol;
	return -1;
}

/* It is freed when all of it has gone out. */
static void leave(struct stream *s)
{
	s->state = STREAM_OVER;
}

static void cut(struct stream *s)
{
	struct h2 *h = s->conn->session;

	s->conn->waiting -= s->waiting.len;
	bytes_release(&s->waiting);
	h->has_cut = true;
	nghttp2_submit_rst_stream(h->nghttp2, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_CANCEL);
}

static void release(struct conn *c)
{
	struct h2 *h = c->session;

	if (!h)
		return;
	nghttp2_session_del(h->nghttp2);
	free(h);
}

const struct protocol h2_protocol = {
	.receive = receive,
	.turn = turn,
	.answer = answer,
	.write = write_data,
	.end = end,
	.upgrade = upgrade,
	.leave = leave,
	.cut = cut,
	.release = release,
};
