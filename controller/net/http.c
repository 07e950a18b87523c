#include "http.h"

#include "controller/clock.h"
#include "flight.h"
#include "nudge.h"
#include "problem.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

void http_init(struct http *h, struct endpoint *endpoint)
{
	*h = (struct http){ .endpoint = endpoint, .multi = easy_new_multi() };
	curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	curl_multi_setopt(h->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)HTTP_CONNECTIONS_MAX);
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)HTTP_IDLE_MAX);
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

static void remove_flight(struct flight *f)
{
	if (f->started)
		curl_multi_remove_handle(f->http->multi, f->easy);
	DL_DELETE(f->http->flights, f);
	if (f->easy)
		give_easy(f->http, f->easy);
	flight_free(f);
}

void http_give_back(struct http *h)
{
	while (h->pooled > 0)
		curl_easy_cleanup(h->pool[--h->pooled]);
}

void http_release(struct http *h)
{
	struct flight *f, *next;

	DL_FOREACH_SAFE(h->flights, f, next)
		remove_flight(f);
	http_give_back(h);
	curl_multi_cleanup(h->multi);
	*h = (struct http){ 0 };
}

void *http_request(struct http *h, const struct request *r)
{
	struct flight *f = flight_new(h, r);

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
	if (!f->easy)
		flight_set_up(f, take_easy(f->http));
	flight_prepare(f);
	f->started = true;
	easy_add(f->http->multi, f->easy);
}

/* F is not sent now, but will be in the next step. */
static void take_back(struct flight *f)
{
	curl_multi_remove_handle(f->http->multi, f->easy);
	f->started = false;
}

static void call_back(struct flight *f, const struct response *r)
{
	if (!f->cancelled)
		f->on_done(f->ctx, r);
	remove_flight(f);
}

/* Once, and only where the first try certainly changed nothing. */
static bool try_again(struct flight *f)
{
	if (f->tried_again || f->cancelled)
		return false;
	f->tried_again = true;
	take_back(f);
	strbuf_clear(&f->body);
	return true;
}

/*
 * A token is replaced before it ends, but whoever slept through that gets a 401 first. While a plugin is asked for better
 * ones, F waits.
 */
static bool try_fresh_credentials(struct flight *f)
{
	struct credentials *c = f->http->endpoint->credentials;
	int64_t now = clock_steady_ms();

	if (flight_http_code(f) != 401)
		return false;
	if (f->credentials_version == c->version && !f->tried_again)
		credentials_refresh(c, now, true);
	bool better = f->credentials_version != c->version || credentials_state(c, now) == CREDENTIALS_PENDING;
	return better && try_again(f);
}

/* A server that closes a connection (GOAWAY) takes down what was just sent on it: nobody's fault. */
static bool try_fresh_connection(struct flight *f, CURLcode code)
{
	bool reads = verb_content_type(f->verb) == NULL;

	return code == CURLE_HTTP2 && reads && flight_http_code(f) == 0 && try_again(f);
}

static void explain_401(const struct flight *f, struct err *err)
{
	const struct credentials *c = f->http->endpoint->credentials;
	size_t len = strlen(err->msg);
	struct err problem;

	if (err->http != 401)
		return;
	if (credentials_problem(c, &problem) < 0)
		snprintf(err->msg + len, sizeof(err->msg) - len, " (%s)", problem.msg);
	else
		snprintf(err->msg + len, sizeof(err->msg) - len, " (the credentials of %s were not accepted)", c->who);
}

static void answered(struct flight *f)
{
	struct response r = { .http = flight_http_code(f) };
	curl_off_t retry_after_s = 0;

	flight_hear(f);
	if (try_fresh_credentials(f))
		return;
	curl_easy_getinfo(f->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
	problem_from_http(f->verb, f->path, r.http, strbuf_str(&f->body), f->body.len, retry_after_s, &r.err);
	explain_401(f, &r.err);
	if (!flight_is_watch(f)) {
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

static bool has_expired(const struct flight *f, int64_t now)
{
	return f->started && now >= f->deadline;
}

/*
 * Takes down the connection of F, which got no answer, if it is dead: everything on it leaves it at once, so that
 * libcurl closes it and puts nothing new on it.
 */
static void cut_if_silent(struct flight *f)
{
	struct http *h = f->http;
	long port = flight_port(f);
	struct flight *other;

	if (port == 0 || !lines_is_silent(&h->lines, port, f->deadline - f->timeout_ms))
		return;
	DL_FOREACH(h->flights, other) {
		if (!other->started || flight_port(other) != port)
			continue;
		EASY_SET(other->easy, CURLOPT_FORBID_REUSE, 1L);
		curl_multi_remove_handle(h->multi, other->easy);
		other->started = false;
		other->cut = true;
	}
}

static void timed_out(struct flight *f, int64_t now)
{
	struct response r = { 0 };
	int path_len = (int)strcspn(f->path, "?");

	if (now < f->deadline)
		err_set(&r.err, ERR_TIMEOUT, "%s %.*s: its connection has died", verb_name(f->verb), path_len, f->path);
	else
		err_set(&r.err, ERR_TIMEOUT, "%s %.*s: %s for %lld ms", verb_name(f->verb), path_len, f->path,
		        flight_is_watch(f) ? "nothing came" : "no answer", (long long)f->timeout_ms);
	call_back(f, &r);
}

static bool take_expired(struct http *h)
{
	int64_t now = clock_steady_ms();
	struct flight *f, *next;
	bool any = false;

	DL_FOREACH(h->flights, f)
		if (has_expired(f, now))
			cut_if_silent(f);
	DL_FOREACH_SAFE(h->flights, f, next)
		if (f->cut || has_expired(f, now)) {
			timed_out(f, now);
			any = true;
		}
	return any;
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

/*
 * Without HTTP/2 every watch takes a connection of its own. Those that libcurl holds back because of the old limit would
 * never hear of the new one: they are sent again.
 */
static void raise_limit(struct http *h)
{
	struct flight *f;

	h->limit_raised = true;
	curl_multi_setopt(h->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)HTTP1_CONNECTIONS_MAX);
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)HTTP1_CONNECTIONS_MAX);
	DL_FOREACH(h->flights, f)
		if (f->started && flight_port(f) == 0)
			take_back(f);
}

static void refuse(struct flight *f)
{
	struct response r = { 0 };

	credentials_problem(f->http->endpoint->credentials, &r.err);
	call_back(f, &r);
}

/* How many more requests may be sent. */
static size_t room_of(const struct http *h)
{
	const struct flight *f;
	size_t room = HTTP_SENT_MAX;

	DL_FOREACH(h->flights, f)
		room -= f->started && flight_takes_room(f) && room > 0;
	return room;
}

/* Whether somebody was called back. */
static bool start_new(struct http *h)
{
	enum credentials_state state = credentials_state(h->endpoint->credentials, clock_steady_ms());
	struct flight *f, *next;
	size_t room = room_of(h);
	bool any = false;

	DL_FOREACH_SAFE(h->flights, f, next) {
		if (f->cancelled) {
			remove_flight(f);
		} else if (!f->started && state == CREDENTIALS_READY && (room > 0 || !flight_takes_room(f))) {
			room -= flight_takes_room(f);
			start(f);
		} else if (!f->started && state == CREDENTIALS_MISSING) {
			refuse(f);
			any = true;
		}
	}
	return any;
}

bool http_step(struct http *h)
{
	int running;

	nudge_step(h);
	bool refused = start_new(h);
	h->called_back = false;
	curl_multi_perform(h->multi, &running);
	bool ended = take_ended(h), expired = take_expired(h);
	if (h->saw_http1 && !h->limit_raised)
		raise_limit(h);
	return h->called_back || refused || ended || expired;
}

int64_t http_deadline(const struct http *h)
{
	bool pending = credentials_state(h->endpoint->credentials, clock_steady_ms()) == CREDENTIALS_PENDING;
	bool full = room_of(h) == 0;
	int64_t first = nudge_deadline(h);
	const struct flight *f;

	DL_FOREACH(h->flights, f) {
		bool waits = pending || (full && flight_takes_room(f));

		if (f->cancelled || (!f->started && !waits))
			return 0;
		if (f->started && f->deadline < first)
			first = f->deadline;
	}
	return first;
}
