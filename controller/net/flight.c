#include "flight.h"

#include "controller/clock.h"
#include "controller/mem.h"
#include "http.h"
#include "problem.h"

#include <string.h>

bool flight_is_watch(const struct flight *f)
{
	return f->on_data != NULL;
}

bool flight_takes_room(const struct flight *f)
{
	return !flight_is_watch(f) && !f->urgent;
}

int flight_http_code(const struct flight *f)
{
	long code = 0;

	curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &code);
	return (int)code;
}

long flight_port(const struct flight *f)
{
	long port = 0;

	curl_easy_getinfo(f->easy, CURLINFO_LOCAL_PORT, &port);
	return port;
}

void flight_hear(struct flight *f)
{
	f->heard_at = clock_steady_ms();
	lines_hear(&f->http->lines, flight_port(f), f->heard_at);
}

/* Returning less than was given ends the transfer with CURLE_WRITE_ERROR. */
static size_t on_bytes(char *data, size_t size, size_t count, void *ctx)
{
	struct flight *f = ctx;
	size_t len = size * count;

	if (f->cancelled)
		return 0;
	flight_hear(f);
	if (flight_is_watch(f)) {
		f->deadline = clock_steady_ms() + f->timeout_ms;
		if (problem_kind(flight_http_code(f)) == ERR_NONE) {
			f->http->called_back = true;
			f->on_data(f->ctx, data, len);
			return len;
		}
	}
	strbuf_add(&f->body, data, len);
	return f->body.full ? 0 : len;
}

/* The head of a watch's answer comes at once, even when nothing else does. */
static size_t on_header(char *data, size_t size, size_t count, void *ctx)
{
	struct flight *f = ctx;
	long version = 0;

	(void)data;
	curl_easy_getinfo(f->easy, CURLINFO_HTTP_VERSION, &version);
	f->http->saw_http1 |= version == CURL_HTTP_VERSION_1_1 || version == CURL_HTTP_VERSION_1_0;
	return size * count;
}

static void add_header(struct flight *f, const char *name, const char *value)
{
	cleanup_strbuf struct strbuf line = { 0 };

	strbuf_addf(&line, "%s: %s", name, value);
	f->headers = easy_append(f->headers, line.data);
}

static void add_credentials(struct flight *f)
{
	cleanup_strbuf struct strbuf lines = { 0 };

	credentials_add_headers(f->http->endpoint->credentials, &lines);
	for (char *line = lines.data, *end; line && (end = strstr(line, "\r\n")); line = end + 2) {
		*end = '\0';
		f->headers = easy_append(f->headers, line);
	}
}

static void set_headers(struct flight *f)
{
	const struct endpoint *ep = f->http->endpoint;

	curl_slist_free_all(f->headers);
	f->headers = NULL;
	add_header(f, "Accept", "application/json");
	add_header(f, "Accept-Encoding", "identity");
	if (f->content)
		add_header(f, "Content-Type", verb_content_type(f->verb));
	if (ep->connect_to)
		add_header(f, "Host", ep->host);
	add_credentials(f);
	EASY_SET(f->easy, CURLOPT_HTTPHEADER, f->headers);
}

void flight_prepare(struct flight *f)
{
	set_headers(f);
	easy_set_tls(f->easy, f->http->endpoint);
	f->credentials_version = f->http->endpoint->credentials->version;
	f->deadline = clock_steady_ms() + f->timeout_ms;
	f->heard_at = 0;
}

static void set_content(const struct flight *f)
{
	EASY_SET(f->easy, CURLOPT_CUSTOMREQUEST, verb_method(f->verb));
	if (!f->content)
		return;
	EASY_SET(f->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(f->content));
	EASY_SET(f->easy, CURLOPT_COPYPOSTFIELDS, f->content);
	EASY_SET(f->easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)HTTP_UPLOAD_BUFFER);
}

struct flight *flight_new(struct http *http, const struct request *r)
{
	struct flight *f = mem_new(sizeof(*f));

	*f = (struct flight){
		.http = http,
		.verb = r->verb,
		.path = mem_strdup(r->path),
		.content = r->body,
		.timeout_ms = r->timeout_ms > 0 ? r->timeout_ms : HTTP_TIMEOUT_MS,
		.body = { .cap = HTTP_BODY_MAX },
		.on_data = r->on_data,
		.on_done = r->on_done,
		.ctx = r->ctx,
	};
	return f;
}

void flight_set_up(struct flight *f, CURL *easy)
{
	f->easy = easy;
	easy_set_up(f->easy, f->http->endpoint, f->path, f->error);
	EASY_SET(f->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	EASY_SET(f->easy, CURLOPT_PIPEWAIT, 1L);
	EASY_SET(f->easy, CURLOPT_HEADERFUNCTION, on_header);
	EASY_SET(f->easy, CURLOPT_HEADERDATA, f);
	EASY_SET(f->easy, CURLOPT_WRITEFUNCTION, on_bytes);
	EASY_SET(f->easy, CURLOPT_WRITEDATA, f);
	EASY_SET(f->easy, CURLOPT_PRIVATE, f);
	set_content(f);
}

void flight_free(struct flight *f)
{
	curl_slist_free_all(f->headers);
	strbuf_release(&f->body);
	free(f->path);
	free(f);
}
