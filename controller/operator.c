#include "controller/operator.h"

#include "controller/api/path.h"
#include "controller/cache/reflector.h"
#include "controller/log.h"
#include "controller/mem.h"
#include "controller/work/pass.h"

#include <stdio.h>

/* So many passes in one tick: then the loop looks at its connections again. */
#define TICK_PASSES_MAX 64

struct operator {
	const struct world *outside;
	struct world world; /* OUTSIDE, with the requests counted */
	char *namespace, *instance;
	struct slabs slabs; /* of the store and of .passes */
	struct store store;
	struct reflector reflectors[OBJECT_KINDS];
	struct outage outage;
	struct workqueue queue;
	struct strmap passes[OBJECT_KINDS]; /* "namespace/name" -> struct pass; of Apps and Clusters */
	struct pass_common common;
	struct stats stats;
	bool synced;
};

/* The world as the parts see it. */

static int64_t world_now(void *self)
{
	const struct operator *op = self;

	return op->outside->now(op->outside->self);
}

static void *world_request(void *self, const struct request *r)
{
	struct operator *op = self;

	op->stats.requests[r->verb]++;
	return op->outside->request(op->outside->self, r);
}

static void world_cancel(void *self, void *handle)
{
	const struct operator *op = self;

	op->outside->cancel(op->outside->self, handle);
}

static void world_exec(void *self, const struct exec_request *r)
{
	const struct operator *op = self;

	op->outside->exec(op->outside->self, r);
}

static uint32_t world_random(void *self)
{
	const struct operator *op = self;

	return op->outside->random(op->outside->self);
}

/* What a change makes due. */

static void push_soon(struct operator *op, enum object_kind kind, const char *namespace, const char *name)
{
	if (name)
		workqueue_push(&op->queue, kind, namespace, name, world_now(op) + WORK_COALESCE_MS);
}

/* The Apps that a Cluster names: what it wants, what it runs, what it leaves, what it goes to. */
#define NAMED 4

struct named {
	const char *apps[NAMED];
};

static struct named named_by(const struct cluster *c)
{
	const struct cluster_status *status = c ? c->status : NULL;

	return (struct named){ {
		c && c->spec ? c->spec->app : NULL,
		status ? status->app : NULL,
		status && status->upgrade_info ? status->upgrade_info->prev_app : NULL,
		status && status->upgrade_info ? status->upgrade_info->to_app : NULL,
	} };
}

static bool names(const struct named *n, const char *app)
{
	for (size_t i = 0; app && i < NAMED; i++) {
		if (n->apps[i] && !strcmp(n->apps[i], app))
			return true;
	}
	return false;
}

/* An App need only know when a Cluster begins to name it, or no longer does. */
static void push_apps(struct operator *op, const char *namespace, const struct cluster *before,
                      const struct cluster *after)
{
	struct named was = named_by(before), is = named_by(after);

	for (size_t i = 0; i < NAMED; i++) {
		if (!names(&is, was.apps[i]))
			push_soon(op, OBJECT_APP, namespace, was.apps[i]);
		if (!names(&was, is.apps[i]))
			push_soon(op, OBJECT_APP, namespace, is.apps[i]);
	}
}

static void push_users(struct operator *op, const char *namespace, const char *app)
{
	for (const struct store_entry *e = store_group(&op->store, OBJECT_CLUSTER, namespace, ""); e; e = e->next) {
		struct named n = named_by(e->object);

		if (names(&n, app))
			push_soon(op, OBJECT_CLUSTER, namespace, object_id(OBJECT_CLUSTER, e->object).name);
	}
}

/* A setback names its StatefulSet; the Cluster is in the StatefulSet's label. */
static void push_owner(struct operator *op, const char *namespace, const char *set)
{
	const struct statefulset *owner = store_get(&op->store, OBJECT_STATEFULSET, namespace, set);

	if (owner)
		push_soon(op, OBJECT_CLUSTER, namespace, object_id(OBJECT_STATEFULSET, owner).cluster);
}

static void on_change(void *ctx, enum object_kind kind, const void *before, const void *after)
{
	struct operator *op = ctx;
	struct object_id id = object_id(kind, after ? after : before);

	switch (kind) {
	case OBJECT_APP:
		push_soon(op, OBJECT_APP, id.namespace, id.name);
		push_users(op, id.namespace, id.name);
		break;
	case OBJECT_CLUSTER:
		push_soon(op, OBJECT_CLUSTER, id.namespace, id.name);
		push_apps(op, id.namespace, before, after);
		break;
	case OBJECT_STATEFULSET:
	case OBJECT_SERVICE:
	case OBJECT_POD:
		push_soon(op, OBJECT_CLUSTER, id.namespace, id.cluster);
		/* Its label was changed: the Cluster that it left must know as well. */
		if (before && strcmp(object_id(kind, before).cluster, id.cluster) != 0)
			push_soon(op, OBJECT_CLUSTER, id.namespace, object_id(kind, before).cluster);
		break;
	case OBJECT_SETBACK:
		push_owner(op, id.namespace, id.cluster);
		break;
	case OBJECT_KINDS:
		break;
	}
}

/* Life. */

struct operator *operator_new(const struct world *world, const struct operator_options *options)
{
	struct operator *op = mem_new(sizeof(*op));

	op->outside = world;
	op->world = (struct world){ op, world_now, world_request, world_cancel, world_exec, world_random };
	op->namespace = mem_strdup(options->namespace);
	op->instance = mem_strdup(options->instance ? options->instance : "rolecall");
	for (size_t kind = 0; kind < OBJECT_KINDS; kind++)
		op->passes[kind].slabs = &op->slabs;
	store_init(&op->store, &op->slabs, on_change, op);
	for (size_t kind = 0; kind < OBJECT_KINDS; kind++)
		reflector_init(&op->reflectors[kind], &op->world, &op->store, (enum object_kind)kind, op->namespace,
		               &op->outage);
	op->common = (struct pass_common){
		.world = &op->world,
		.store = &op->store,
		.queue = &op->queue,
		.stats = &op->stats,
		.decide_cluster = options->decide_cluster ? options->decide_cluster : decide_cluster,
		.decide_app = options->decide_app ? options->decide_app : decide_app,
		.instance = op->instance,
	};
	return op;
}

static void free_passes(struct strmap *passes)
{
	struct strmap_iter it = { 0 };

	while (strmap_next(passes, &it))
		pass_free(it.value);
	strmap_release(passes);
}

void operator_free(struct operator *op)
{
	if (!op)
		return;
	for (size_t kind = 0; kind < OBJECT_KINDS; kind++) {
		reflector_release(&op->reflectors[kind]);
		free_passes(&op->passes[kind]);
	}
	store_release(&op->store);
	workqueue_release(&op->queue);
	arena_release(&op->common.arena);
	free(op->namespace);
	free(op->instance);
	free(op);
}

/* Work. */

/* Room for the longest namespace and name: 253 bytes each. */
#define KEY_SIZE 512

static void run(struct operator *op, const struct work_item *item)
{
	struct strmap *passes = &op->passes[item->kind];
	char key[KEY_SIZE];

	snprintf(key, sizeof(key), "%s/%s", item->namespace, item->name);

	struct pass *p = strmap_get(passes, key);
	if (!p && !store_get(&op->store, item->kind, item->namespace, item->name))
		return;
	if (!p) {
		p = pass_new(&op->common, item->kind, item->namespace, item->name);
		strmap_set(passes, key, p);
	}
	pass_run(p);
	if (pass_is_over(p))
		pass_free(strmap_remove(passes, key));
}

static void run_due(struct operator *op)
{
	for (int i = 0; i < TICK_PASSES_MAX; i++) {
		struct work_item *item = workqueue_pop(&op->queue, world_now(op));

		if (!item)
			return;
		run(op, item);
		free(item);
	}
}

static bool all_synced(const struct operator *op)
{
	for (size_t kind = 0; kind < OBJECT_KINDS; kind++) {
		/* Setbacks only explain: without the right to see them everything else goes on. */
		if (!op->reflectors[kind].synced && kind != OBJECT_SETBACK)
			return false;
	}
	return true;
}

int64_t operator_tick(struct operator *op)
{
	int64_t next = INT64_MAX;

	if (op->common.stopping)
		return INT64_MAX;
	for (size_t kind = 0; kind < OBJECT_KINDS; kind++) {
		int64_t due = reflector_tick(&op->reflectors[kind]);

		next = due < next ? due : next;
	}
	if (!op->synced && all_synced(op)) {
		op->synced = true;
		log_info("everything was listed", LOG_INT("clusters", (int64_t)store_count(&op->store, OBJECT_CLUSTER)),
		         LOG_INT("pods", (int64_t)store_count(&op->store, OBJECT_POD)));
	}
	/* Of what is half known nothing may be decided: a pod that was not listed yet looks like one that is gone. */
	if (!op->synced)
		return next;
	run_due(op);

	int64_t due = workqueue_next(&op->queue);
	return due < next ? due : next;
}

void operator_give_back(struct operator *op)
{
	arena_release(&op->common.arena);
	arena_release(&op->store.scratch);
}

bool operator_is_synced(const struct operator *op)
{
	return op->synced;
}

void operator_stop(struct operator *op)
{
	op->common.stopping = true;
	for (size_t kind = 0; kind < OBJECT_KINDS; kind++)
		reflector_stop(&op->reflectors[kind]);
}

bool operator_is_quiet(const struct operator *op)
{
	for (size_t kind = 0; kind < OBJECT_KINDS; kind++) {
		struct strmap_iter it = { 0 };

		while (strmap_next(&op->passes[kind], &it)) {
			if (!pass_is_quiet(it.value))
				return false;
		}
	}
	return true;
}

struct stats operator_get_stats(const struct operator *op)
{
	struct stats s = op->stats;

	for (size_t kind = 0; kind < OBJECT_KINDS; kind++)
		s.undecoded += op->reflectors[kind].undecoded;
	return s;
}

void operator_log_stats(const struct operator *op)
{
	struct stats s = operator_get_stats(op);

	log_info("requests", LOG_INT("get", (int64_t)s.requests[VERB_GET]), LOG_INT("list", (int64_t)s.requests[VERB_LIST]),
	         LOG_INT("watch", (int64_t)s.requests[VERB_WATCH]), LOG_INT("create", (int64_t)s.requests[VERB_CREATE]),
	         LOG_INT("update", (int64_t)s.requests[VERB_UPDATE]), LOG_INT("apply", (int64_t)s.requests[VERB_APPLY]),
	         LOG_INT("patch", (int64_t)s.requests[VERB_PATCH]), LOG_INT("delete", (int64_t)s.requests[VERB_DELETE]));
	log_info("work", LOG_INT("passes", (int64_t)s.passes), LOG_INT("statusWrites", (int64_t)s.status_writes),
	         LOG_INT("statusBytes", (int64_t)s.status_bytes), LOG_INT("conflicts", (int64_t)s.conflicts),
	         LOG_INT("execs", (int64_t)s.execs), LOG_INT("failures", (int64_t)s.failures),
	         LOG_INT("eventsLost", (int64_t)s.events_lost), LOG_INT("undecoded", (int64_t)s.undecoded));
}
