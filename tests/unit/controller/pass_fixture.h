/*
 * One pass of the Cluster ns/shop in a fake world, with a decision that does as the test says: what the tests of
 * pass.c, execute.c and call.c have in common.
 */
#pragma once

#include "fake_world.h"

#include "controller/log.h"
#include "controller/work/pass.h"
#include "crd/base/json.h"

static struct fake_world w;
static struct store s;
static struct workqueue queue;
static struct stats stats;
static struct pass_common common;
static struct pass *p;

/* What the decision answers, and what it saw when it was asked last. */
static struct {
	const char *app; /* status.app */
	const struct action *actions;
	size_t action_count;
	int64_t requeue_at;
	int calls;
	char version[32];
	size_t pod_count;
	struct exec_report exec;
	size_t exec_count;
	char failure[256];
} decision;

static struct verdict decide(const struct snapshot *snapshot, struct arena *arena)
{
	struct cluster_status *status = arena_alloc(arena, sizeof(*status));

	decision.calls++;
	snprintf(decision.version, sizeof(decision.version), "%s", snapshot->cluster->metadata->resource_version);
	decision.pod_count = snapshot->pod_count;
	decision.exec_count = snapshot->exec_count;
	decision.exec = snapshot->exec_count ? snapshot->execs[0] : (struct exec_report){ 0 };
	decision.failure[0] = '\0';
	if (snapshot->failure_count)
		snprintf(decision.failure, sizeof(decision.failure), "%s: %s", snapshot->failures[0].what,
		         snapshot->failures[0].message);
	status->app = decision.app;
	return (struct verdict){ status, decision.actions, decision.action_count, decision.requeue_at, "trace" };
}

static void make_due(void *ctx, enum object_kind kind, const void *before, const void *after)
{
	(void)ctx, (void)kind, (void)before, (void)after;
	workqueue_push(&queue, OBJECT_CLUSTER, "ns", "shop", w.now + WORK_COALESCE_MS);
}

static void put(enum object_kind kind, const char *text)
{
	cleanup_json cJSON *json = json_parse(text, strlen(text), NULL);

	assert_int_equal(store_put(&s, kind, json, STORE_WATCH, NULL), 0);
}

#define CLUSTER_OF(uid, version, app)                                                                             \
	"{\"apiVersion\":\"rolecall.dev/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{\"namespace\":\"ns\",\"name\":" \
	"\"shop\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\"},\"spec\":{\"app\":\"v1\",\"roles\":[]},"   \
	"\"status\":{\"app\":\"" app "\"}}"
#define CLUSTER(version, app) CLUSTER_OF("uid-1", version, app)
#define POD(name, version)                                                                                       \
	"{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"uid-" name           \
	"\",\"resourceVersion\":\"" version "\",\"labels\":{\"rolecall.dev/cluster\":\"shop\"}}}"

/* Runs what is due now; returns how many decisions that took. */
static int turn(void)
{
	int calls = decision.calls;

	for (struct work_item *item; (item = workqueue_pop(&queue, w.now));) {
		pass_run(p);
		free(item);
	}
	return decision.calls - calls;
}

static inline int turn_after(int64_t ms)
{
	w.now += ms;
	return turn();
}

static inline struct fake_request *status_write(void)
{
	return fake_find(&w, VERB_UPDATE, "/apis/rolecall.dev/v1alpha1/namespaces/ns/clusters/shop/status");
}

static inline struct fake_request *live_read(void)
{
	return fake_find(&w, VERB_GET, "/apis/rolecall.dev/v1alpha1/namespaces/ns/clusters/shop");
}

static int set_up(void **state)
{
	(void)state;
	fake_init(&w);
	store_init(&s, NULL, make_due, NULL);
	stats = (struct stats){ 0 };
	memset(&decision, 0, sizeof(decision));
	decision.app = "v1";
	common = (struct pass_common){
		.world = &w.world,
		.store = &s,
		.queue = &queue,
		.stats = &stats,
		.decide_cluster = decide,
		.instance = "here",
	};
	p = pass_new(&common, OBJECT_CLUSTER, "ns", "shop");
	put(OBJECT_CLUSTER, CLUSTER("10", "v1"));
	put(OBJECT_POD, POD("shop-0", "5"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	pass_free(p);
	for (size_t i = 0; i < w.exec_count; i++) {
		if (w.execs[i].open)
			fake_exec_done(&w.execs[i], 0);
	}
	assert_int_equal(fake_open_count(&w), 0);
	workqueue_release(&queue);
	queue = (struct workqueue){ 0 };
	store_release(&s);
	arena_release(&common.arena);
	fake_release(&w);
	return 0;
}

static const char *const handler[] = { "handle" };
static const struct action exec_action = {
	.kind = ACTION_EXEC,
	.name = "shop-0",
	.exec = { .container = "c1", .id = 7, .attempt = 1, .timeout_s = 60, .argv = handler, .argc = 1 },
};
static const struct service service = { .api_version = "v1", .kind = "Service" };
static const struct action apply_action = {
	.kind = ACTION_APPLY,
	.object = OBJECT_SERVICE,
	.name = "shop",
	.body = &service,
};
static const struct action delete_action = {
	.kind = ACTION_DELETE,
	.object = OBJECT_POD,
	.name = "shop-0",
	.uid = "uid-shop-0",
};
static const struct action event_action = {
	.kind = ACTION_EVENT,
	.reason = "UpgradeStarted",
	.message = "from \"v1\" to v2",
};

static inline void ask_for(const struct action *action)
{
	decision.actions = action;
	decision.action_count = 1;
}

/* Gets an answer of shop-0 into the reports. */
static inline void have_report(void)
{
	ask_for(&exec_action);
	turn_after(WORK_COALESCE_MS);
	decision.action_count = 0;
	fake_exec_done(&w.execs[0], 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
