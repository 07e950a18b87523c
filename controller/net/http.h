/*
 * Requests and watches over one libcurl multi handle: HTTP/2, many streams on at most four connections.
 *
 * A server allows about 100 streams on a connection; with a limit of four none of our connections is one too many,
 * and a fifth is never needed (tried: 250 watches and 16 requests at once). Where the server, or a proxy in front of it,
 * speaks only HTTP/1.1 the limit is raised, for there every watch takes a connection of its own.
 */
#pragma once

#include "controller/world.h"
#include "easy.h"
#include "lines.h"

#include <stdbool.h>

/* The largest answer that is taken: a page of 250 objects has about 2 MiB. */
#define HTTP_BODY_MAX ((size_t)16 << 20)
#define HTTP_CONNECTIONS_MAX 4
/* The one that has the watches stays; another, which a burst needed, is closed once nothing is left on it. */
#define HTTP_IDLE_MAX 1
/* Our watches, a dozen, and the requests of many passes at once. */
#define HTTP1_CONNECTIONS_MAX 32
/*
 * Requests that are sent at once, beside the watches: all fit on one connection. Each takes 40 KiB, of which half is for what it
 * brings along; the others wait for their turn, and their time with them.
 */
#define HTTP_SENT_MAX 64
#define HTTP_UPLOAD_BUFFER 16384 /* the least that libcurl takes; it would take 64 KiB */
#define HTTP_TIMEOUT_MS 30000 /* for a request that names none */
/* Handles that are kept for the next request; the rest is freed, for an idle process shall be small. */
#define HTTP_POOL_MAX 4

struct flight;

struct http {
	struct endpoint *endpoint; /* borrowed */
	CURLM *multi;
	struct flight *flights;
	CURL *pool[HTTP_POOL_MAX];
	size_t pooled;
	struct lines lines;
	bool called_back;          /* by the step that runs: data of a watch */
	bool nudging;              /* nudge.h has asked and was not answered yet */
	bool saw_http1;            /* an answer came by it */
	bool limit_raised;
};

void http_init(struct http *h, struct endpoint *endpoint);
/* Calls nobody back. */
void http_release(struct http *h);

/* Frees the handles that are kept. */
void http_give_back(struct http *h);

/* As struct world says. */
void *http_request(struct http *h, const struct request *r);
void http_cancel(void *handle);

/* Sends what is new, takes what has come, calls back, without waiting. True when somebody was called back. */
bool http_step(struct http *h);
/* When http_step() must run even if nothing comes (clock_steady_ms()); INT64_MAX: never. */
int64_t http_deadline(const struct http *h);
