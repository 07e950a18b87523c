/*
 * What the API server's answer means: HTTP code and body -> struct err. No IO.
 *
 * The body of a failed request is a Status object (meta/v1), or whatever a proxy on the way wrote.
 */
#pragma once

#include "controller/world.h"

/* A server that asks for more is looked at again after this long all the same. */
#define RETRY_AFTER_MAX_S 120
/* How much of a body that is no Status goes into a message. */
#define BODY_QUOTE_MAX 200

/* 2xx is ERR_NONE. */
enum err_kind problem_kind(int http);

/*
 * Fills ERR from an answer to VERB on PATH: kind, code, Retry-After (RETRY_AFTER_S as in the header; 0 = none) and a
 * message that names verb and path. BODY may be NULL. A 2xx sets .kind to ERR_NONE. Returns 0 for 2xx, else -1.
 */
int problem_from_http(enum verb verb, const char *path, int http, const char *body, size_t len, int64_t retry_after_s,
                      struct err *err);

/*
 * Writes one line about BODY for people into OUT: the Status's message, else its first bytes in printable form, else
 * the words for the code.
 */
void problem_describe(int http, const char *body, size_t len, char *out, size_t size);
