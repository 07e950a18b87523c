/*
 * An HTTPS server as small as a stand-in for an API server needs: HTTP/2 for requests and watches, HTTP/1.1 for clients
 * that know no better and for the WebSocket of an exec. One thread; the owner turns it with serve_step().
 *
 * A request is handed over whole. Its stream is answered at once with stream_answer(), or kept: stream_begin() and then
 * stream_write() as there is something to say (a watch), or stream_upgrade() and then frames (an exec). A stream is valid
 * until .on_closed has been called for it or it was answered or ended; what the owner hangs on it is the owner's.
 *
 * Handlers are called by serve_step(), and .on_closed by serve_free(), never from within stream_*(): whoever writes to
 * one stream after the other need not fear that one goes away under him. SIGPIPE is ignored from serve_new() on.
 */
#pragma once

#include "crd/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVE_BODY_MAX (4 << 20) /* longer requests are answered 413 */
/* A reader of parts or frames that is behind by more is cut off. A whole answer may be larger. */
#define SERVE_STREAM_BUFFER_MAX (8 << 20)

struct serve;
struct stream;

/* Valid during .on_request only. */
struct serve_request {
	const char *method;        /* "GET" */
	const char *path;          /* with query, as sent */
	const char *content_type;  /* these four: "" when absent */
	const char *accept;
	const char *authorization;
	const char *user_agent;
	const char *body;          /* NUL-terminated */
	size_t len;
	const char *const *protocols; /* offered in Sec-WebSocket-Protocol, NULL-terminated; NULL: not a WebSocket */
};

struct serve_handlers {
	void *ctx;
	void (*on_request)(void *ctx, struct stream *s, const struct serve_request *r);
	/* One binary frame of an upgraded stream. */
	void (*on_frame)(void *ctx, struct stream *s, const void *data, size_t len);
	/* The other side is gone, or was too slow: S is about to be freed. Not called for what was answered or ended. */
	void (*on_closed)(void *ctx, struct stream *s);
};

struct serve_options {
	const char *address;       /* "127.0.0.1" */
	uint16_t port;             /* 0: any free one */
	const char *cert_file, *key_file; /* PEM */
	const char *client_ca_file; /* certificates of clients are asked for and checked against it; NULL: not asked for */
};

struct serve *serve_new(const struct serve_options *options, const struct serve_handlers *handlers, struct err *err);
/* Calls .on_closed for whatever is still open. Not to be called from a handler. */
void serve_free(struct serve *s);
uint16_t serve_port(const struct serve *s);
/*
 * Sends what was said since the last time, waits at most TIMEOUT_MS (-1: for ever) for something to come or go, and calls
 * the handlers. Returns at once after calling one. WAKE_FD: waited for as well, to be read; -1: none.
 */
void serve_step(struct serve *s, int timeout_ms, int wake_fd);

void stream_set_owner(struct stream *s, void *owner);
void *stream_owner(const struct stream *s);

/* Whole answer. RETRY_AFTER_S: 0 for none. The body is copied. */
void stream_answer(struct stream *s, int code, const char *content_type, const char *body, size_t len,
                   int retry_after_s);
/* Headers of an answer whose body comes in parts. */
void stream_begin(struct stream *s, int code, const char *content_type);
void stream_write(struct stream *s, const char *data, size_t len);
void stream_end(struct stream *s);

/*
 * 101 with that subprotocol (NULL: none). Where no WebSocket was asked for, which HTTP/2 does not know at all, serve
 * answers 400 by itself; S stays valid until .on_closed, and drops what is said on it.
 */
void stream_upgrade(struct stream *s, const char *protocol);
void stream_frame(struct stream *s, const void *data, size_t len);
/* Closes an upgraded stream with that WebSocket code (1000: normal). */
void stream_close(struct stream *s, uint16_t code);
