#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/net/problem.h"

#define DEFAULT_TIMEOUT_MS 30000

/* Counts one more sending. False when the operator is as good as dead and this never leaves it. */
static bool leaves(struct sim *sim)
{
	struct wire *w = &sim->wire;

	if (w->crash_due)
		return false;
	w->crash_due = ++w->sent == w->crash_after;
	if (w->sent == w->back_after && !w->back_on_arrival)
		clock_in(&sim->clock, 0, user_turns_back, NULL);
	return true;
}

static void has_arrived(struct sim *sim, uint64_t number)
{
	if (number == sim->wire.back_after && sim->wire.back_on_arrival)
		clock_in(&sim->clock, 0, user_turns_back, NULL);
}

static int64_t latency(struct sim *sim)
{
	return rng_between(&sim->rng_wire, 1, 12);
}

static int64_t patience(int64_t timeout_ms)
{
	return timeout_ms > 0 ? timeout_ms : DEFAULT_TIMEOUT_MS;
}

void wire_answer(struct sim *sim, struct flight *f, const struct err *err)
{
	const struct reply *reply = &f->reply;
	struct response response = {.http = reply->http, .body = reply->body, .len = reply->len};

	if (f->over)
		return;
	f->over = true;
	if (err)
		response.err = *err;
	else
		problem_from_http(f->request.verb, f->request.path, reply->http, reply->body, reply->len,
		                  reply->retry_after_s, &response.err);
	if (!response.body && !f->stream)
		response.body = "";
	if (response.err.kind != ERR_NONE && f->request.verb != VERB_WATCH)
		trace(sim, "operator < %s: %s", verb_name(f->request.verb), response.err.msg);
	f->request.on_done(f->request.ctx, &response);
}

static void answer(struct sim *sim, void *arg)
{
	wire_answer(sim, arg, NULL);
}

static void broken(struct sim *sim, void *arg)
{
	struct flight *f = arg;
	struct err err = {0};

	f->reply = (struct reply){0};
	err_set(&err, ERR_UNAVAILABLE, "%s %s: connection reset by peer", verb_method(f->request.verb),
	        f->request.path);
	wire_answer(sim, f, &err);
}

static void timed_out(struct sim *sim, void *arg)
{
	struct flight *f = arg;
	struct err err = {0};

	f->reply = (struct reply){0};
	err_set(&err, ERR_TIMEOUT, "%s %s: no answer in time", verb_method(f->request.verb), f->request.path);
	wire_answer(sim, f, &err);
}

void wire_break_silence(struct sim *sim)
{
	for (struct flight *f = sim->wire.flights; f; f = f->next) {
		if (!f->over && (f->fate == FATE_SWALLOWED || f->fate == FATE_ANSWER_NEVER))
			clock_in(&sim->clock, 0, broken, f);
	}
}

static struct reply rejection(struct sim *sim)
{
	struct reply reply;

	switch (rng_below(&sim->rng_faults, 3)) {
	case 0:
		reply = api_fail(sim, 429, "TooManyRequests", "the server has received too many requests");
		reply.retry_after_s = (int)rng_between(&sim->rng_faults, 1, 3);
		return reply;
	case 1:
		return api_fail(sim, 503, "ServiceUnavailable", "the server is currently unable to handle the request");
	default:
		return api_fail(sim, 500, "InternalError", "etcdserver: request timed out");
	}
}

static void trace_request(struct sim *sim, const struct flight *f)
{
	const char *end = strrchr(f->request.path, '/');
	const char *status = end && strncmp(end, "/status", 7) == 0 ? "/status" : "";
	struct api_target t;
	struct reply bad;

	if (!api_parse(sim, f->request.path, &t, &bad))
		trace(sim, "operator > %s %s: not understood", verb_method(f->request.verb), f->request.path);
	else
		trace(sim, "operator > %s %s%s%s%s %d", verb_name(f->request.verb), kind_infos[t.kind].plural,
		      t.name ? "/" : "", t.name ? t.name : "", status, f->reply.http);
}

/* Answers that say that the operator asked for something that cannot be. */
static bool is_refusal(int http)
{
	return http == 400 || http == 403 || http == 405 || http == 422;
}

static void take_effect(struct sim *sim, struct flight *f)
{
	sim->by_operator = true;
	sim->acts_since = f->sent_at;
	f->reply = api_handle(sim, f->request.verb, f->request.path, f->request.body);
	sim->by_operator = false;
	trace_request(sim, f);
	if (f->request.body)
		arose(RULE_API);
	if (is_refusal(f->reply.http))
		violation(sim, RULE_API, "%s %s is refused: %s", verb_name(f->request.verb), f->request.path,
		          f->reply.body);
}

static void arrive(struct sim *sim, void *arg)
{
	struct flight *f = arg;
	struct api_target t;

	has_arrived(sim, f->number);
	if (f->fate == FATE_REJECTED) {
		f->reply = rejection(sim);
		clock_in(&sim->clock, latency(sim), answer, f);
		return;
	}
	if (f->request.verb == VERB_WATCH && api_parse(sim, f->request.path, &t, &f->reply)) {
		stream_open(sim, f, &t);
		return;
	}
	faults_before(sim, f);
	take_effect(sim, f);
	if (f->fate == FATE_ANSWER_5XX)
		f->reply = api_fail(sim, 504, "Timeout", "Timeout: request did not complete in the allotted time");
	if (f->fate == FATE_GOOD || f->fate == FATE_ANSWER_5XX)
		clock_in(&sim->clock, latency(sim), answer, f);
	else if (f->fate == FATE_ANSWER_CUT)
		clock_in(&sim->clock, latency(sim), broken, f);
}

/* Neither a reading, nor a status, nor an Event. */
static bool is_change(const struct request *r)
{
	if (strstr(r->path, "/apps/" APP_A) || strstr(r->path, "/apps/" APP_B))
		return false; /* an App is held or let go whatever the Cluster says */
	return r->verb == VERB_APPLY || r->verb == VERB_PATCH || r->verb == VERB_DELETE ||
	       (r->verb == VERB_CREATE && !strstr(r->path, "/events"));
}

static void *send_request(void *self, const struct request *r)
{
	struct sim *sim = self;
	struct flight *f = arena_alloc(&sim->arena, sizeof(*f));

	*f = (struct flight){.request = *r, .sent_at = sim->clock.now, .next = sim->wire.flights};
	f->request.path = arena_strdup(&sim->arena, r->path);
	f->request.body = arena_strdup(&sim->arena, r->body);
	if (!leaves(sim))
		return f;
	f->number = sim->wire.sent;
	held_means_held(sim, r->path, is_change(r));
	if (is_change(r))
		sim->wire.acted_at = sim->clock.now;
	sim->wire.flights = f;
	sim->wire.asked += r->verb != VERB_WATCH && !(r->verb == VERB_CREATE && strstr(r->path, "/events"));
	f->fate = faults_of_request(sim, r->verb);
	if (f->fate == FATE_NO_WAY)
		clock_in(&sim->clock, latency(sim), broken, f);
	else if (f->fate != FATE_SWALLOWED)
		clock_in(&sim->clock, latency(sim), arrive, f);
	if (f->fate == FATE_SWALLOWED || f->fate == FATE_ANSWER_NEVER)
		clock_in(&sim->clock, patience(r->timeout_ms), timed_out, f);
	return f;
}

static void cancel_request(void *self, void *handle)
{
	struct flight *f = handle;

	(void)self;
	if (f)
		f->over = true;
}

static void give_result(struct sim *sim, void *arg)
{
	struct exec_flight *f = arg;
	const struct exec_result *r = &f->result;

	if (f->over)
		return;
	f->over = true;
	if (r->end == EXEC_EXITED)
		trace(sim, "operator < exec %s: %.*s", f->request.pod, (int)strcspn(r->output, "\n"), r->output);
	else
		trace(sim, "operator < exec %s: %s", f->request.pod, r->message);
	f->request.on_done(f->request.ctx, r);
}

static void lose_exec(struct sim *sim, void *arg)
{
	struct exec_flight *f = arg;

	f->result = (struct exec_result){.end = EXEC_LOST, .output = "", .message = "connection lost"};
	give_result(sim, f);
}

void wire_exec_ended(struct sim *sim, struct exec_flight *f, const struct exec_result *result)
{
	if (f->fate == FATE_ANSWER_NEVER)
		return;
	f->result = *result;
	clock_in(&sim->clock, latency(sim), f->fate == FATE_ANSWER_CUT ? lose_exec : give_result, f);
}

static void exec_arrives(struct sim *sim, void *arg)
{
	struct exec_flight *f = arg;

	has_arrived(sim, f->number);
	trace(sim, "operator > exec %s %s %s", f->request.pod, f->request.argc > 5 ? f->request.argv[5] : "?",
	      f->request.argc > 4 ? f->request.argv[4] : "?");
	if (f->fate == FATE_REJECTED) {
		f->result = (struct exec_result){.end = EXEC_REFUSED, .output = "", .message = "error dialing backend"};
		clock_in(&sim->clock, latency(sim), give_result, f);
		return;
	}
	seat_call(sim, f);
}

static const char *const *copy_args(struct sim *sim, const char *const *argv, size_t argc)
{
	const char **copy = arena_array(&sim->arena, argc + 1, sizeof(*copy));

	/* The launcher's text is the same in every call. */
	for (size_t i = 0; i < argc; i++)
		copy[i] = i == 2 ? "TEXT" : arena_strdup(&sim->arena, argv[i]);
	return copy;
}

/* The operator keeps the input only until it has the answer, and may be gone before the exec arrives. */
static void copy_input(struct sim *sim, struct exec_input input[EXEC_INPUT_PARTS])
{
	cleanup_strbuf struct strbuf b = {0};

	for (size_t i = 0; i < EXEC_INPUT_PARTS; i++)
		strbuf_add(&b, input[i].data, input[i].len);
	input[0] = (struct exec_input){arena_strndup(&sim->arena, strbuf_str(&b), b.len), b.len};
}

static void send_exec(void *self, const struct exec_request *r)
{
	struct sim *sim = self;
	struct exec_flight *f = arena_alloc(&sim->arena, sizeof(*f));
	bool left = leaves(sim);

	*f = (struct exec_flight){
		.request = *r, .number = sim->wire.sent, .sent_at = sim->clock.now, .next = sim->wire.execs,
	};
	f->request.namespace = arena_strdup(&sim->arena, r->namespace);
	f->request.pod = arena_strdup(&sim->arena, r->pod);
	f->request.container = arena_strdup(&sim->arena, r->container);
	f->request.argv = copy_args(sim, r->argv, r->argc);
	copy_input(sim, f->request.input);
	sim->wire.execs = f;
	if (!left)
		return;
	held_means_held(sim, "an exec", true);
	sim->wire.acted_at = sim->clock.now;
	sim->wire.asked++;
	sim->wire.exec_count++;
	f->fate = faults_of_exec(sim);
	if (f->fate == FATE_NO_WAY)
		clock_in(&sim->clock, latency(sim), lose_exec, f);
	else if (f->fate != FATE_SWALLOWED)
		clock_in(&sim->clock, latency(sim), exec_arrives, f);
	clock_in(&sim->clock, patience(r->timeout_ms), lose_exec, f);
}

static int64_t tell_time(void *self)
{
	return ((struct sim *)self)->clock.now;
}

static uint32_t roll(void *self)
{
	return rng_next(&((struct sim *)self)->rng_operator);
}

struct world wire_world(struct sim *sim)
{
	return (struct world){
		.self = sim,
		.now = tell_time,
		.request = send_request,
		.cancel = cancel_request,
		.exec = send_exec,
		.random = roll,
	};
}

void wire_orphan(struct sim *sim)
{
	struct wire *w = &sim->wire;

	for (struct flight *f = w->flights; f; f = f->next)
		f->over = true;
	/* Their callbacks still own a little memory; nobody listens to the answers. */
	for (struct exec_flight *f = w->execs; f; f = f->next) {
		if (!f->over)
			lose_exec(sim, f);
	}
	w->flights = NULL;
	w->execs = NULL;
	w->streams = NULL;
	w->crash_due = false;
}
