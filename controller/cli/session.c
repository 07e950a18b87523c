#include "session.h"

#include "controller/auth/login.h"
#include "controller/clock.h"
#include "controller/net/net.h"

/* A watch that is silent for longer than the server sends bookmarks is dead. */
#define WATCH_SILENCE_MS 120000

struct call {
	bool done;
	struct strbuf *body;
	struct err err;
	bool (*on_data)(void *ctx, const char *data, size_t len);
	void *ctx;
	bool enough; /* on_data has seen what it wanted */
};

int session_open(struct session *s, const struct options *o, struct err *err)
{
	if (login(o->kubeconfig, o->context, &s->credentials, err) < 0)
		return -1;
	s->net = net_new(&s->credentials, err);
	if (!s->net)
		return -1;
	s->timeout_ms = o->request_timeout_ms;
	s->namespace = o->namespace ? o->namespace : s->credentials.namespace ? s->credentials.namespace : "default";
	if (o->all_namespaces)
		s->namespace = NULL;
	return 0;
}

void session_close(struct session *s)
{
	net_free(s->net);
	credentials_release(&s->credentials);
	*s = (struct session){ 0 };
}

static void on_done(void *ctx, const struct response *r)
{
	struct call *call = ctx;

	call->done = true;
	call->err = r->err;
	if (call->body && r->body)
		strbuf_add(call->body, r->body, r->len);
}

static void on_bytes(void *ctx, const char *data, size_t len)
{
	struct call *call = ctx;

	if (!call->enough && !call->on_data(call->ctx, data, len))
		call->enough = true;
}

static int send_once(struct session *s, const struct request *request, struct call *call, struct err *err)
{
	const struct world *world = net_world(s->net);
	struct request r = *request;

	r.on_done = on_done;
	r.ctx = call;
	void *handle = world->request(world->self, &r);
	while (!call->done && !call->enough)
		net_poll(s->net, r.timeout_ms, -1);
	if (!call->done) {
		world->cancel(world->self, handle);
		return 0;
	}
	if (call->err.kind == ERR_NONE)
		return 0;
	*err = call->err;
	return -1;
}

void session_pause(struct session *s, int64_t ms)
{
	int64_t end = clock_steady_ms() + ms;

	for (int64_t left = ms; left > 0; left = end - clock_steady_ms())
		net_poll(s->net, left, -1);
}

int session_call(struct session *s, enum verb verb, const char *path, const char *body, struct strbuf *ret_body,
                 struct err *err)
{
	int64_t end = clock_steady_ms() + s->timeout_ms;
	struct request r = { .verb = verb, .path = path, .body = body, .timeout_ms = s->timeout_ms };

	for (int tries = 1;; tries++) {
		struct call call = { .body = ret_body };
		if (ret_body)
			strbuf_clear(ret_body);
		if (send_once(s, &r, &call, err) == 0)
			return 0;
		/* "429 Too Many Requests" with a time is the server's way to say that it did nothing yet. */
		int64_t pause_ms = (int64_t)err->retry_after_s * 1000;
		if (err->kind != ERR_BUSY || !pause_ms || tries == SESSION_TRIES_MAX ||
		    clock_steady_ms() + pause_ms >= end)
			return -1;
		*err = (struct err){ 0 };
		session_pause(s, pause_ms);
		r.timeout_ms = end - clock_steady_ms();
	}
}

int session_watch(struct session *s, const char *path, bool (*on_data)(void *ctx, const char *data, size_t len),
                  void *ctx, struct err *err)
{
	struct call call = { .on_data = on_data, .ctx = ctx };
	struct request r = { .verb = VERB_WATCH, .path = path, .timeout_ms = WATCH_SILENCE_MS, .on_data = on_bytes };

	return send_once(s, &r, &call, err);
}
