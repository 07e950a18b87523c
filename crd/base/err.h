/*
 * Errors: what failed, as a kind that decides what to do and a message for people. They live on the caller's stack and
 * never allocate. Text is never compared; the kind is.
 */
#pragma once

#include <stddef.h>

enum err_kind {
	ERR_NONE,
	ERR_NOT_FOUND,   /* 404, or a file that is not there */
	ERR_CONFLICT,    /* 409: somebody else wrote first, or it exists already */
	ERR_INVALID,     /* 400, 422, or input that cannot be read: the same again fails again */
	ERR_FORBIDDEN,   /* 401, 403 */
	ERR_GONE,        /* 410: the version asked for is no longer kept */
	ERR_BUSY,        /* 429: asked to wait */
	ERR_UNAVAILABLE, /* 5xx, no connection: nothing is known to have happened */
	ERR_TIMEOUT,     /* no answer in time: it may or may not have happened */
	ERR_PROTOCOL,    /* an answer that does not follow the rules */
	ERR_LIMIT,       /* a bound of ours was hit */
};

struct err {
	enum err_kind kind;
	int http;             /* HTTP status when there was one, else 0 */
	int retry_after_s;    /* what a 429 or 503 asked for, else 0 */
	char msg[512];
};

/* Sets ERR (which may be NULL) and returns -1, so that "return err_set(...)" ends a function. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Puts context in front: "CONTEXT: MESSAGE". Returns -1. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *err_kind_name(enum err_kind kind);
