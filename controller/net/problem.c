#include "problem.h"

#include "crd/codec.h"
#include "crd/gen/types.h"

#include <stdio.h>
#include <string.h>

static const struct {
	int http;
	enum err_kind kind;
	const char *words;
} codes[] = {
	{ 400, ERR_INVALID, "Bad Request" },
	{ 401, ERR_FORBIDDEN, "Unauthorized" },
	{ 403, ERR_FORBIDDEN, "Forbidden" },
	{ 404, ERR_NOT_FOUND, "Not Found" },
	{ 408, ERR_TIMEOUT, "Request Timeout" },
	{ 409, ERR_CONFLICT, "Conflict" },
	{ 410, ERR_GONE, "Gone" },
	{ 413, ERR_LIMIT, "Request Entity Too Large" },
	{ 422, ERR_INVALID, "Unprocessable Entity" },
	{ 429, ERR_BUSY, "Too Many Requests" },
	{ 500, ERR_UNAVAILABLE, "Internal Server Error" },
	{ 502, ERR_UNAVAILABLE, "Bad Gateway" },
	{ 503, ERR_UNAVAILABLE, "Service Unavailable" },
	{ 504, ERR_TIMEOUT, "Gateway Timeout" },
};
#define CODES (sizeof(codes) / sizeof(codes[0]))

enum err_kind problem_kind(int http)
{
	if (http >= 200 && http < 300)
		return ERR_NONE;
	for (size_t i = 0; i < CODES; i++)
		if (codes[i].http == http)
			return codes[i].kind;
	if (http >= 400 && http < 500)
		return ERR_INVALID;
	return http >= 500 ? ERR_UNAVAILABLE : ERR_PROTOCOL;
}

static const char *words_for(int http)
{
	for (size_t i = 0; i < CODES; i++)
		if (codes[i].http == http)
			return codes[i].words;
	return http >= 300 && http < 400 ? "redirects are not followed" : "unexpected answer";
}

/* Proxies answer with HTML, and anything can be in it: only printable ASCII passes. */
static void quote(const char *body, size_t len, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < BODY_QUOTE_MAX && n + 1 < size; i++)
		out[n++] = body[i] >= ' ' && body[i] <= '~' ? body[i] : ' ';
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

static int decode_status(const char *body, size_t len, struct api_status *ret, struct arena *arena)
{
	if (!body || len == 0 || crd_decode_text(&api_status_type, body, len, ret, arena, NULL) < 0)
		return -1;
	return ret->kind && strcmp(ret->kind, "Status") == 0 ? 0 : -1;
}

void problem_describe(int http, const char *body, size_t len, char *out, size_t size)
{
	cleanup_arena struct arena arena = { 0 };
	struct api_status status = { 0 };

	if (decode_status(body, len, &status, &arena) == 0 && status.message && *status.message) {
		snprintf(out, size, "%s", status.message);
		return;
	}
	quote(body, body ? len : 0, out, size);
	if (*out == '\0')
		snprintf(out, size, "%s", words_for(http));
}

static int64_t status_retry_after(const char *body, size_t len)
{
	cleanup_arena struct arena arena = { 0 };
	struct api_status status = { 0 };

	if (decode_status(body, len, &status, &arena) < 0 || !status.details)
		return 0;
	return status.details->retry_after_seconds;
}

static int retry_after(int64_t header_s, const char *body, size_t len)
{
	int64_t asked_s = header_s > 0 ? header_s : status_retry_after(body, len);

	if (asked_s < 0)
		return 0;
	return asked_s < RETRY_AFTER_MAX_S ? (int)asked_s : RETRY_AFTER_MAX_S;
}

int problem_from_http(enum verb verb, const char *path, int http, const char *body, size_t len, int64_t retry_after_s,
                      struct err *err)
{
	enum err_kind kind = problem_kind(http);
	char why[sizeof(err->msg)];

	*err = (struct err){ 0 };
	if (kind == ERR_NONE)
		return 0;
	problem_describe(http, body, len, why, sizeof(why));
	err_set(err, kind, "%s %.*s: HTTP %d: %s", verb_name(verb), (int)strcspn(path, "?"), path, http, why);
	err->http = http;
	err->retry_after_s = kind == ERR_BUSY || kind == ERR_UNAVAILABLE || kind == ERR_TIMEOUT
	                             ? retry_after(retry_after_s, body, len)
	                             : 0;
	return -1;
}
