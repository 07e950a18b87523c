#include "controller/work/steps.h"

#include "controller/api/path.h"
#include "crd/base/json.h"

#include <string.h>

static const struct crd_type *status_type(enum object_kind kind)
{
	return kind == OBJECT_CLUSTER ? &cluster_status_type : &app_status_type;
}

static const char *status_text(const struct pass *p, const void *status)
{
	return status ? crd_text(status_type(p->kind), status, &p->common->arena) : "{}";
}

static const void *status_of(enum object_kind kind, const void *object)
{
	return kind == OBJECT_CLUSTER ? (const void *)((const struct cluster *)object)->status
	                              : (const void *)((const struct app *)object)->status;
}

const char *record_difference(struct pass *p, const void *object, const void *status)
{
	const void *before = status_of(p->kind, object);

	/* Most passes change nothing, and comparing structs is cheaper than writing both out. */
	if (before && status && crd_equal(status_type(p->kind), before, status))
		return NULL;

	const char *held = status_text(p, before), *wanted = status_text(p, status);
	return strcmp(held, wanted) ? wanted : NULL;
}

/* The answer to a write or a read is the object as it is now. An answer that cannot be read leaves that open. */
static int take_object(struct pass *p, const struct response *r, struct err *err)
{
	if (r->err.kind != ERR_NONE) {
		*err = r->err;
		return -1;
	}

	cleanup_json cJSON *object = json_parse(r->body ? r->body : "", r->len, NULL);
	if (!object)
		return err_set(err, ERR_PROTOCOL, "the answer for %s %s/%s is no JSON", kind_lower(p->kind), p->namespace,
		               p->name);
	if (store_put(p->common->store, p->kind, object, STORE_ANSWER, err) < 0) {
		err->kind = ERR_PROTOCOL;
		return -1;
	}
	return 0;
}

static void forget_request(struct pass *p)
{
	p->handle = NULL;
	strbuf_release(&p->path);
	strbuf_release(&p->body);
}

static void on_written(void *ctx, const struct response *r)
{
	struct pass *p = ctx;
	struct err err = { 0 };
	int rc = take_object(p, r, &err);

	forget_request(p);
	pass_written(p, rc < 0 ? &err : NULL);
}

static void on_read(void *ctx, const struct response *r)
{
	struct pass *p = ctx;
	struct err err = { 0 };
	int rc = take_object(p, r, &err);

	forget_request(p);
	if (rc < 0 && err.kind == ERR_NOT_FOUND) {
		/* A new object of that name, which the watch may have told meanwhile, has another UID. */
		store_forget(p->common->store, p->kind, p->namespace, p->name, p->uid);
		rc = 0;
	}
	pass_read(p, rc < 0 ? &err : NULL);
}

static void send(struct pass *p, enum verb verb, void (*on_done)(void *, const struct response *))
{
	p->request = (struct request){
		.verb = verb,
		.path = strbuf_str(&p->path),
		.body = p->body.len > 0 ? p->body.data : NULL,
		.timeout_ms = PASS_REQUEST_TIMEOUT_MS,
		.on_done = on_done,
		.ctx = p,
	};
	p->handle = p->common->world->request(p->common->world->self, &p->request);
}

/*
 * The spec is left out: the API server takes nothing but the status from a write to this subresource, and puts the
 * stored spec in its place before it validates (tried on 1.36.3). The UID guards against an object that was made anew.
 */
void record_write(struct pass *p, const void *object, const char *status)
{
	struct object_id id = object_id(p->kind, object);
	struct strbuf *b = &p->body;

	path_object(&p->path, p->kind, p->namespace, p->name, "status");
	strbuf_addf(b, "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":", kind_api_version(p->kind),
	            kind_word(p->kind));
	strbuf_add_json(b, id.name);
	strbuf_adds(b, ",\"namespace\":");
	strbuf_add_json(b, id.namespace);
	strbuf_adds(b, ",\"uid\":");
	strbuf_add_json(b, id.uid);
	strbuf_adds(b, ",\"resourceVersion\":");
	strbuf_add_json(b, id.version);
	strbuf_adds(b, "},\"status\":");
	strbuf_adds(b, status);
	strbuf_addc(b, '}');
	p->common->stats->status_writes++;
	p->common->stats->status_bytes += b->len;
	send(p, VERB_UPDATE, on_written);
}

void record_read(struct pass *p)
{
	path_object(&p->path, p->kind, p->namespace, p->name, NULL);
	send(p, VERB_GET, on_read);
}

void record_cancel(struct pass *p)
{
	if (p->handle)
		p->common->world->cancel(p->common->world->self, p->handle);
	forget_request(p);
}
