/* What a request is about, and who answers it. */
#include "ctl.h"
#include "exec.h"
#include "openapi.h"
#include "resource.h"
#include "watch.h"
#include "write.h"

#include "controller/clock.h"

#include <string.h>

#define JSON "application/json"

static void answer(struct stream *s, const char *type, const struct reply *r)
{
	stream_answer(s, r->http, type, r->body, r->len, r->retry_after_s);
}

static void answer_text(struct stream *s, int code, const char *type, const char *text)
{
	stream_answer(s, code, type, text, strlen(text), 0);
}

static bool is_known(const struct kubesim *k, const struct serve_request *r)
{
	static const char bearer[] = "Bearer ";
	size_t n = sizeof(bearer) - 1;

	return strncmp(r->authorization, bearer, n) == 0 && strcmp(r->authorization + n, k->token) == 0;
}

static struct reply get_object(struct kubesim *k, const struct api_target *t)
{
	const struct object *o = etcd_get(&k->sim.etcd, t->kind, t->namespace ? t->namespace : "", t->name);

	return o ? api_ok(200, o) : api_fail_on(&k->sim, 404, "NotFound", t->kind, t->name, "not found");
}

static struct reply read_resource(struct kubesim *k, const struct api_target *t, const struct form *f)
{
	struct api_page page;
	struct reply reply;

	if (!t->name)
		return api_page(&k->sim, t, &page, &reply) ? form_list(k, f, t, &page) : reply;
	reply = get_object(k, t);
	return form_reply(k, f, t->kind, &reply);
}

static struct reply write_resource(struct kubesim *k, const struct api_target *t, const struct form *f,
                                   const struct serve_request *r)
{
	struct reply reply = write_request(k, t, f, r);

	return form_reply(k, f, t->kind, &reply);
}

/* What is fine for the simulation's clients, who know what they may ask. */
static bool is_askable(struct kubesim *k, const struct api_target *t, struct reply *ret_reply)
{
	for (size_t i = 0; kind_infos[t->kind].custom && i < t->fields.count; i++) {
		const char *key = t->fields.items[i].key;

		if (strcmp(key, "metadata.name") == 0 || strcmp(key, "metadata.namespace") == 0)
			continue;
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "field label not supported: %s", key);
		return false;
	}
	if (!t->initial || strcmp(t->match, "NotOlderThan") == 0)
		return true;
	*ret_reply = api_fail(&k->sim, 422, "Invalid", "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: "
	                      "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
	return false;
}

static void answer_subresource(struct kubesim *k, struct stream *s, const struct api_target *t,
                               const struct serve_request *r)
{
	struct reply reply;

	if (strcmp(t->subresource, "exec") == 0) {
		exec_request(k, s, t, r->protocols);
		return;
	}
	reply = exec_log(k, t);
	answer(s, reply.http == 200 ? "text/plain" : JSON, &reply);
}

static void answer_resource(struct kubesim *k, struct stream *s, const struct serve_request *r)
{
	struct api_target t;
	struct reply reply;
	struct form f;

	if (!api_parse(&k->sim, r->path, &t, &reply) || !is_askable(k, &t, &reply)) {
		if (reply.http == 404)
			answer_text(s, 404, "text/plain", "404 page not found\n");
		else
			answer(s, JSON, &reply);
		return;
	}
	if (!resource_takes(&t, r->method)) {
		reply = api_fail(&k->sim, 405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
		answer(s, JSON, &reply);
		return;
	}
	if (t.subresource && strcmp(t.subresource, "status") != 0) {
		answer_subresource(k, s, &t, r);
		return;
	}
	f = form_of(k, r->accept, &t);
	if (t.watch && !t.name) {
		watch_open(k, s, r->path, &f);
		return;
	}
	reply = strcmp(r->method, "GET") == 0 ? read_resource(k, &t, &f) : write_resource(k, &t, &f, r);
	answer(s, JSON, &reply);
}

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void route(struct kubesim *k, struct stream *s, const struct serve_request *r)
{
	const char *found;
	struct reply reply;

	if (begins(r->path, "/healthz") || begins(r->path, "/readyz") || begins(r->path, "/livez")) {
		answer_text(s, 200, "text/plain", "ok");
	} else if (begins(r->path, CTL_PATH)) {
		reply = ctl_request(k, r->body);
		answer(s, "text/plain", &reply);
	} else if ((found = discovery_answer(k, r->path)) || (found = openapi_answer(k, r->path))) {
		answer_text(s, 200, JSON, found);
	} else if (begins(r->path, "/api/") || begins(r->path, "/apis/")) {
		answer_resource(k, s, r);
	} else {
		answer_text(s, 404, "text/plain", "404 page not found\n");
	}
}

void kubesim_request(void *ctx, struct stream *s, const struct serve_request *r)
{
	struct kubesim *k = ctx;
	struct reply reply;
	int denied;

	k->sim.clock.now = clock_wall_ms();
	denied = switches_deny(&k->switches, r->method, r->path);
	if (!is_known(k, r)) {
		reply = api_fail(&k->sim, 401, "Unauthorized", "Unauthorized");
		answer(s, JSON, &reply);
	} else if (denied) {
		reply = api_fail(&k->sim, denied, "Denied", "kubesim was told to deny this");
		reply.retry_after_s = denied == 429 ? 1 : 0;
		answer(s, JSON, &reply);
	} else {
		route(k, s, r);
	}
}

void kubesim_frame(void *ctx, struct stream *s, const void *data, size_t len)
{
	struct kubesim *k = ctx;
	void *owner = stream_owner(s);

	k->sim.clock.now = clock_wall_ms();
	if (owner && *(enum owner *)owner == OWNER_EXEC)
		exec_frame(k, owner, data, len);
}

void kubesim_closed(void *ctx, struct stream *s)
{
	void *owner = stream_owner(s);

	if (*(enum owner *)owner == OWNER_WATCH)
		watch_closed(ctx, owner);
	else
		exec_closed(owner);
}
