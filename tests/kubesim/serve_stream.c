#include "serve_stream.h"

#include "controller/mem.h"

#include <assert.h>
#include <stdio.h>
#include <utlist.h>

#define TEXT_MAX 64
#define RETRY_S 1

struct stream *stream_new(struct conn *c)
{
	struct stream *s = mem_new(sizeof(*s));

	*s = (struct stream){ .conn = c, .head = head_new() };
	DL_APPEND(c->streams, s);
	return s;
}

void stream_free(struct stream *s)
{
	DL_DELETE(s->conn->streams, s);
	s->conn->waiting -= s->waiting.len;
	bytes_release(&s->waiting);
	head_free(s->head);
	free(s);
}

void stream_tell(struct stream *s)
{
	bool has_owner = s->state != STREAM_ASKING && s->state != STREAM_OVER;

	s->state = STREAM_OVER;
	if (has_owner)
		s->conn->handlers->on_closed(s->conn->handlers->ctx, s);
}

void stream_vanish(struct stream *s)
{
	stream_tell(s);
	stream_free(s);
}

void stream_hand_over(struct stream *s)
{
	const struct serve_handlers *handlers = s->conn->handlers;
	struct head *head = s->head;

	if (head->is_bad)
		return stream_refuse(s, 400);
	if (s->conn->waiting > CONN_WAITING_MAX)
		return stream_refuse(s, 503);
	struct serve_request r = head_request(head);
	s->head = NULL;
	s->head_only = strcmp(r.method, "HEAD") == 0;
	s->state = STREAM_OWNED;
	handlers->on_request(handlers->ctx, s, &r);
	head_free(head);
}

const char *stream_reason(int code)
{
	static const struct {
		int code;
		const char *reason;
	} reasons[] = {
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" },
		{ 409, "Conflict" },
		{ 410, "Gone" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].code == code)
			return reasons[i].reason;
	return "Other";
}

static void answer(struct stream *s, const struct reply *r)
{
	const struct protocol *protocol = s->conn->protocol;

	protocol->answer(s, r);
	if (r->in_parts)
		s->state = STREAM_BEGUN;
	else
		protocol->leave(s);
}

void stream_refuse(struct stream *s, int code)
{
	char text[TEXT_MAX];
	int len = snprintf(text, sizeof(text), "%s\n", stream_reason(code));

	head_free(s->head);
	s->head = NULL;
	answer(s, &(struct reply){ .code = code, .content_type = "text/plain", .body = text, .len = (size_t)len,
	                           .retry_after_s = code == 503 ? RETRY_S : 0 });
}

void stream_set_owner(struct stream *s, void *owner)
{
	s->owner = owner;
}

void *stream_owner(const struct stream *s)
{
	return s->owner;
}

void stream_answer(struct stream *s, int code, const char *content_type, const char *body, size_t len,
                   int retry_after_s)
{
	assert(s->state == STREAM_OWNED);
	answer(s, &(struct reply){ .code = code, .content_type = content_type, .body = body, .len = len,
	                           .retry_after_s = retry_after_s });
}

void stream_begin(struct stream *s, int code, const char *content_type)
{
	assert(s->state == STREAM_OWNED);
	answer(s, &(struct reply){ .code = code, .content_type = content_type, .in_parts = true });
}

static void cut_if_behind(struct stream *s)
{
	if (s->waiting.len + s->conn->out.len <= SERVE_STREAM_BUFFER_MAX)
		return;
	s->state = STREAM_DEAF;
	s->conn->protocol->cut(s);
}

void stream_write(struct stream *s, const char *data, size_t len)
{
	if (s->state == STREAM_DEAF || s->head_only || len == 0)
		return;
	assert(s->state == STREAM_BEGUN);
	s->conn->protocol->write(s, data, len);
	cut_if_behind(s);
}

void stream_end(struct stream *s)
{
	if (s->state != STREAM_DEAF) {
		assert(s->state == STREAM_BEGUN);
		s->conn->protocol->end(s);
	}
	s->conn->protocol->leave(s);
}

void stream_upgrade(struct stream *s, const char *protocol)
{
	static const char text[] = "this is no WebSocket\n";

	assert(s->state == STREAM_OWNED);
	if (s->conn->protocol->upgrade(s, protocol) == 0) {
		s->state = STREAM_UPGRADED;
		return;
	}
	s->conn->protocol->answer(s, &(struct reply){ .code = 400, .content_type = "text/plain", .body = text,
	                                              .len = sizeof(text) - 1 });
	s->state = STREAM_DEAF;
}

void stream_frame(struct stream *s, const void *data, size_t len)
{
	if (s->state == STREAM_DEAF)
		return;
	assert(s->state == STREAM_UPGRADED);
	s->conn->protocol->frame(s, data, len);
	cut_if_behind(s);
}

void stream_close(struct stream *s, uint16_t code)
{
	if (s->state != STREAM_DEAF) {
		assert(s->state == STREAM_UPGRADED);
		s->conn->protocol->close(s, code);
	}
	s->conn->protocol->leave(s);
}
