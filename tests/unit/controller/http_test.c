#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/net/problem.h"

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

#define STATUS(message) "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"" message "\"}"

struct row {
	const char *name;
	int http;
	const char *body; /* NULL: none */
	int64_t retry_after_s;
	enum err_kind kind;
	int err_retry_after_s;
	const char *message;
};

static const struct row rows[] = {
	{ "200", 200, "{}", 0, ERR_NONE, 0, "" },
	{ "201 with Retry-After", 201, "{}", 5, ERR_NONE, 0, "" },
	{ "400", 400, STATUS("bad"), 0, ERR_INVALID, 0, "apply /api/v1/pods: HTTP 400: bad" },
	{ "401", 401, STATUS("Unauthorized"), 0, ERR_FORBIDDEN, 0, "apply /api/v1/pods: HTTP 401: Unauthorized" },
	{ "403", 403, STATUS("no"), 0, ERR_FORBIDDEN, 0, "apply /api/v1/pods: HTTP 403: no" },
	{ "404", 404, STATUS("none"), 0, ERR_NOT_FOUND, 0, "apply /api/v1/pods: HTTP 404: none" },
	{ "404 of a path that is not served", 404, "404 page not found\n", 0, ERR_NOT_FOUND, 0,
	  "apply /api/v1/pods: HTTP 404: 404 page not found" },
	{ "409", 409, STATUS("modified"), 0, ERR_CONFLICT, 0, "apply /api/v1/pods: HTTP 409: modified" },
	{ "409 asks for no time", 409, STATUS("modified"), 7, ERR_CONFLICT, 0, "apply /api/v1/pods: HTTP 409: modified" },
	{ "410", 410, STATUS("old"), 0, ERR_GONE, 0, "apply /api/v1/pods: HTTP 410: old" },
	{ "413", 413, NULL, 0, ERR_LIMIT, 0, "apply /api/v1/pods: HTTP 413: Request Entity Too Large" },
	{ "418, not in the table", 418, NULL, 0, ERR_INVALID, 0, "apply /api/v1/pods: HTTP 418: unexpected answer" },
	{ "422", 422, STATUS("spec.x"), 0, ERR_INVALID, 0, "apply /api/v1/pods: HTTP 422: spec.x" },
	{ "429 with a header", 429, NULL, 3, ERR_BUSY, 3, "apply /api/v1/pods: HTTP 429: Too Many Requests" },
	{ "429 with a header that asks for years", 429, NULL, 1000000000, ERR_BUSY, RETRY_AFTER_MAX_S,
	  "apply /api/v1/pods: HTTP 429: Too Many Requests" },
	{ "429 with the time in the Status", 429,
	  "{\"kind\":\"Status\",\"message\":\"wait\",\"details\":{\"retryAfterSeconds\":9}}", 0, ERR_BUSY, 9,
	  "apply /api/v1/pods: HTTP 429: wait" },
	{ "429 with a negative time", 429, "{\"kind\":\"Status\",\"message\":\"x\",\"details\":{\"retryAfterSeconds\":-9}}",
	  -1, ERR_BUSY, 0, "apply /api/v1/pods: HTTP 429: x" },
	{ "500", 500, STATUS("oops"), 0, ERR_UNAVAILABLE, 0, "apply /api/v1/pods: HTTP 500: oops" },
	{ "502 of a proxy", 502, "<html>\n\xff\x1b<b>Bad\tGateway</b>\r\n\r\n", 0, ERR_UNAVAILABLE, 0,
	  "apply /api/v1/pods: HTTP 502: <html>   <b>Bad Gateway</b>" },
	{ "503", 503, "", 1, ERR_UNAVAILABLE, 1, "apply /api/v1/pods: HTTP 503: Service Unavailable" },
	{ "504 may have happened", 504, "", 0, ERR_TIMEOUT, 0, "apply /api/v1/pods: HTTP 504: Gateway Timeout" },
	{ "599", 599, "", 0, ERR_UNAVAILABLE, 0, "apply /api/v1/pods: HTTP 599: unexpected answer" },
	{ "302", 302, "", 0, ERR_PROTOCOL, 0, "apply /api/v1/pods: HTTP 302: redirects are not followed" },
	{ "cut JSON", 500, "{\"kind\":\"Status\",\"mess", 0, ERR_UNAVAILABLE, 0,
	  "apply /api/v1/pods: HTTP 500: {\"kind\":\"Status\",\"mess" },
	{ "an object that is no Status", 403, "{\"kind\":\"Pod\",\"message\":\"x\"}", 0, ERR_FORBIDDEN, 0,
	  "apply /api/v1/pods: HTTP 403: {\"kind\":\"Pod\",\"message\":\"x\"}" },
	{ "a list", 500, "[]", 0, ERR_UNAVAILABLE, 0, "apply /api/v1/pods: HTTP 500: []" },
	{ "null", 500, "null", 0, ERR_UNAVAILABLE, 0, "apply /api/v1/pods: HTTP 500: null" },
	{ "a Status without words", 403, "{\"kind\":\"Status\",\"message\":\"\"}", 0, ERR_FORBIDDEN, 0,
	  "apply /api/v1/pods: HTTP 403: {\"kind\":\"Status\",\"message\":\"\"}" },
};

static void test_row(void **state)
{
	const struct row *row = *state;
	struct err err = { .kind = ERR_LIMIT, .msg = "old" };
	int got = problem_from_http(VERB_APPLY, "/api/v1/pods?force=true", row->http, row->body,
	                            row->body ? strlen(row->body) : 0, row->retry_after_s, &err);

	assert_int_equal(got, row->kind == ERR_NONE ? 0 : -1);
	assert_int_equal(err.kind, row->kind);
	assert_int_equal(err.retry_after_s, row->err_retry_after_s);
	assert_string_equal(err.msg, row->message);
	if (row->kind != ERR_NONE)
		assert_int_equal(err.http, row->http);
}

static void test_long_body_is_cut(void **state)
{
	char body[BODY_QUOTE_MAX * 3], out[512];

	(void)state;
	memset(body, 'x', sizeof(body));
	problem_describe(500, body, sizeof(body), out, sizeof(out));
	assert_int_equal(strlen(out), BODY_QUOTE_MAX);
}

static void test_verbs(void **state)
{
	(void)state;
	for (int v = 0; v < VERBS; v++) {
		assert_non_null(verb_name((enum verb)v));
		assert_non_null(verb_method((enum verb)v));
		bool reads = strcmp(verb_method((enum verb)v), "GET") == 0;
		assert_int_equal(verb_content_type((enum verb)v) == NULL, reads);
	}
	assert_string_equal(verb_content_type(VERB_APPLY), "application/apply-patch+yaml");
	assert_string_equal(verb_content_type(VERB_PATCH), "application/merge-patch+json");
}

int main(void)
{
	struct CMUnitTest tests[2 + LEN(rows)] = {
		cmocka_unit_test(test_long_body_is_cut),
		cmocka_unit_test(test_verbs),
	};

	for (size_t i = 0; i < LEN(rows); i++)
		tests[2 + i] = (struct CMUnitTest){ rows[i].name, test_row, NULL, NULL, (void *)(uintptr_t)&rows[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
