#include "http.h"

#include "controller/clock.h"
#include "controller/mem.h"
#include "problem.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

struct flight {
	struct http *http;
	bool started;         /* the multi handle has it */
	bool cancelled;       /* dropped by the next step: libcurl must not be touched from inside its callbacks */
	bool called_back;     /* in this step */
	bool has_body;
	bool tried_again;
	unsigned credentials_version; /* that its headers were made of */
	CURL *easy;
	struct curl_slist *headers;
	enum verb verb;
	char *path;
	int64_t timeout_ms, deadline;
	struct strbuf body;   /* of a watch: only when it was refused */
	void (*on_data)(void *ctx, const char *data, size_t len);
	void (*on_done)(void *ctx, const struct response *r);
	void *ctx;
	char error[CURL_ERROR_SIZE];
	struct flight *prev, *next;
};

void http_init(struct http *h, struct endpoint *endpoint)
{
	*h = (struct http){ .endpoint = endpoint, .multi = easy_new_multi() };
	curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	curl_multi_setopt(h->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)HTTP_CONNECTIONS_MAX);
}

static CURL *take_easy(struct http *h)
{
	return h->pooled > 0 ? h->pool[--h->pooled] : easy_new();
}

static void give_easy(struct http *h, CURL *easy)
{
	if (h->pooled == HTTP_POOL_MAX) {
		curl_easy_cleanup(easy);
		return;
	}
	curl_easy_reset(easy);
	h->pool[h->pooled++] = easy;
}

static void flight_free(struct flight *f)
{
	if (f->started)
		curl_multi_remove_handle(f->http->multi, f->easy);
	DL_DELETE(f->http->flights, f);
	give_easy(f->http, f->easy);
	curl_slist_free_all(f->headers);
	strbuf_release(&f->body);
	free(f->path);
	free(f);
}

void http_release(struct http *h)
{
	struct flight *f, *next;

	DL_FOREACH_SAFE(h->flights, f, next)
		flight_free(f);
	while (h->pooled > 0)
		curl_easy_cleanup(h->pool[--h->pooled]);
	curl_multi_cleanup(h->multi);
	*h = (struct http){ 0 };
}

static bool is_watch(const struct flight *f)
{
	return f->on_data != NULL;
}

static int http_code(const struct flight *f)
{
	long code = 0;

	curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &code);
	return (int)code;
}

/* Returning less than was given ends the transfer with CURLE_WRITE_ERROR. */
static size_t on_bytes(char *data, size_t size, size_t count, void *ctx)
{
	struct flight *f = ctx;
	size_t len = size * count;

	if (f->cancelled)
		return 0;
	lines_heard(&f->http->lines, f->easy, clock_steady_ms());
	if (is_watch(f)) {
		f->deadline = clock_steady_ms() + f->timeout_ms;
		if (problem_kind(http_code(f)) == ERR_NONE) {
			f->called_back = true;
			f->on_data(f->ctx, data, len);
			return len;
		}
	}
	strbuf_add(&f->body, data, len);
	return f->body.full ? 0 : len;
}

static void add_header(struct flight *f, const char *name, const char *value)
{
	cleanup_strbuf struct strbuf line = { 0 };

	strbuf_addf(&line, "%s: %s", name, value);
	f->headers = easy_append(f->headers, line.data);
}

static void set_headers(struct flight *f)
{
	const struct endpoint *ep = f->http->endpoint;
	const struct material *token = &ep->credentials->token;
	cleanup_strbuf struct strbuf bearer = { 0 };

	curl_slist_free_all(f->headers);
	f->headers = NULL;
	add_header(f, "Accept", "application/json");
	add_header(f, "Accept-Encoding", "identity");
	if (f->has_body)
		add_header(f, "Content-Type", verb_content_type(f->verb));
	if (ep->connect_to)
		add_header(f, "Host", ep->host);
	if (token->text.len > 0) {
		strbuf_addf(&bearer, "Bearer %s", token->text.data);
		add_header(f, "Authorization", bearer.data);
	}
	EASY_SET(f->easy, CURLOPT_HTTPHEADER, f->headers);
	f->credentials_version = ep->credentials->version;
}

static void set_body(struct flight *f, const char *body)
{
	EASY_SET(f->easy, CURLOPT_CUSTOMREQUEST, verb_method(f->verb));
	if (!body)
		return;
	EASY_SET(f->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
	EASY_SET(f->easy, CURLOPT_COPYPOSTFIELDS, body);
}

void *http_request(struct http *h, const struct request *r)
{
	struct flight *f = mem_new(sizeof(*f));

	*f = (struct flight){
		.http = h,
		.easy = take_easy(h),
		.has_body = r->body != NULL,
		.verb = r->verb,
		.path = mem_strdup(r->path),
		.timeout_ms = r->timeout_ms > 0 ? r->timeout_ms : HTTP_TIMEOUT_MS,
		.body = { .cap = HTTP_BODY_MAX },
		.on_data = r->on_data,
		.on_done = r->on_done,
		.ctx = r->ctx,
	};
	f->deadline = clock_steady_ms() + f->timeout_ms;
	easy_set_up(f->easy, h->endpoint, r->path, f->error);
	EASY_SET(f->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	EASY_SET(f->easy, CURLOPT_PIPEWAIT, 1L);
	EASY_SET(f->easy, CURLOPT_WRITEFUNCTION, on_bytes);
	EASY_SET(f->easy, CURLOPT_WRITEDATA, f);
	EASY_SET(f->easy, CURLOPT_PRIVATE, f);
	set_body(f, r->body);
	set_headers(f);
	DL_APPEND(h->flights, f);
	return f;
}

void http_cancel(void *handle)
{
	struct flight *f = handle;

	f->cancelled = true;
}

static void start(struct flight *f)
{
	EASY_SET(f->easy, CURLOPT_FRESH_CONNECT, f->http->suspects ? 1L : 0L);
	f->http->suspects = false;
	f->started = true;
	easy_add(f->http->multi, f->easy);
}

static void call_back(struct flight *f, const struct response *r)
{
	if (!f->cancelled)
		f->on_done(f->ctx, r);
	flight_free(f);
}

/* Once, and only where the first try certainly changed nothing. */
static bool try_again(struct flight *f)
{
	if (f->tried_again || f->cancelled)
		return false;
	f->tried_again = true;
	curl_multi_remove_handle(f->http->multi, f->easy);
	f->started = false;
	strbuf_clear(&f->body);
	set_headers(f);
	return true;
}

/* A token is replaced before it ends, but whoever slept through that gets a 401 first. */
static bool try_fresh_credentials(struct flight *f)
{
	struct credentials *c = f->http->endpoint->credentials;

	if (http_code(f) != 401)
		return false;
	credentials_refresh(c, clock_steady_ms(), true);
	return f->credentials_version != c->version && try_again(f);
}

/* A server that closes a connection (GOAWAY) takes down what was just sent on it: nobody's fault. */
static bool try_fresh_connection(struct flight *f, CURLcode code)
{
	bool reads = verb_content_type(f->verb) == NULL;

	return code == CURLE_HTTP2 && reads && http_code(f) == 0 && try_again(f);
}

static void explain_401(const struct flight *f, struct err *err)
{
	size_t len = strlen(err->msg);

	if (err->http == 401)
		snprintf(err->msg + len, sizeof(err->msg) - len, " (the credentials of %s were not accepted)",
		         f->http->endpoint->credentials->who);
}

static void lift_limit_without_http2(struct flight *f)
{
	long version = 0;

	curl_easy_getinfo(f->easy, CURLINFO_HTTP_VERSION, &version);
	if (f->http->unlimited || version == CURL_HTTP_VERSION_2_0)
		return;
	f->http->unlimited = true;
	curl_multi_setopt(f->http->multi, CURLMOPT_MAX_HOST_CONNECTIONS, 0L);
}

static void answered(struct flight *f)
{
	struct response r = { .http = http_code(f) };
	curl_off_t retry_after_s = 0;

	lines_heard(&f->http->lines, f->easy, clock_steady_ms());
	lift_limit_without_http2(f);
	if (try_fresh_credentials(f))
		return;
	curl_easy_getinfo(f->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
	problem_from_http(f->verb, f->path, r.http, strbuf_str(&f->body), f->body.len, retry_after_s, &r.err);
	explain_401(f, &r.err);
	if (!is_watch(f)) {
		r.body = strbuf_str(&f->body);
		r.len = f->body.len;
	}
	call_back(f, &r);
}

static void failed(struct flight *f, CURLcode code)
{
	struct endpoint *ep = f->http->endpoint;
	struct response r = { 0 };

	if (try_fresh_connection(f, code))
		return;
	if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM)
		credentials_refresh(ep->credentials, clock_steady_ms(), true);
	if (f->body.full)
		err_set(&r.err, ERR_LIMIT, "the answer is larger than %zu bytes", HTTP_BODY_MAX);
	else
		easy_problem(f->easy, ep, code, f->error, &r.err);
	err_wrap(&r.err, "%s %.*s", verb_name(f->verb), (int)strcspn(f->path, "?"), f->path);
	call_back(f, &r);
}

static void timed_out(struct flight *f)
{
	struct response r = { 0 };

	f->http->suspects = true;
	lines_cut_if_silent(&f->http->lines, f->easy, f->deadline - f->timeout_ms);
	err_set(&r.err, ERR_TIMEOUT, "%s %.*s: %s for %lld ms", verb_name(f->verb), (int)strcspn(f->path, "?"), f->path,
	        is_watch(f) ? "nothing came" : "no answer", (long long)f->timeout_ms);
	call_back(f, &r);
}

static bool take_ended(struct http *h)
{
	bool any = false;
	int left;

	for (CURLMsg *m; (m = curl_multi_info_read(h->multi, &left));) {
		struct flight *f;
		CURLcode code = m->data.result;
		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&f);
		if (code == CURLE_OK)
			answered(f);
		else
			failed(f, code);
		any = true;
	}
	return any;
}

bool http_step(struct http *h)
{
	struct flight *f, *next;
	int running;

	credentials_refresh(h->endpoint->credentials, clock_steady_ms(), false);
	DL_FOREACH_SAFE(h->flights, f, next) {
		f->called_back = false;
		if (f->cancelled)
			flight_free(f);
		else if (!f->started)
			start(f);
	}
	curl_multi_perform(h->multi, &running);
	bool any = take_ended(h);
	int64_t now = clock_steady_ms();
	DL_FOREACH_SAFE(h->flights, f, next) {
		any |= f->called_back;
		if (f->started && now >= f->deadline) {
			timed_out(f);
			any = true;
		}
	}
	return any;
}

int64_t http_deadline(const struct http *h)
{
	int64_t first = INT64_MAX;
	const struct flight *f;

	DL_FOREACH(h->flights, f) {
		if (f->cancelled || !f->started)
			return 0;
		if (f->deadline < first)
			first = f->deadline;
	}
	return first;
}
