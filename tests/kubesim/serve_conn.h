/*
 * One connection: TLS below, bytes that wait to go out, and a protocol above that makes requests of what comes in.
 *
 *	GREETING -> OPEN -> ENDING -> LINGERING -> GONE
 *
 * ENDING sends what waits. LINGERING has said goodbye and reads what still comes, for a socket that is closed with unread
 * data takes the answer back. Any of them may become GONE; only serve_step() frees a connection that is.
 *
 * The owner is called back from serve_step() and serve_free() only, never from what he calls himself: while he writes to
 * a stream, neither that one nor any other goes away under him.
 */
#pragma once

#include "serve.h"
#include "serve_bytes.h"
#include "tls.h"

/* A greeting or a goodbye takes no longer. */
#define CONN_GREETING_MS 30000
#define CONN_ENDING_MS 10000
/* The protocol is asked for more when less than this waits for the socket. */
#define CONN_OUT_LOW ((size_t)64 << 10)
/* Answers not yet taken, over all streams; with more waiting, new requests are answered 503. */
#define CONN_WAITING_MAX ((size_t)32 << 20)

struct conn;
struct stream;

/* An answer. BODY may be NULL when it comes in parts. */
struct reply {
	int code;
	const char *content_type;
	const char *body;
	size_t len;
	int retry_after_s;
	bool in_parts;
};

struct protocol {
	void (*receive)(struct conn *c, const char *data, size_t len);
	/* Does what has become possible: understands what came earlier, puts what waits into the connection. */
	void (*turn)(struct conn *c);
	void (*answer)(struct stream *s, const struct reply *r);
	void (*write)(struct stream *s, const char *data, size_t len);
	void (*end)(struct stream *s);
	/* 0, or -1 when the client asked for no WebSocket. */
	int (*upgrade)(struct stream *s, const char *protocol);
	void (*frame)(struct stream *s, const void *data, size_t len);
	void (*close)(struct stream *s, uint16_t code);
	/* The owner has said all. S may be freed. */
	void (*leave)(struct stream *s);
	/* Nothing more goes out on S; the owner is told in the next turn. */
	void (*cut)(struct stream *s);
	void (*release)(struct conn *c);
};
extern const struct protocol h1_protocol, h2_protocol;

enum conn_phase { CONN_GREETING, CONN_OPEN, CONN_ENDING, CONN_LINGERING, CONN_GONE };

struct conn {
	const struct serve_handlers *handlers;
	int fd;
	SSL *tls;
	enum conn_phase phase;
	int64_t deadline;        /* by clock_steady_ms(); INT64_MAX: none */
	bool tls_waits_to_write; /* to go on with a greeting or with reading */
	bool is_full;            /* nothing is read until the protocol has dealt with what came */
	struct bytes out;
	const struct protocol *protocol; /* from OPEN on */
	void *session;                   /* its own */
	struct stream *streams;
	size_t waiting;                  /* bytes in .waiting of all streams */
	struct conn *prev, *next;
};

/* Takes over FD. NULL when OpenSSL cannot. */
struct conn *conn_new(SSL_CTX *context, int fd, const struct serve_handlers *handlers);
/* Tells the owners of its streams. */
void conn_free(struct conn *c);

/* What to wait for. */
short conn_events(const struct conn *c);
/* Reads what has come, and acts on it. */
void conn_read(struct conn *c, short events);
/* Sends what can be sent, and everything else that need not wait. */
void conn_turn(struct conn *c);

/* For protocols. */
void conn_send(struct conn *c, const char *data, size_t len);
void conn_end(struct conn *c);
