#include "controller/work/steps.h"

#include "controller/api/path.h"
#include "controller/backoff.h"
#include "controller/hash.h"
#include "controller/log.h"
#include "controller/mem.h"
#include "controller/work/body.h"
#include "crd/base/json.h"

#include <utlist.h>

/* A request that an action asked for: prepared, then under way. */
struct task {
	struct task *prev, *next;
	struct pass *pass;
	enum action_kind kind;
	enum object_kind object;
	char *what; /* "apply statefulset/shop-web-1a2b3" */
	char *name, *uid;
	char *path, *body;
	struct request request;
	void *handle; /* NULL: not sent yet */
};

/* An Event is best effort; nobody waits for it, and its failure is nobody's business. */
static bool is_awaited(const struct task *t)
{
	return t->kind != ACTION_EVENT;
}

static void free_task(struct task *t)
{
	free(t->what);
	free(t->name);
	free(t->uid);
	free(t->path);
	free(t->body);
	free(t);
}

/* Ends. */

static void take_answer(const struct task *t, const struct response *r)
{
	cleanup_json cJSON *object = r->body ? json_parse(r->body, r->len, NULL) : NULL;
	const char *kind = json_str(object, "kind");

	/* A deletion may be answered with a Status. What cannot be read, the watch will tell. */
	if (kind && !strcmp(kind, kind_word(t->object)))
		(void)store_put(t->pass->common->store, t->object, object, STORE_ANSWER, NULL);
}

static void note_failure(const struct task *t, const struct err *err)
{
	struct pass *p = t->pass;
	/*
	 * A conflict says that the object is not what was decided on: the watch tells what it is, and the request then
	 * asked for differs, so that it is not held back. A patched object that is gone is the same.
	 */
	bool shown = err->kind != ERR_CONFLICT && !(err->kind == ERR_NOT_FOUND && t->kind == ACTION_PATCH);
	bool news = failures_note(&p->failures, t->what, err, shown, hash_text(t->body));
	struct failure *f = failures_find(&p->failures, t->what);

	f->retry_at = p->common->world->now(p->common->world->self) + backoff_ms(p->common->world, f->tries, err);
	workqueue_push(p->common->queue, p->kind, p->namespace, p->name, f->retry_at);
	if (!news)
		return;
	pass_soon(p);
	if (shown)
		log_warn("request failed, will retry", LOG_STR("what", t->what), LOG_STR("namespace", p->namespace),
		         LOG_STR("for", p->name), LOG_STR("error", err->msg));
}

static void event_ended(const struct task *t, const struct err *err)
{
	/* It exists: this very Event was sent before. */
	if (err->kind == ERR_NONE || err->kind == ERR_CONFLICT)
		return;
	t->pass->common->stats->events_lost++;
	log_debug("Event is lost", LOG_STR("namespace", t->pass->namespace), LOG_STR("for", t->pass->name),
	          LOG_STR("error", err->msg));
}

static void task_ended(const struct task *t, const struct response *r)
{
	struct pass *p = t->pass;

	if (t->kind == ACTION_EVENT) {
		event_ended(t, &r->err);
		return;
	}
	if (t->kind == ACTION_DELETE && r->err.kind == ERR_NOT_FOUND) {
		store_forget(p->common->store, t->object, p->namespace, t->name, t->uid);
	} else if (r->err.kind != ERR_NONE) {
		p->common->stats->failures++;
		note_failure(t, &r->err);
		return;
	} else {
		take_answer(t, r);
	}
	if (failures_clear(&p->failures, t->what))
		pass_soon(p);
}

static void on_done(void *ctx, const struct response *r)
{
	struct task *t = ctx;
	struct pass *p = t->pass;

	t->handle = NULL;
	task_ended(t, r);
	DL_DELETE(p->tasks, t);
	if (is_awaited(t) && --p->awaited == 0)
		pass_acted(p);
	if (pass_is_over(p))
		pass_soon(p);
	free_task(t);
}

/* Beginnings. */

static enum verb verb_of(enum action_kind kind)
{
	switch (kind) {
	case ACTION_APPLY:
		return VERB_APPLY;
	case ACTION_DELETE:
		return VERB_DELETE;
	case ACTION_PATCH:
		return VERB_PATCH;
	case ACTION_EVENT:
	case ACTION_EXEC:
		break;
	}
	return VERB_CREATE;
}

static char *path_of(const struct pass *p, const struct action *a)
{
	struct strbuf path = { 0 };

	if (a->kind == ACTION_EVENT)
		path_events(&path, p->namespace);
	else if (a->kind == ACTION_APPLY)
		path_apply(&path, a->object, p->namespace, a->name);
	else
		path_object(&path, a->object, p->namespace, a->name, NULL);
	return strbuf_take(&path);
}

static int body_of(const struct pass *p, const void *object, const struct action *a, struct strbuf *out,
                   struct err *err)
{
	switch (a->kind) {
	case ACTION_APPLY:
		return body_apply(a, &p->common->arena, out, err);
	case ACTION_DELETE:
		body_delete(a->uid, out);
		return 0;
	case ACTION_PATCH:
		strbuf_adds(out, a->patch);
		return 0;
	case ACTION_EVENT:
		body_event(p->kind, object, a, p->common->instance, p->common->world->now(p->common->world->self), out);
		return 0;
	case ACTION_EXEC:
		break;
	}
	return err_set(err, ERR_INVALID, "an action without a request");
}

static char *what_of(const struct action *a)
{
	struct strbuf what = { 0 };

	if (a->kind == ACTION_EVENT)
		return mem_strdup("create event");
	strbuf_addf(&what, "%s %s/%s", verb_name(verb_of(a->kind)), kind_lower(a->object), a->name);
	return strbuf_take(&what);
}

/* Whether the request failed just now and is the same still: then it waits for its time. */
static bool is_held_back(struct pass *p, const struct task *t)
{
	struct failure *f = failures_find(&p->failures, t->what);
	int64_t now = p->common->world->now(p->common->world->self);

	if (!f)
		return false;
	f->asked = true;
	if (f->body != hash_text(t->body) || now >= f->retry_at)
		return false;
	workqueue_push(p->common->queue, p->kind, p->namespace, p->name, f->retry_at);
	return true;
}

static void prepare_request(struct pass *p, const void *object, const struct action *a)
{
	cleanup_strbuf struct strbuf body = { 0 };
	struct task *t = mem_new(sizeof(*t));
	struct err err = { 0 };

	t->pass = p;
	t->kind = a->kind;
	t->object = a->object;
	t->what = what_of(a);
	t->name = mem_strdup(a->name);
	t->uid = mem_strdup(a->uid ? a->uid : "");

	int rc = body_of(p, object, a, &body, &err);
	t->body = mem_strdup(strbuf_str(&body));
	if (is_held_back(p, t)) {
		free_task(t);
		return;
	}
	if (rc < 0) {
		note_failure(t, &err);
		free_task(t);
		return;
	}
	t->path = path_of(p, a);
	DL_APPEND(p->tasks, t);
}

void execute_prepare(struct pass *p, const void *object, const struct action *actions, size_t count)
{
	failures_begin(&p->failures);

	struct failure *status = failures_find(&p->failures, PASS_WRITE_STATUS);
	if (status)
		status->asked = true;
	if (count > PASS_ACTIONS_MAX) {
		count = PASS_ACTIONS_MAX;
		pass_soon(p);
	}
	for (size_t i = 0; i < count; i++) {
		if (actions[i].kind == ACTION_EXEC)
			call_prepare(p, &actions[i]);
		else
			prepare_request(p, object, &actions[i]);
	}
	if (failures_end(&p->failures))
		pass_soon(p);
}

static void send(struct task *t)
{
	const struct world *world = t->pass->common->world;

	t->request = (struct request){
		.verb = verb_of(t->kind),
		.path = t->path,
		.body = t->body,
		.timeout_ms = PASS_REQUEST_TIMEOUT_MS,
		.on_done = on_done,
		.ctx = t,
	};
	t->pass->awaited += is_awaited(t);
	t->handle = world->request(world->self, &t->request);
}

void execute_start(struct pass *p)
{
	struct task *t;

	DL_FOREACH(p->tasks, t) {
		if (!t->handle)
			send(t);
	}
	call_start_all(p);
	if (p->awaited == 0)
		pass_acted(p);
}

void execute_drop(struct pass *p)
{
	struct task *t, *next;

	DL_FOREACH_SAFE(p->tasks, t, next) {
		if (t->handle)
			continue;
		DL_DELETE(p->tasks, t);
		free_task(t);
	}
	call_drop(p);
}

void execute_cancel(struct pass *p)
{
	struct task *t, *next;

	DL_FOREACH_SAFE(p->tasks, t, next) {
		if (t->handle)
			p->common->world->cancel(p->common->world->self, t->handle);
		DL_DELETE(p->tasks, t);
		free_task(t);
	}
	p->awaited = 0;
	call_orphan(p);
}
