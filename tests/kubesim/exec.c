#include "exec.h"

#include "controller/mem.h"

#include <stdio.h>

enum { CHANNEL_STDIN = 0, CHANNEL_STDOUT = 1, CHANNEL_STDERR = 2, CHANNEL_STATUS = 3 };
#define NORMAL_CLOSURE 1000
#define ARGS_MAX 4096
#define CANNOT_RUN 126 /* what a shell says of a program that it cannot run */

struct session {
	enum owner owner;         /* OWNER_EXEC */
	struct stream *stream;    /* NULL: the client is gone */
	const char *protocol;
	bool is_open;             /* upgraded */
	bool is_in_call;          /* what ends it now need not free it */
	bool is_over;
	size_t to_come;           /* bytes of its standard input; the member is called when they are there */
	char **argv;              /* owned, NULL-terminated, as are the names in .flight */
	struct exec_flight flight;
};

static void free_session(struct session *e)
{
	for (char **arg = e->argv; arg && *arg; arg++)
		free(*arg);
	free(e->argv);
	free((char *)e->flight.request.namespace);
	free((char *)e->flight.request.pod);
	free(e);
}

static const char *choose_protocol(const char *const *offered)
{
	static const char *const known[] = {"v5.channel.k8s.io", "v4.channel.k8s.io"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (size_t j = 0; offered && offered[j]; j++) {
			if (strcmp(offered[j], known[i]) == 0)
				return known[i];
		}
	}
	return NULL;
}

static void send(struct session *e, char channel, const char *data, size_t len)
{
	cleanup_strbuf struct strbuf b = {0};

	if (len == 0)
		return;
	strbuf_addc(&b, channel);
	strbuf_add(&b, data, len);
	stream_frame(e->stream, b.data, b.len);
}

/* Every call ends with a Status on channel 3, and a code other than 0 is in its details. */
static void send_status(struct session *e, int code)
{
	static const char success[] = "{\"metadata\":{},\"status\":\"Success\"}";
	char text[256];

	snprintf(text, sizeof(text), "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit "
	         "code: exit status %d\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\"ExitCode\","
	         "\"message\":\"%d\"}]}}", code, code);
	send(e, CHANNEL_STATUS, code ? text : success, strlen(code ? text : success));
}

static void open(struct session *e)
{
	if (e->stream && !e->is_open)
		stream_upgrade(e->stream, e->protocol);
	e->is_open = true;
}

/* What a kubelet says when the call was taken up and nothing could be started. */
static void send_refusal(struct session *e, const char *why)
{
	cleanup_strbuf struct strbuf b = {0};

	strbuf_adds(&b, "{\"metadata\":{},\"status\":\"Failure\",\"reason\":\"InternalError\",\"code\":500,\"message\":");
	strbuf_add_json(&b, why);
	strbuf_addc(&b, '}');
	send(e, CHANNEL_STATUS, b.data, b.len);
}

static void answer_refusal(struct kubesim *k, struct session *e, const char *why)
{
	struct reply r = api_fail(&k->sim, 500, "InternalError", "%s", why);

	stream_answer(e->stream, r.http, "application/json", r.body, r.len, 0);
}

void exec_ended(struct kubesim *k, struct exec_flight *f, const struct exec_result *result)
{
	struct session *e = (struct session *)((char *)f - offsetof(struct session, flight));

	if (e->stream && result->end == EXEC_REFUSED && !e->is_open) {
		answer_refusal(k, e, result->message);
	} else if (e->stream) {
		open(e);
		send(e, CHANNEL_STDOUT, result->output, result->len);
		if (result->end == EXEC_EXITED)
			send_status(e, result->exit_code);
		else if (result->end == EXEC_REFUSED)
			send_refusal(e, result->message);
		stream_close(e->stream, NORMAL_CLOSURE);
	}
	e->is_over = true;
	if (!e->is_in_call)
		free_session(e);
}

void exec_closed(void *owner)
{
	struct session *e = owner;

	e->stream = NULL;
	if (e->to_come > 0)
		free_session(e); /* half an input is none: the launcher runs nothing */
}

/* argv: every "command" of the query. */
static void read_command(struct kubesim *k, const char *query, struct exec_request *r)
{
	const char **argv = arena_array(&k->scratch, ARGS_MAX + 1, sizeof(*argv));

	for (; *query && r->argc < ARGS_MAX; query += strcspn(query, "&"), query += *query == '&') {
		size_t len = strcspn(query, "&");

		if (strncmp(query, "command=", 8) == 0)
			argv[r->argc++] = api_unescape(&k->sim, query + 8, len - 8);
	}
	r->argv = argv;
}

static void refuse_program(struct session *e)
{
	static const char sorry[] = "kubesim runs no programs: only the operator's calls are answered\n";

	open(e);
	send(e, CHANNEL_STDERR, sorry, sizeof(sorry) - 1);
	send_status(e, CANNOT_RUN);
	stream_close(e->stream, NORMAL_CLOSURE);
	e->is_over = true;
}

static struct session *new_session(struct kubesim *k, struct stream *s, const char *protocol, const struct exec_request *r)
{
	struct session *e = mem_new(sizeof(*e));

	*e = (struct session){.owner = OWNER_EXEC, .stream = s, .protocol = protocol};
	e->argv = mem_new((r->argc + 1) * sizeof(*e->argv));
	for (size_t i = 0; i < r->argc; i++)
		e->argv[i] = mem_strdup(r->argv[i]);
	e->flight.request = *r;
	e->flight.request.argv = (const char *const *)e->argv;
	e->flight.request.namespace = mem_strdup(r->namespace);
	e->flight.request.pod = mem_strdup(r->pod);
	e->flight.sent_at = k->sim.clock.now;
	stream_set_owner(s, e);
	return e;
}

static void call(struct kubesim *k, struct session *e)
{
	e->is_in_call = true;
	seat_call(&k->sim, &e->flight);
	e->is_in_call = false;
	if (e->is_over)
		free_session(e);
	else
		open(e);
}

static void begin(struct kubesim *k, struct stream *s, const char *protocol, const struct exec_request *r)
{
	struct session *e = new_session(k, s, protocol, r);
	size_t input;

	if (!seat_is_launch(&e->flight.request, &input)) {
		refuse_program(e);
		free_session(e);
		return;
	}
	/* What the input says is not kept: nobody here reads it. */
	e->flight.request.input[0].len = e->to_come = input;
	if (input > 0)
		open(e);
	else
		call(k, e);
}

void exec_frame(struct kubesim *k, void *owner, const char *data, size_t len)
{
	struct session *e = owner;

	if (e->to_come == 0 || len < 1 || data[0] != CHANNEL_STDIN)
		return;
	e->to_come -= len - 1 < e->to_come ? len - 1 : e->to_come;
	if (e->to_come == 0)
		call(k, e);
}

void exec_request(struct kubesim *k, struct stream *s, const struct api_target *t, const char *const *protocols)
{
	const char *protocol = choose_protocol(protocols);
	struct exec_request r = {.namespace = t->namespace, .pod = t->name, .container = "app"};
	struct reply bad;

	if (!etcd_get(&k->sim.etcd, KIND_POD, t->namespace, t->name))
		bad = api_fail_on(&k->sim, 404, "NotFound", KIND_POD, t->name, "not found");
	else if (!protocol)
		bad = api_fail(&k->sim, 400, "BadRequest", "kubesim takes an exec as a WebSocket only, v5.channel.k8s.io or v4");
	else {
		read_command(k, t->query, &r);
		begin(k, s, protocol, &r);
		return;
	}
	stream_answer(s, bad.http, "application/json", bad.body, bad.len, 0);
}

static void add_line(struct kubesim *k, struct strbuf *b, int64_t at, const char *event, const char *numbers,
                     const char *image, const char *args)
{
	const char *colon = strrchr(image, ':'), *start = args;

	strbuf_addf(b, "%.2f\t%s\t%s\t%s\t", (double)(at - k->booted_at) / 1000, event, numbers, colon ? colon + 1 : image);
	for (; *args; args++)
		strbuf_addc(b, *args == ' ' ? '\t' : *args);
	strbuf_adds(b, *start ? "\t\n" : "\n");
}

static void add_run(struct kubesim *k, struct strbuf *b, const struct run *run)
{
	char numbers[48];

	snprintf(numbers, sizeof(numbers), "%lld\t%lld", (long long)run->id, (long long)run->attempt);
	add_line(k, b, run->started_at, event_kind_text(run->event), numbers, run->box->image, run->args);
}

/* Boxes are linked from the newest; runs are in order. */
static const struct box *next_box(const struct seat *seat, const struct box *after)
{
	const struct box *box = seat->boxes;

	while (box && box != after && box->older != after)
		box = box->older;
	return box == after ? NULL : box;
}

struct reply exec_log(struct kubesim *k, const struct api_target *t)
{
	cleanup_strbuf struct strbuf b = {0};
	const struct seat *seat = seat_in(&k->sim, t->namespace, t->name);
	const struct box *box;
	size_t i = 0;

	if (!seat || !etcd_get(&k->sim.etcd, KIND_POD, t->namespace, t->name))
		return api_fail_on(&k->sim, 404, "NotFound", KIND_POD, t->name, "not found");
	for (box = next_box(seat, NULL); box; box = next_box(seat, box)) {
		add_line(k, &b, box->started_at, "start", "-\t-", box->image, "");
		for (; i < seat->run_count && seat->runs[i]->box == box; i++)
			add_run(k, &b, seat->runs[i]);
	}
	return (struct reply){.http = 200, .body = arena_strdup(&k->scratch, strbuf_str(&b)), .len = b.len};
}
