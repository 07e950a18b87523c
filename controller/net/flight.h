/*
 * One request on its way: the libcurl handle with all its options, and what has come back. http.h decides when it starts
 * and how it ends.
 */
#pragma once

#include "controller/world.h"
#include "easy.h"

#include <stdbool.h>

struct http;

struct flight {
	struct http *http;    /* that it belongs to */
	bool started;         /* the multi handle has it */
	bool cancelled;       /* dropped by the next step: libcurl must not be touched from inside its callbacks */
	bool cut;             /* its connection is dead */
	bool tried_again;
	bool urgent;          /* is sent although HTTP_SENT_MAX others are */
	unsigned credentials_version; /* that its headers were made of */
	CURL *easy;           /* NULL until its turn comes: with its buffers it is much larger than what it sends */
	struct curl_slist *headers;
	enum verb verb;
	char *path;
	const char *content;  /* what it sends, or NULL; borrowed until there is .easy, which has a copy */
	int64_t timeout_ms, deadline;
	int64_t heard_at;     /* the last of its answer (clock_steady_ms()); 0: nothing yet */
	struct strbuf body;   /* of a watch: only when it was refused */
	void (*on_data)(void *ctx, const char *data, size_t len);
	void (*on_done)(void *ctx, const struct response *r);
	void *ctx;
	char error[CURL_ERROR_SIZE];
	struct flight *prev, *next;
};

struct flight *flight_new(struct http *http, const struct request *r);
void flight_free(struct flight *f);

/* Gives it EASY, a fresh handle, which the caller takes back before flight_free(). */
void flight_set_up(struct flight *f, CURL *easy);

/* Headers and TLS as the credentials are now, and the time anew: F is about to be sent. */
void flight_prepare(struct flight *f);
/* Tells F's connection from others: its local port. 0 before there is one. */
long flight_port(const struct flight *f);
/* Notes that something came over F's connection. */
void flight_hear(struct flight *f);
/* The answer's code; 0 before there is one. */
int flight_http_code(const struct flight *f);
/* Whether it counts as one of HTTP_SENT_MAX. */
bool flight_takes_room(const struct flight *f);
bool flight_is_watch(const struct flight *f);
