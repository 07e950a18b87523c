/*
 * One exec, from the connection to the end of its WebSocket; exec.h has the picture of its states. It never waits: every
 * step does what can be done at once.
 */
#pragma once

#include "controller/world.h"
#include "easy.h"
#include "trust.h"
#include "ws.h"

#include <stdbool.h>

enum job_state { JOB_WAITING, JOB_CONNECTING, JOB_SENDING, JOB_HEAD, JOB_REFUSED, JOB_OPEN };

struct channels;
struct wslay_event_context;

struct job {
	const struct endpoint *endpoint;
	CURLM *multi;             /* that has .easy; NULL while the job waits */
	enum job_state state;
	CURL *easy;
	struct trust trust;       /* of .easy */
	curl_socket_t socket;     /* from JOB_SENDING on */
	char key[WS_KEY_SIZE];
	struct exec_request what;
	struct strbuf request;    /* what is being sent */
	size_t sent;
	struct strbuf answer;     /* head of the answer and what came with it */
	size_t taken;             /* bytes of it that were used */
	struct ws_head head;
	struct wslay_event_context *stream;
	struct channels *channels;
	size_t given;             /* bytes of it that were handed to .stream */
	int64_t timeout_ms, deadline;
	bool is_over;             /* the requester was called back */
	char error[CURL_ERROR_SIZE];
	struct job *prev, *next;
};

struct job *job_new(const struct endpoint *endpoint, const struct exec_request *r);
void job_free(struct job *job);

/* Begins to connect, with TRUST unless the credentials have changed since. */
void job_start(struct job *job, CURLM *multi, const struct trust *trust);
/* libcurl says how connecting ended. */
void job_connected(struct job *job, CURLcode code);
/* Goes on as far as it can. */
void job_step(struct job *job);
/* Ends it with WHY, unless the end of the command was told. */
void job_give_up(struct job *job, const char *why);
/* The requester was called back: nothing but job_free() may follow. */
bool job_is_over(const struct job *job);

/* What to wait for on .socket: CURL_WAIT_POLLIN, CURL_WAIT_POLLOUT. Only from JOB_SENDING on. */
short job_events(const struct job *job);
