/*
 * One request and its answer, as both protocols see it.
 *
 *	ASKING -> OWNED -> BEGUN ----> OVER
 *	            |  \-> UPGRADED -/
 *	            \-> DEAF: what the owner says is dropped, until he is told that the stream is closed
 *
 * In ASKING and OVER the owner of serve knows nothing of it, so .on_closed is not called.
 */
#pragma once

#include "serve_bytes.h"
#include "serve_conn.h"
#include "serve_head.h"

enum stream_state { STREAM_ASKING, STREAM_OWNED, STREAM_BEGUN, STREAM_UPGRADED, STREAM_DEAF, STREAM_OVER };

struct stream {
	struct conn *conn;
	void *owner;
	enum stream_state state;
	bool head_only;        /* HEAD: an answer has no body */
	struct head *head;     /* until handed over */
	int32_t id;            /* HTTP/2: and what waits for the window of the client, and whether the end comes after it */
	struct bytes waiting;
	bool is_ended;
	struct stream *prev, *next;
};

struct stream *stream_new(struct conn *c);
void stream_free(struct stream *s);
/* The client has left: tells the owner, if there is one, and frees S. */
void stream_vanish(struct stream *s);
/* Tells the owner that S is closed, if there is one. */
void stream_tell(struct stream *s);

/* The request is whole: calls .on_request, or answers by itself. S may be freed afterwards. */
void stream_hand_over(struct stream *s);
/* An answer of serve's own to what nobody else needs to see. S may be freed afterwards. */
void stream_refuse(struct stream *s, int code);
const char *stream_reason(int code);
