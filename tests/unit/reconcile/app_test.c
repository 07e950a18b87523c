/* decide_app(): for whom an App must stay. The decisions on Clusters are in tests/cases/. */
#include "tests/unit/unit.h"

#include "reconcile/reconcile.h"

#define FINALIZER "rolecall.dev/in-use"

struct row {
	const char *name;
	const char *spec_app, *status_app, *prev_app, *to_app, *last_from;
	bool uses;
};

/* Whether a cluster uses App v1. */
static const struct row rows[] = {
	{ "that its spec names", "v1", NULL, NULL, NULL, NULL, true },
	{ "that it runs while its spec names another", "v2", "v1", NULL, NULL, NULL, true },
	{ "that its upgrade left", "v2", "v2", "v1", "v2", NULL, true },
	{ "that its rollback leaves", "v0", "v0", "v0", "v1", NULL, true },
	{ "that it has nothing to do with", "v2", "v2", "v0", "v2", NULL, false },
	{ "that it ran before", "v2", "v2", NULL, NULL, "v1", false },
	{ "that a cluster without a status does not name", "v2", NULL, NULL, NULL, NULL, false },
};

static struct verdict decide(const struct app *app, const struct cluster *const *clusters, size_t count, struct arena *a)
{
	struct app_snapshot s = { .now = 1000, .app = app, .clusters = clusters, .cluster_count = count };
	return decide_app(&s, a);
}

static void test_uses(void **state)
{
	const struct row *row = *state;
	cleanup_arena struct arena a = { .chunks = NULL };
	struct object_meta meta = { .name = "v1", .resource_version = "4", .generation = 2 };
	struct app app = { .metadata = &meta };
	struct object_meta name = { .name = "shop" };
	struct cluster_spec spec = { .app = row->spec_app };
	struct upgrade_info info = { .prev_app = row->prev_app, .to_app = row->to_app };
	struct plan last = { .from_app = row->last_from };
	struct cluster_status status = { .app = row->status_app, .upgrade_info = row->prev_app ? &info : NULL,
	                                 .last_plans = &last, .last_plans_count = row->last_from ? 1 : 0 };
	struct cluster cluster = { .metadata = &name, .spec = &spec, .status = row->status_app ? &status : NULL };
	const struct cluster *clusters[] = { &cluster };

	struct verdict v = decide(&app, clusters, 1, &a);
	const struct app_status *st = v.status;
	assert_int_equal(st->observed_generation, 2);
	assert_int_equal(st->used_by_count, row->uses);
	if (row->uses)
		assert_string_equal(st->used_by[0], "shop");
}

static void test_users_are_sorted(void **state)
{
	cleanup_arena struct arena a = { .chunks = NULL };
	struct object_meta meta = { .name = "v1" }, names[] = { { .name = "c" }, { .name = "a" }, { .name = "b" } };
	struct app app = { .metadata = &meta };
	struct cluster_spec spec = { .app = "v1" };
	struct cluster clusters[3];
	const struct cluster *list[3];
	for (size_t i = 0; i < 3; i++) {
		clusters[i] = (struct cluster){ .metadata = &names[i], .spec = &spec };
		list[i] = &clusters[i];
	}

	(void)state;
	const struct app_status *st = decide(&app, list, 3, &a).status;
	assert_int_equal(st->used_by_count, 3);
	assert_string_equal(st->used_by[0], "a");
	assert_string_equal(st->used_by[1], "b");
	assert_string_equal(st->used_by[2], "c");
}

struct finalizer_row {
	const char *name;
	const char *had[3];
	bool used, leaving;
	const char *patch; /* NULL: none */
};

static const struct finalizer_row finalizers[] = {
	{ "comes with the first user", { NULL }, true, false,
	  "{\"metadata\":{\"resourceVersion\":\"4\",\"finalizers\":[\"" FINALIZER "\"]}}" },
	{ "comes beside others'", { "x/y", NULL }, true, false,
	  "{\"metadata\":{\"resourceVersion\":\"4\",\"finalizers\":[\"x/y\",\"" FINALIZER "\"]}}" },
	{ "stays while there is a user", { FINALIZER, NULL }, true, false, NULL },
	{ "goes with the last user, others' stay", { FINALIZER, "x/y", NULL }, false, false,
	  "{\"metadata\":{\"resourceVersion\":\"4\",\"finalizers\":[\"x/y\"]}}" },
	{ "goes from an App that is being deleted", { FINALIZER, "x/y", NULL }, false, true,
	  "{\"metadata\":{\"resourceVersion\":\"4\",\"finalizers\":[\"x/y\"]}}" },
	{ "does not come to an App that is being deleted", { NULL }, true, true, NULL },
	{ "is not there and not needed", { "x/y", NULL }, false, false, NULL },
};

static void test_finalizer(void **state)
{
	const struct finalizer_row *row = *state;
	cleanup_arena struct arena a = { .chunks = NULL };
	const char *had[3];
	size_t count = 0;
	for (; count < 3 && row->had[count]; count++)
		had[count] = row->had[count];
	const char *user = "shop";
	struct object_meta meta = { .name = "v1", .resource_version = "4", .finalizers = had, .finalizers_count = count,
	                            .deletion_timestamp = row->leaving ? 1000 : 0 };
	struct app_status status = { .used_by = row->used ? &user : NULL, .used_by_count = row->used };
	struct app app = { .metadata = &meta, .status = &status };
	struct object_meta name = { .name = "shop" };
	struct cluster_spec spec = { .app = "v1" };
	struct cluster cluster = { .metadata = &name, .spec = &spec };
	const struct cluster *clusters[] = { &cluster };

	struct verdict v = decide(&app, clusters, row->used, &a);
	assert_int_equal(v.requeue_at, 0);
	assert_int_equal(v.action_count, row->patch != NULL);
	if (!row->patch)
		return;
	assert_int_equal(v.actions[0].kind, ACTION_PATCH);
	assert_string_equal(v.actions[0].resource_version, "4");
	assert_string_equal(v.actions[0].patch, row->patch);
}

/* The hold must be in status, where the admission policy reads it, before anything else is done. */
static void test_status_comes_first(void **state)
{
	cleanup_arena struct arena a = { .chunks = NULL };
	struct object_meta meta = { .name = "v1", .resource_version = "4" }, name = { .name = "shop" };
	struct app app = { .metadata = &meta };
	struct cluster_spec spec = { .app = "v1" };
	struct cluster cluster = { .metadata = &name, .spec = &spec };
	const struct cluster *clusters[] = { &cluster };

	(void)state;
	struct verdict v = decide(&app, clusters, 1, &a);
	assert_int_equal(v.action_count, 0);
	assert_int_equal(v.requeue_at, 1000);
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + UNIT_COUNT(finalizers) + 2];
	UNIT_ROWS(tests, rows, test_uses);
	UNIT_ROWS(tests + UNIT_COUNT(rows), finalizers, test_finalizer);
	tests[UNIT_COUNT(rows) + UNIT_COUNT(finalizers)] = (struct CMUnitTest)cmocka_unit_test(test_users_are_sorted);
	tests[UNIT_COUNT(rows) + UNIT_COUNT(finalizers) + 1] = (struct CMUnitTest)cmocka_unit_test(test_status_comes_first);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
