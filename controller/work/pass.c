#include "controller/work/pass.h"

#include "controller/api/path.h"
#include "controller/backoff.h"
#include "controller/log.h"
#include "controller/mem.h"
#include "controller/work/steps.h"

static int64_t now_of(const struct pass *p)
{
	return p->common->world->now(p->common->world->self);
}

static void push(struct pass *p, int64_t due)
{
	workqueue_push(p->common->queue, p->kind, p->namespace, p->name, due);
}

void pass_after(struct pass *p, int64_t delay_ms)
{
	push(p, now_of(p) + delay_ms);
}

void pass_soon(struct pass *p)
{
	pass_after(p, WORK_COALESCE_MS);
}

struct pass *pass_new(struct pass_common *common, enum object_kind kind, const char *namespace, const char *name)
{
	struct pass *p = slabs_new(&common->slabs, sizeof(*p));

	p->common = common;
	p->reports.map.slabs = &common->slabs;
	p->kind = kind;
	p->namespace = slabs_strdup(&common->slabs, namespace);
	p->name = slabs_strdup(&common->slabs, name);
	return p;
}

void pass_free(struct pass *p)
{
	if (!p)
		return;
	record_cancel(p);
	execute_cancel(p);
	failures_release(&p->failures);
	reports_release(&p->reports);
	slabs_free_text(&p->common->slabs, p->namespace);
	slabs_free_text(&p->common->slabs, p->name);
	slabs_free_text(&p->common->slabs, p->uid);
	slabs_free(&p->common->slabs, p, sizeof(*p));
}

static const void *object_of(const struct pass *p)
{
	return store_get(p->common->store, p->kind, p->namespace, p->name);
}

/* What was learnt about an object says nothing about another one of the same name. */
static void meet(struct pass *p, const char *uid)
{
	if (p->uid && !strcmp(p->uid, uid))
		return;
	failures_release(&p->failures);
	reports_release(&p->reports);
	p->write_failures = 0;
	p->not_before = 0;
	slabs_free_text(&p->common->slabs, p->uid);
	p->uid = slabs_strdup(&p->common->slabs, uid);
}

static void end(struct pass *p)
{
	p->state = PASS_IDLE;
	if (p->again)
		pass_soon(p);
	p->again = false;
}

static void start_reading(struct pass *p)
{
	p->state = PASS_READING;
	record_read(p);
}

static void start_acting(struct pass *p)
{
	p->write_failures = 0;
	p->not_before = 0;
	if (failures_clear(&p->failures, PASS_WRITE_STATUS))
		pass_soon(p);
	p->state = PASS_ACTING;
	if (p->common->stopping)
		execute_drop(p);
	execute_start(p);
}

static struct verdict decide(struct pass *p, const void *object)
{
	struct pass_common *c = p->common;
	int64_t now = now_of(p);

	arena_reset(&c->arena);
	if (p->kind == OBJECT_CLUSTER) {
		struct snapshot s = observe_cluster(p, object, now);
		return c->decide_cluster(&s, &c->arena);
	}

	struct app_snapshot s = observe_app(p, object, now);
	return c->decide_app(&s, &c->arena);
}

static void start_deciding(struct pass *p, const void *object)
{
	struct verdict v = decide(p, object);
	const char *status = record_difference(p, object, v.status);

	p->common->stats->passes++;
	log_debug("pass", LOG_STR("kind", kind_word(p->kind)), LOG_STR("namespace", p->namespace),
	          LOG_STR("name", p->name), LOG_BOOL("writes", status != NULL), LOG_STR("trace", v.trace));
	if (v.requeue_at > 0) {
		int64_t soon = now_of(p) + WORK_COALESCE_MS;
		push(p, v.requeue_at > soon ? v.requeue_at : soon);
	}
	execute_prepare(p, object, v.actions, v.action_count);
	if (!status) {
		start_acting(p);
		return;
	}
	p->state = PASS_WRITING;
	record_write(p, object, status);
}

void pass_run(struct pass *p)
{
	const void *object = object_of(p);
	int64_t now = now_of(p);

	if (p->state != PASS_IDLE) {
		p->again = true;
		return;
	}
	if (!object || p->common->stopping)
		return;
	meet(p, object_id(p->kind, object).uid);
	if (now < p->not_before)
		push(p, p->not_before);
	else if (p->unsure)
		start_reading(p);
	else
		start_deciding(p, object);
}

/* Whether the object on the API server may now be another than the one in the store. */
static bool leaves_unsure(enum err_kind kind)
{
	switch (kind) {
	case ERR_CONFLICT:
	case ERR_NOT_FOUND:
	case ERR_GONE:
	case ERR_UNAVAILABLE:
	case ERR_TIMEOUT:
	case ERR_PROTOCOL:
	case ERR_LIMIT:
		return true;
	case ERR_NONE:
	case ERR_INVALID:
	case ERR_FORBIDDEN:
	case ERR_BUSY:
		return false;
	}
	return true;
}

/* Refused for what it says or who says it: the same status will be refused again, which somebody must be told. */
static bool is_refusal(enum err_kind kind)
{
	return kind == ERR_INVALID || kind == ERR_FORBIDDEN || kind == ERR_LIMIT;
}

static void wait_after(struct pass *p, const struct err *err, int failures)
{
	int64_t delay = failures > 0 || err->retry_after_s > 0 ? backoff_ms(p->common->world, failures, err) : 0;

	p->not_before = now_of(p) + delay;
	push(p, p->not_before);
	p->state = PASS_IDLE;
	p->again = false;
}

void pass_written(struct pass *p, const struct err *err)
{
	if (!err) {
		start_acting(p);
		return;
	}
	p->common->stats->failures++;
	p->common->stats->conflicts += err->kind == ERR_CONFLICT;
	execute_drop(p);
	p->write_failures++;
	p->unsure = leaves_unsure(err->kind);
	log_debug("status was not written", LOG_STR("kind", kind_word(p->kind)), LOG_STR("namespace", p->namespace),
	          LOG_STR("name", p->name), LOG_STR("error", err->msg));
	if (is_refusal(err->kind) ? failures_note(&p->failures, PASS_WRITE_STATUS, err, true, 0)
	                          : err->kind != ERR_CONFLICT && p->write_failures == 1)
		log_warn("status cannot be written, will retry", LOG_STR("kind", kind_word(p->kind)),
		         LOG_STR("namespace", p->namespace), LOG_STR("name", p->name), LOG_STR("error", err->msg));
	/* After a conflict the object is read at once; only when that does not help, somebody else writes all the time. */
	wait_after(p, err, p->write_failures - (err->kind == ERR_CONFLICT));
}

void pass_read(struct pass *p, const struct err *err)
{
	if (err) {
		p->write_failures++;
		wait_after(p, err, p->write_failures);
		return;
	}
	p->unsure = false;
	push(p, now_of(p));
	end(p);
}

void pass_acted(struct pass *p)
{
	if (p->state == PASS_ACTING)
		end(p);
}

bool pass_is_quiet(const struct pass *p)
{
	return p->state != PASS_WRITING && !p->tasks;
}

bool pass_is_over(const struct pass *p)
{
	return p->state == PASS_IDLE && !p->tasks && !object_of(p);
}
