#include "tests/unit/unit.h"

#include "crd/base/json.h"
#include "crd/gen/types.h"

#include <stdlib.h>
#include <string.h>

struct error_row {
	const char *name;
	const struct crd_type *type;
	const char *text;
	const char *message;
};

static const struct error_row errors[] = {
	{ "not an object", &cluster_type, "[]", ".: expected an object" },
	{ "required and missing", &cluster_type, "{}", "spec: required, but missing" },
	{ "required and null", &cluster_type, "{\"spec\":null}", "spec: required, but missing" },
	{ "required, deeper", &cluster_type, "{\"spec\":{\"app\":\"a\",\"roles\":[{\"id\":\"w\"},{}]}}",
	  "spec.roles[1].id: required, but missing" },
	{ "object expected", &cluster_spec_type, "{\"app\":\"a\",\"roles\":[{\"id\":\"w\",\"resources\":1}]}",
	  "roles[0].resources: expected an object" },
	{ "list expected", &cluster_spec_type, "{\"app\":\"a\",\"roles\":{}}", "roles: expected a list" },
	{ "object in a list expected", &cluster_spec_type, "{\"app\":\"a\",\"roles\":[null]}", "roles[0]: expected an object" },
	{ "string expected", &cluster_spec_type, "{\"app\":1,\"roles\":[]}", "app: expected a string" },
	{ "string in a list expected", &app_config_type, "{\"selectedRoles\":[\"a\",null]}",
	  "selectedRoles[1]: expected a string" },
	{ "string in a map expected", &object_meta_type, "{\"annotations\":{\"a/b\":true}}",
	  "annotations.a/b: expected a string" },
	{ "map expected", &object_meta_type, "{\"annotations\":[]}", "annotations: expected an object" },
	{ "unknown word", &cluster_status_type, "{\"state\":\"exploded\"}", "state: unknown word \"exploded\"" },
	{ "empty word", &cluster_status_type, "{\"state\":\"\"}", "state: unknown word \"\"" },
	{ "word in another case", &cluster_status_type, "{\"state\":\"Configured\"}", "state: unknown word \"Configured\"" },
	{ "word that is no string", &cluster_status_type, "{\"state\":3}", "state: expected a string" },
	{ "no time", &upgrade_info_type, "{\"startedAt\":\"yesterday\"}", "startedAt: expected an RFC 3339 time" },
	{ "time that is no string", &upgrade_info_type, "{\"startedAt\":0}", "startedAt: expected an RFC 3339 time" },
	{ "boolean expected", &upgrade_info_type, "{\"isRollingBack\":\"true\"}", "isRollingBack: expected true or false" },
	{ "integer as text", &plan_type, "{\"id\":\"7\"}", "id: expected an integer within 2^53" },
	{ "fraction", &plan_type, "{\"id\":7.5}", "id: expected an integer within 2^53" },
	{ "beyond 2^53", &plan_type, "{\"id\":9007199254740994}", "id: expected an integer within 2^53" },
	{ "beyond any integer", &plan_type, "{\"id\":1e300}", "id: expected an integer within 2^53" },
	{ "infinite", &plan_type, "{\"id\":-1e999}", "id: expected an integer within 2^53" },
	{ "broken JSON", &plan_type, "{\"id\":", "not JSON: error at byte" },
	{ "deep path", &cluster_status_type,
	  "{\"roles\":[{\"id\":\"a\",\"members\":[{\"pod\":\"p\",\"stateDetail\":{\"pendingNotifyCmds\":[{\"id\":1,"
	  "\"event\":\"configure\"},{\"id\":2,\"event\":\"reconfigure\"}]}}]}]}",
	  "roles[0].members[0].stateDetail.pendingNotifyCmds[1].event: unknown word \"reconfigure\"" },
};

static void is_refused(void **state)
{
	const struct error_row *row = *state;
	cleanup_arena struct arena a = { 0 };
	struct err err = { 0 };
	void *dst = arena_alloc(&a, row->type->size);
	assert_int_equal(crd_decode_text(row->type, row->text, strlen(row->text), dst, &a, &err), -1);
	assert_int_equal(err.kind, ERR_INVALID);
	if (strncmp(err.msg, row->message, strlen(row->message)) != 0)
		fail_msg("\"%s\" instead of \"%s\"", err.msg, row->message);
}

struct text_row {
	const char *name;
	const struct crd_type *type;
	const char *in;
	const char *out; /* decoded and encoded again; NULL: as it came in */
};

static const struct text_row texts[] = {
	{ "unknown fields are passed over", &local_ref_type, "{\"x\":{},\"name\":\"a\",\"Name\":1}", "{\"name\":\"a\"}" },
	{ "null is absent", &cluster_role_type, "{\"id\":\"w\",\"members\":null,\"env\":null}", "{\"id\":\"w\"}" },
	{ "zero with a presence flag", &cluster_role_type, "{\"id\":\"w\",\"members\":0}", NULL },
	{ "zero without", &plan_type, "{\"id\":0,\"kind\":\"create\"}", "{\"kind\":\"create\"}" },
	{ "false is absent", &upgrade_info_type, "{\"prevApp\":\"a\",\"isRollingBack\":false}", "{\"prevApp\":\"a\"}" },
	{ "required zero is written", &notification_type, "{\"event\":\"configure\",\"id\":0}",
	  "{\"id\":0,\"event\":\"configure\"}" },
	{ "empty text is not absent", &env_var_type, "{\"name\":\"A\",\"value\":\"\"}", NULL },
	{ "empty list is not absent", &app_role_type, "{\"id\":\"w\",\"cardinality\":\"1\",\"eventList\":[]}", NULL },
	{ "empty object is not absent", &container_run_type, "{\"running\":{}}", NULL },
	{ "empty map is not absent", &object_meta_type, "{\"annotations\":{}}", NULL },
	{ "the order is the schema's", &queue_entry_type, "{\"event\":\"configure\",\"id\":1}", "{\"id\":1,\"event\":\"configure\"}" },
	{ "largest integers", &plan_type, "{\"id\":9007199254740992,\"warningsDropped\":-9007199254740992}", NULL },
	{ "key with a domain", &child_labels_type, "{\"rolecall.dev/hash\":\"12\"}", NULL },
	{ "raw is kept compact", &resources_type, "{\"limits\": {\"cpu\" : 1, \"memory\": \"1Gi\", \"x\": [ 1.50, null ]}}",
	  "{\"limits\":{\"cpu\":1,\"memory\":\"1Gi\",\"x\":[1.5,null]}}" },
	{ "time with milliseconds", &upgrade_info_type, "{\"startedAt\":\"2026-11-30T22:36:32.120+00:00\"}",
	  "{\"startedAt\":\"2026-11-30T22:36:32.120Z\"}" },
	{ "time of six digits", &event_type, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"eventTime\":\"2026-11-30T22:36:32Z\"}",
	  "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"eventTime\":\"2026-11-30T22:36:32.000000Z\"}" },
	{ "event words stay text in a list", &app_role_type,
	  "{\"id\":\"w\",\"cardinality\":\"3+\",\"eventList\":[\"configure\",\"addnodes\"]}", NULL },
};

static void is_written_again(void **state)
{
	const struct text_row *row = *state;
	cleanup_arena struct arena a = { 0 };
	struct err err = { 0 };
	void *dst = arena_alloc(&a, row->type->size);
	if (crd_decode_text(row->type, row->in, strlen(row->in), dst, &a, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(crd_text(row->type, dst, &a), row->out ? row->out : row->in);
}

static void absent_but_required_is_written_empty(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	assert_string_equal(crd_text(&cluster_spec_type, &(struct cluster_spec){ 0 }, &a), "{\"app\":\"\",\"roles\":[]}");
	assert_string_equal(crd_text(&cluster_type, &(struct cluster){ 0 }, &a), "{\"spec\":{}}");
	assert_string_equal(crd_text(&plan_step_type, &(struct plan_step){ .name = "x" }, &a), "{\"name\":\"x\",\"status\":\"\"}");
}

static void decoded_values_outlive_the_tree(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	static const char text[] = "{\"metadata\":{\"name\":\"web\",\"annotations\":{\"k\":\"v\"},\"finalizers\":[\"f\"]},"
				   "\"spec\":{\"app\":\"a\",\"roles\":[{\"id\":\"w\",\"podTemplate\":{\"x\":1}}]}}";
	cJSON *tree = json_parse(text, sizeof(text) - 1, NULL);
	struct cluster c = { 0 };
	assert_int_equal(crd_decode(&cluster_type, tree, &c, &a, NULL), 0);
	cJSON_Delete(tree);
	assert_string_equal(c.metadata->name, "web");
	assert_string_equal(c.metadata->annotations[0].key, "k");
	assert_string_equal(c.metadata->annotations[0].value, "v");
	assert_string_equal(c.metadata->finalizers[0], "f");
	assert_int_equal(c.spec->roles_count, 1);
	assert_string_equal(c.spec->roles[0].pod_template, "{\"x\":1}");
	assert_false(c.spec->roles[0].has_members);
	assert_null(c.status);
}

static void a_pack_is_one_block(void **state)
{
	(void)state;
	struct local_ref secrets[] = { { "first" }, { "second" } };
	struct cluster_spec spec = { .app = "a", .image_pull_secrets = secrets, .image_pull_secrets_count = 2 };
	size_t size;
	struct cluster_spec *pack = crd_pack(&cluster_spec_type, &spec, NULL, &size);
	uintptr_t begin = (uintptr_t)pack, end = begin + size;
	assert_true((uintptr_t)pack->app > begin && (uintptr_t)pack->app < end);
	assert_true((uintptr_t)pack->image_pull_secrets[1].name + sizeof("second") <= end);
	assert_true(size <= sizeof(spec) + sizeof(secrets) + sizeof("a") + sizeof("first") + sizeof("second") + 8);
	free(pack);
	free(crd_pack(&cluster_spec_type, &spec, NULL, NULL));
}

static void a_copy_may_be_changed(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	struct upgrade_info info = { .prev_app = "a" };
	struct cluster_status status = { .upgrade_info = &info };
	struct cluster_status *copy = crd_copy(&cluster_status_type, &status, &a);
	assert_true(crd_equal(&cluster_status_type, &status, copy));
	copy->upgrade_info->is_rolling_back = true;
	assert_false(info.is_rolling_back);
	assert_false(crd_equal(&cluster_status_type, &status, copy));
}

static void enums_have_words(void **state)
{
	(void)state;
	assert_null(plan_kind_text(PLAN_KIND_NONE));
	assert_string_equal(plan_kind_text(PLAN_KIND_UPGRADE), "upgrade");
	assert_null(plan_kind_text((enum plan_kind)99));
	assert_int_equal(member_state_parse("config error"), MEMBER_STATE_CONFIG_ERROR);
	assert_int_equal(member_state_parse("bliss"), MEMBER_STATE_NONE);
	assert_int_equal(member_state_parse(NULL), MEMBER_STATE_NONE);
	assert_string_equal(truth_text(truth_parse("Unknown")), "Unknown");
}

int main(void)
{
	struct CMUnitTest refusing[UNIT_COUNT(errors)], writing[UNIT_COUNT(texts)];
	UNIT_ROWS(refusing, errors, is_refused);
	UNIT_ROWS(writing, texts, is_written_again);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_but_required_is_written_empty),
		cmocka_unit_test(decoded_values_outlive_the_tree),
		cmocka_unit_test(a_pack_is_one_block),
		cmocka_unit_test(a_copy_may_be_changed),
		cmocka_unit_test(enums_have_words),
	};
	int failed = cmocka_run_group_tests(refusing, NULL, NULL);
	failed += cmocka_run_group_tests(writing, NULL, NULL);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
