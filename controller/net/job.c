#include "job.h"

#include "channel.h"
#include "controller/clock.h"
#include "controller/mem.h"
#include "crd/base/die.h"
#include "exec.h"
#include "problem.h"
#include "random.h"

#include <stdio.h>
#include <string.h>
#include <wslay/wslay.h>

#define WHY_MAX 512
#define CLOSE_NORMAL 1000

static void add_query(struct strbuf *out, const char *key, const char *value)
{
	char *text = curl_easy_escape(NULL, value, (int)strlen(value));

	strbuf_addf(out, "&%s=", key);
	strbuf_adds(out, text ? text : "");
	curl_free(text);
}

/* argv goes as it is, one "command" each; no shell has a hand in it. */
static char *make_target(const struct endpoint *ep, const struct exec_request *r)
{
	struct strbuf out = { 0 };

	strbuf_addf(&out, "%s/api/v1/namespaces/%s/pods/%s/exec?stdout=true&stderr=true%s", ep->prefix, r->namespace,
	            r->pod, r->input[0].len > 0 ? "&stdin=true" : "");
	add_query(&out, "container", r->container);
	for (size_t i = 0; i < r->argc; i++)
		add_query(&out, "command", r->argv[i]);
	return strbuf_take(&out);
}

struct job *job_new(const struct endpoint *endpoint, const struct exec_request *r)
{
	struct job *job = mem_new(sizeof(*job));

	job->endpoint = endpoint;
	job->what = *r;
	job->answer.cap = WS_HEAD_MAX + EXEC_REFUSAL_MAX;
	job->timeout_ms = r->timeout_ms > 0 ? r->timeout_ms : EXEC_TIMEOUT_MS;
	job->deadline = clock_steady_ms() + job->timeout_ms;
	return job;
}

void job_free(struct job *job)
{
	if (job->stream)
		wslay_event_context_free(job->stream);
	if (job->easy) {
		curl_multi_remove_handle(job->multi, job->easy);
		curl_easy_cleanup(job->easy);
	}
	trust_release(&job->trust);
	strbuf_release(&job->request);
	strbuf_release(&job->answer);
	free(job->channels);
	free(job);
}

bool job_is_over(const struct job *job)
{
	return job->is_over;
}

static void finish(struct job *job, struct exec_result r)
{
	job->is_over = true;
	job->what.on_done(job->what.ctx, &r);
}

static void finish_without_output(struct job *job, enum exec_end end, const char *why)
{
	finish(job, (struct exec_result){ .end = end, .output = "", .message = why });
}

/* A refusal that was not read to its end is one all the same. */
static void refuse(struct job *job)
{
	const char *body = strbuf_str(&job->answer) + job->taken;
	char words[WHY_MAX], why[WHY_MAX + 32];

	problem_describe(job->head.http, body, job->answer.len - job->taken, words, sizeof(words));
	snprintf(why, sizeof(why), "HTTP %d: %s", job->head.http, words);
	if (job->head.http == 401)
		credentials_refresh(job->endpoint->credentials, clock_steady_ms(), true);
	finish_without_output(job, EXEC_REFUSED, why);
}

void job_give_up(struct job *job, const char *why)
{
	struct exec_result r;

	switch (job->state) {
	case JOB_WAITING:
	case JOB_CONNECTING:
		finish_without_output(job, EXEC_REFUSED, why);
		break;
	case JOB_SENDING:
	case JOB_HEAD:
		finish_without_output(job, EXEC_LOST, why);
		break;
	case JOB_REFUSED:
		refuse(job);
		break;
	case JOB_OPEN:
		r = channels_result(job->channels, why);
		finish(job, r);
		break;
	}
}

static void connection_failed(struct job *job, CURLcode code)
{
	struct err err;

	easy_problem(job->easy, job->endpoint, code, job->error, &err);
	job_give_up(job, err.msg);
}

void job_start(struct job *job, CURLM *multi, const struct trust *trust)
{
	unsigned version = job->endpoint->credentials->version;

	if (trust->version == version)
		trust_copy(&job->trust, trust);
	job->trust.version = version;
	job->multi = multi;
	job->easy = easy_new();
	easy_set_up(job->easy, job->endpoint, "/", job->error);
	easy_set_tls(job->easy, job->endpoint);
	trust_use(&job->trust, job->easy);
	EASY_SET(job->easy, CURLOPT_CONNECT_ONLY, 1L);
	EASY_SET(job->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	EASY_SET(job->easy, CURLOPT_PRIVATE, job);
	easy_add(multi, job->easy);
	job->state = JOB_CONNECTING;
}

void job_connected(struct job *job, CURLcode code)
{
	cleanup_strbuf struct strbuf headers = { 0 };
	unsigned char nonce[WS_NONCE_SIZE];

	if (code != CURLE_OK) {
		connection_failed(job, code);
		return;
	}
	random_fill(nonce, sizeof(nonce));
	ws_key(nonce, job->key);
	credentials_add_headers(job->endpoint->credentials, &headers);
	char *target = make_target(job->endpoint, &job->what);
	struct ws_request request = {
		.host = job->endpoint->host,
		.target = target,
		.key = job->key,
		.headers = strbuf_str(&headers),
	};
	ws_write_request(&request, &job->request);
	free(target);
	curl_easy_getinfo(job->easy, CURLINFO_ACTIVESOCKET, &job->socket);
	job->state = JOB_SENDING;
}

/* The steps below return whether there may be more to do at once. */
static bool send_request(struct job *job)
{
	size_t put = 0;
	CURLcode code = curl_easy_send(job->easy, job->request.data + job->sent, job->request.len - job->sent, &put);

	if (code == CURLE_AGAIN)
		return false;
	if (code != CURLE_OK) {
		connection_failed(job, code);
		return false;
	}
	job->sent += put;
	if (job->sent == job->request.len) {
		job->state = JOB_HEAD;
		strbuf_release(&job->request);
	}
	return true;
}

static ssize_t on_stream_read(wslay_event_context_ptr stream, uint8_t *to, size_t len, int flags, void *ctx)
{
	struct job *job = ctx;
	size_t early = job->answer.len - job->taken, got = 0;

	(void)flags;
	if (early > 0) {
		got = early < len ? early : len;
		memcpy(to, job->answer.data + job->taken, got);
		job->taken += got;
		return (ssize_t)got;
	}
	CURLcode code = curl_easy_recv(job->easy, to, len, &got);
	if (code == CURLE_OK && got > 0)
		return (ssize_t)got;
	wslay_event_set_error(stream, code == CURLE_AGAIN ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
	return -1;
}

static ssize_t on_stream_write(wslay_event_context_ptr stream, const uint8_t *from, size_t len, int flags, void *ctx)
{
	struct job *job = ctx;
	size_t put = 0;
	CURLcode code = curl_easy_send(job->easy, from, len, &put);

	(void)flags;
	if (code == CURLE_OK)
		return (ssize_t)put;
	wslay_event_set_error(stream, code == CURLE_AGAIN ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
	return -1;
}

static int on_stream_mask(wslay_event_context_ptr stream, uint8_t *to, size_t len, void *ctx)
{
	(void)stream, (void)ctx;
	random_fill(to, len);
	return 0;
}

static void on_stream_message(wslay_event_context_ptr stream, const struct wslay_event_on_msg_recv_arg *message,
                              void *ctx)
{
	struct job *job = ctx;

	(void)stream;
	if (message->opcode == WSLAY_BINARY_FRAME || message->opcode == WSLAY_TEXT_FRAME)
		channels_take(job->channels, message->msg, message->msg_length);
}

static void open_stream(struct job *job)
{
	static const struct wslay_event_callbacks callbacks = {
		.recv_callback = on_stream_read,
		.send_callback = on_stream_write,
		.genmask_callback = on_stream_mask,
		.on_msg_recv_callback = on_stream_message,
	};

	if (wslay_event_context_client_init(&job->stream, &callbacks, job) != 0)
		die("libwslay", "out of memory for a stream", 1);
	wslay_event_config_set_max_recv_msg_length(job->stream, EXEC_MESSAGE_MAX);
	job->channels = mem_new(sizeof(*job->channels));
	job->state = JOB_OPEN;
}

static void judge_head(struct job *job, size_t len)
{
	struct err err;

	if (ws_read_head(job->answer.data, len, &job->head, &err) < 0) {
		job_give_up(job, err.msg);
		return;
	}
	job->taken = len;
	if (job->head.http != 101)
		job->state = JOB_REFUSED;
	else if (ws_check_head(job->answer.data, len, job->key, &err) < 0)
		finish_without_output(job, EXEC_REFUSED, err.msg);
	else
		open_stream(job);
}

/* Whether the body that says why was read as far as it goes. */
static bool refusal_is_whole(const struct job *job)
{
	size_t have = job->answer.len - job->taken;

	return job->answer.full || (job->head.content_length >= 0 && have >= (size_t)job->head.content_length);
}

/* More bytes for .answer, while its head or the body of a refusal comes in. False when there are none. */
static bool read_more(struct job *job)
{
	char part[4096];
	size_t got = 0;
	CURLcode code = curl_easy_recv(job->easy, part, sizeof(part), &got);

	if (code == CURLE_OK && got > 0)
		strbuf_add(&job->answer, part, got);
	else if (code != CURLE_AGAIN)
		connection_failed(job, code != CURLE_OK ? code : CURLE_GOT_NOTHING);
	return code == CURLE_OK && got > 0;
}

static bool read_head(struct job *job)
{
	if (!read_more(job))
		return false;
	size_t len = ws_head_length(job->answer.data, job->answer.len);
	if (len > 0)
		judge_head(job, len);
	else if (job->answer.len > WS_HEAD_MAX)
		job_give_up(job, "the head of the answer is too long");
	return true;
}

static bool read_refusal(struct job *job)
{
	if (!refusal_is_whole(job))
		return read_more(job);
	refuse(job);
	return false;
}

/* A polite close is all that is left to do: what the server still says does not count. */
static void close_stream(struct job *job)
{
	wslay_event_queue_close(job->stream, CLOSE_NORMAL, NULL, 0);
	wslay_event_send(job->stream);
	job_give_up(job, "");
}

/* Queues the next piece of the input. False when the one before is still on its way, or there is none. */
static bool give_input(struct job *job)
{
	char piece[1 + EXEC_INPUT_CHUNK];
	struct wslay_event_msg message = { .opcode = WSLAY_BINARY_FRAME, .msg = (const uint8_t *)piece };

	if (wslay_event_get_queued_msg_count(job->stream) > 0)
		return false;
	message.msg_length = channels_give(job->what.input, &job->given, piece, sizeof(piece));
	return message.msg_length > 0 && wslay_event_queue_msg(job->stream, &message) == 0;
}

/* libcurl may hold bytes that poll does not show: libwslay reads until there are none. */
static void run_stream(struct job *job)
{
	char why[WHY_MAX];
	bool fails;

	do
		fails = wslay_event_recv(job->stream) != 0 || wslay_event_send(job->stream) != 0;
	while (!fails && !job->channels->ended && give_input(job));

	if (job->channels->ended) {
		close_stream(job);
	} else if (wslay_event_get_close_received(job->stream)) {
		snprintf(why, sizeof(why), "the stream was closed (code %d) before the end of the command was told",
		         wslay_event_get_status_code_received(job->stream));
		job_give_up(job, why);
	} else if (fails) {
		job_give_up(job, "the connection was lost before the end of the command was told");
	} else if (!wslay_event_want_read(job->stream)) {
		job_give_up(job, "the server broke the WebSocket protocol, or sent a message that is too long");
	}
}

static bool step_once(struct job *job)
{
	switch (job->state) {
	case JOB_WAITING:
	case JOB_CONNECTING:
		return false;
	case JOB_SENDING:
		return send_request(job);
	case JOB_HEAD:
		return read_head(job);
	case JOB_REFUSED:
		return read_refusal(job);
	case JOB_OPEN:
		run_stream(job);
		return false;
	}
	return false;
}

void job_step(struct job *job)
{
	while (!job_is_over(job) && step_once(job))
		;
}

short job_events(const struct job *job)
{
	if (job->state == JOB_SENDING)
		return CURL_WAIT_POLLOUT;
	if (job->state == JOB_OPEN && wslay_event_want_write(job->stream))
		return CURL_WAIT_POLLIN | CURL_WAIT_POLLOUT;
	return CURL_WAIT_POLLIN;
}
