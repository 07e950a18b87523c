#include "reconcile/desired/configmeta.h"

#include "crd/base/json.h"
#include "crd/codec.h"

#include "tests/unit/unit.h"

#include <string.h>

#define DOMAIN "shop-x.demo.svc.cluster.local"

struct world {
	struct arena arena;
	struct cluster cluster;
	struct app app;
	struct snapshot snapshot;
	struct draft draft;
};

static void decode(struct world *w, const struct crd_type *type, const char *text, void *dst)
{
	struct err err = { .kind = ERR_NONE };
	if (crd_decode_text(type, text, strlen(text), dst, &w->arena, &err) < 0)
		fail_msg("%s", err.msg);
}

static void begin(struct world *w, const char *cluster, const char *app)
{
	*w = (struct world){ .arena = { .chunks = NULL } };
	decode(w, &cluster_type, cluster, &w->cluster);
	decode(w, &app_type, app, &w->app);
	w->snapshot = (struct snapshot){ .cluster = &w->cluster, .app = &w->app };
	draft_begin(&w->draft, &w->snapshot, &w->arena);
}

static const char *document(struct world *w, size_t role, size_t member)
{
	const struct role_status *r = &w->draft.status->roles[role];
	return arena_printf(&w->arena, "%s%s", configmeta_common(&w->draft, &w->app),
	                    configmeta_own(&w->draft, &w->app, r, &r->members[member]));
}

#define CLUSTER                                                                                                         \
	"{\"metadata\":{\"name\":\"shop\",\"namespace\":\"demo\",\"uid\":\"6f0c\"},\"spec\":{\"app\":\"shop-1\",\"roles\":[{\"id\":" \
	"\"front\",\"resources\":{\"limits\":{\"cpu\":\"1500m\",\"memory\":\"2Gi\",\"nvidia.com/gpu\":1}}},{\"id\":\"back\"},"          \
	"{\"id\":\"none\"}]},\"status\":{\"app\":\"shop-1\",\"clusterService\":\"shop-x\",\"roles\":[{\"id\":\"front\",\"members\":["   \
	"{\"pod\":\"f-0\",\"nodeID\":1,\"state\":\"configured\"},{\"pod\":\"f-1\",\"nodeID\":3,\"state\":\"create pending\"},"          \
	"{\"pod\":\"f-2\",\"nodeID\":4,\"state\":\"delete pending\"},{\"pod\":\"f-3\",\"nodeID\":5,\"state\":\"deleting\"}]},"          \
	"{\"id\":\"back\",\"members\":[{\"pod\":\"b-0\",\"nodeID\":2,\"state\":\"config error\"}]},{\"id\":\"none\",\"members\":[]}]}}"

#define APP(meta)                                                                                                      \
	"{\"metadata\":{\"name\":\"shop-1\"},\"spec\":{\"label\":{\"name\":\"Shop\"},\"distroID\":\"acme/shop\",\"version\":"         \
	"\"1.4\",\"configSchemaVersion\":8,\"roles\":[{\"id\":\"front\",\"cardinality\":\"1+\"}],\"config\":{\"selectedRoles\":" \
	"[\"front\"]" meta "}}}"

/* KubeDirector's own form, field by field (its pkg/catalog/configmeta.go). */
static void is_kubedirectors(void **state)
{
	static const char want[] =
		"{\"version\":\"8\",\"services\":{},\"nodegroups\":{\"1\":{\"roles\":{\"front\":{\"services\":{},\"node_ids\":"
		"[\"1\",\"3\"],\"hostnames\":[\"f-0." DOMAIN "\",\"f-1." DOMAIN "\"],\"fqdns\":[\"f-0." DOMAIN
		"\",\"f-1." DOMAIN "\"],\"fqdn_mappings\":{\"f-0." DOMAIN "\":\"1\",\"f-1." DOMAIN
		"\":\"3\"},\"flavor\":{\"storage\":\"n/a\",\"name\":\"n/a\",\"description\":\"n/a\",\"memory\":\"2048\","
		"\"cores\":\"2\"}},\"back\":{\"services\":{},\"node_ids\":[\"2\"],\"hostnames\":[\"b-0." DOMAIN
		"\"],\"fqdns\":[\"b-0." DOMAIN "\"],\"fqdn_mappings\":{\"b-0." DOMAIN
		"\":\"2\"},\"flavor\":{\"storage\":\"n/a\",\"name\":\"n/a\",\"description\":\"n/a\",\"memory\":\"n/a\","
		"\"cores\":\"n/a\"}}},\"distro_id\":\"acme/shop\",\"catalog_entry_version\":\"1.4\",\"config_metadata\":{"
		"\"mode\":\"ha\"}}},\"distros\":{\"acme/shop\":{\"1\":{\"bdvlibrefkey\":[\"nodegroups\",\"1\"]}}},"
		"\"cluster\":{\"name\":\"shop\",\"isolated\":false,\"id\":\"6f0c\",\"config_metadata\":{\"1\":{"
		"\"bdvlibrefkey\":[\"nodegroups\",\"1\",\"config_metadata\"]}}},\"node\":{\"role_id\":\"front\","
		"\"nodegroup_id\":\"1\",\"id\":\"3\",\"hostname\":\"f-1." DOMAIN "\",\"fqdn\":\"f-1." DOMAIN
		"\",\"domain\":\"" DOMAIN "\",\"distro_id\":\"acme/shop\",\"depends_on\":{}},\"connections\":{"
		"\"clusters\":{},\"configmaps\":{},\"secrets\":{}}}\n";
	struct world w;

	(void)state;
	begin(&w, CLUSTER, APP(",\"configMeta\":{\"mode\":\"ha\"}"));
	assert_string_equal(document(&w, 0, 1), want);
	arena_release(&w.arena);
}

static void is_the_same_each_time(void **state)
{
	struct world one, two;

	(void)state;
	begin(&one, CLUSTER, APP(""));
	begin(&two, CLUSTER, APP(""));
	assert_string_equal(document(&one, 1, 0), document(&two, 1, 0));
	assert_non_null(strstr(document(&one, 1, 0), "\"config_metadata\":null"));
	arena_release(&one.arena);
	arena_release(&two.arena);
}

static void the_common_part_is_made_once(void **state)
{
	struct world w;

	(void)state;
	begin(&w, CLUSTER, APP(""));
	assert_ptr_equal(configmeta_common(&w.draft, &w.app), configmeta_common(&w.draft, &w.app));
	struct app other = w.app;
	assert_ptr_not_equal(configmeta_common(&w.draft, &w.app), configmeta_common(&w.draft, &other));
	arena_release(&w.arena);
}

static void nothing_is_an_amount_too(void **state)
{
	struct world w;

	(void)state;
	begin(&w, CLUSTER, APP(""));
	w.cluster.spec->roles[0].resources->limits = "{\"cpu\":\"0\",\"memory\":\"512Ki\"}";
	assert_non_null(strstr(document(&w, 0, 0), "\"memory\":\"0\",\"cores\":\"0\""));
	arena_release(&w.arena);
}

#define MEMBERS 1000
#define NAME "n23456789-123456789-123456789-123456789-123456789-12345678-"

/* The longest that the CRDs allow. */
static void the_largest_cluster_fits(void **state)
{
	struct world w;
	char meta[1024 + 1];

	(void)state;
	begin(&w, CLUSTER, APP(""));
	w.cluster.metadata->namespace = NAME "ns";
	w.draft.status->cluster_service = NAME "svc";
	struct role_status *role = &w.draft.status->roles[0];
	role->members = arena_array(&w.arena, MEMBERS, sizeof(*role->members));
	role->members_count = MEMBERS;
	for (size_t i = 0; i < MEMBERS; i++)
		role->members[i] = (struct member){ .pod = arena_printf(&w.arena, NAME "%zu", i), .node_id = INT64_MAX };
	struct strbuf all = { .arena = &w.arena };
	memset(meta, 1, sizeof(meta) - 1);
	meta[sizeof(meta) - 1] = '\0';
	for (int i = 0; i < 64; i++) {
		strbuf_addf(&all, "%s\"" NAME "%d\":", i ? "," : "{", i);
		strbuf_add_json(&all, meta);
	}
	strbuf_addc(&all, '}');
	w.app.spec->config->config_meta = strbuf_str(&all);

	const char *text = document(&w, 0, 0);
	cleanup_json cJSON *tree = json_parse(text, strlen(text), NULL);
	assert_non_null(tree);
	const cJSON *r = json_get(json_get(json_get(json_get(json_get(tree, "nodegroups"), "1"), "roles"), "front"), "fqdns");
	assert_int_equal(cJSON_GetArraySize(r), MEMBERS);
	assert_in_range(strlen(text), 1 << 20, CONFIGMETA_MAX - (CONFIGMETA_MAX >> 2));
	arena_release(&w.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_kubedirectors),
		cmocka_unit_test(is_the_same_each_time),
		cmocka_unit_test(the_common_part_is_made_once),
		cmocka_unit_test(nothing_is_an_amount_too),
		cmocka_unit_test(the_largest_cluster_fits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
