/*
 * Everything that the controller asks of the outside, as one table of functions, so that the simulation can stand in
 * for it: requests to the API server, execs into members, and the time. Asynchronous throughout: a callback is never
 * called before the function that started its request has returned, and exactly once (on_done) unless cancelled.
 *
 * Two worlds exist: controller/net.c (libcurl, wslay) and tests/sim/ (in memory, virtual clock).
 */
#pragma once

#include "crd/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verb { VERB_GET, VERB_LIST, VERB_WATCH, VERB_CREATE, VERB_UPDATE, VERB_APPLY, VERB_PATCH, VERB_DELETE, VERBS };

struct response {
	int http;                 /* 0 when there was none: .err says why */
	const char *body;         /* NUL-terminated; valid during the callback only; NULL for a watch */
	size_t len;
	struct err err;           /* .kind == ERR_NONE for 2xx */
};

/* Owned by the caller until on_done or request_cancel; path and body are copied when it is sent. */
struct request {
	enum verb verb;           /* gives method and content type: see verb_method(), verb_content_type() */
	const char *path;         /* with query, from "/" */
	const char *body;         /* JSON or NULL */
	int64_t timeout_ms;       /* for a watch: longest silence */
	void (*on_data)(void *ctx, const char *data, size_t len); /* a watch's bytes as they come; else NULL */
	void (*on_done)(void *ctx, const struct response *r);
	void *ctx;
};

enum exec_end {
	EXEC_EXITED,   /* the Status on channel 3 was read: exit_code is known */
	EXEC_REFUSED,  /* never started */
	EXEC_LOST,     /* started, or may have; no Status was read */
};

struct exec_result {
	enum exec_end end;
	int exit_code;
	const char *output;       /* stdout and stderr as they came, at most EXEC_OUTPUT_MAX, NUL-terminated */
	size_t len;
	const char *message;      /* for EXEC_REFUSED and EXEC_LOST: why */
};

#define EXEC_OUTPUT_MAX 8192

/* A part of what goes to the standard input of a command. */
struct exec_input {
	const char *data;
	size_t len;
};

#define EXEC_INPUT_PARTS 2

/* What it points to is the caller's until on_done, and does not change. */
struct exec_request {
	const char *namespace, *pod, *container; /* container: its name in the pod */
	const char *const *argv;
	size_t argc;
	struct exec_input input[EXEC_INPUT_PARTS]; /* one after the other; empty: no stdin */
	int64_t timeout_ms;
	void (*on_done)(void *ctx, const struct exec_result *r);
	void *ctx;
};

struct world {
	void *self;
	int64_t (*now)(void *self);                                       /* wall clock, ms since 1970 */
	void *(*request)(void *self, const struct request *r);            /* a handle for cancel, valid until on_done */
	void (*cancel)(void *self, void *handle);                         /* on_done will not be called */
	void (*exec)(void *self, const struct exec_request *r);           /* cannot be cancelled */
	uint32_t (*random)(void *self);                                   /* jitter of backoffs */
};

const char *verb_method(enum verb v);        /* "GET", "PATCH", ... */
const char *verb_content_type(enum verb v);  /* NULL without a body */
const char *verb_name(enum verb v);          /* "list", "apply": as the API server's audit log says */
