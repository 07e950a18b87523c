#include "tests/unit/unit.h"

#include "crd/base/sha256.h"
#include "reconcile/desired/children.h"

#include <string.h>

struct fixture {
	struct arena arena;
	struct draft draft;
};

static struct app_role app_role = { .id = "a", .image_repo_tag = "i:1", .pod_template = "{\"spec\":{\"x\":1}}" };
static struct cluster_role cluster_role = { .id = "a", .pod_template = "{\"spec\":{\"x\":2}}" };
static struct app_spec app_spec = { .roles = &app_role, .roles_count = 1 };
static struct object_meta app_meta = { .name = "v1" };
static const struct app app = { .metadata = &app_meta, .spec = &app_spec };
static struct role_status role = { .id = "a", .stateful_set = "c-a-1" };

static int set_up(void **state)
{
	static struct fixture f;
	static struct object_meta meta = { .name = "c", .namespace = "ns", .uid = "u-1" };
	static struct cluster_spec spec = { .app = "v1", .roles = &cluster_role, .roles_count = 1 };
	static const struct cluster cluster = { .metadata = &meta, .spec = &spec };
	static const struct snapshot snapshot = { .cluster = &cluster };
	static struct cluster_status status = { .cluster_service = "c-1" };

	f = (struct fixture){ .draft = { .s = &snapshot, .status = &status } };
	f.draft.arena = &f.arena;
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_release(&f->arena);
	return 0;
}

static void test_the_cluster_owns_them(void **state)
{
	struct fixture *f = *state;
	struct child_meta *child = desired_service(&f->draft)->metadata;

	assert_int_equal(child->owner_references_count, 1);
	assert_string_equal(child->owner_references[0].uid, "u-1");
	assert_true(child->owner_references[0].controller);
	assert_true(child_is_ours(&f->draft, child));
	child->owner_references[0].uid = "u-2";
	assert_false(child_is_ours(&f->draft, child));
}

/* A handler reaches the other members by name before any of them is Ready. */
static void test_names_resolve_before_members_are_ready(void **state)
{
	struct fixture *f = *state;

	assert_true(desired_service(&f->draft)->spec->publish_not_ready_addresses);
}

static void test_the_clusters_template_goes_over_the_apps(void **state)
{
	struct fixture *f = *state;
	struct desired_set set = desired_statefulset(&f->draft, &app, &role);

	assert_int_equal(set.overlay_count, 3);
	assert_ptr_equal(set.overlays[0], app_role.pod_template);
	assert_ptr_equal(set.overlays[1], cluster_role.pod_template);
}

/* Last, so that no template takes it away. */
static void test_a_member_knows_which_pod_it_is(void **state)
{
	struct fixture *f = *state;
	struct desired_set set = desired_statefulset(&f->draft, &app, &role);
	const char *last = set.overlays[set.overlay_count - 1];

	assert_non_null(strstr(last, "{\"name\":\"ROLECALL_POD_UID\",\"valueFrom\":{\"fieldRef\":"));
	assert_non_null(strstr(last, "\"fieldPath\":\"metadata.uid\""));
}

/* Else an operator that adds something to each member's pod would never apply it. */
static void test_the_mark_covers_what_every_member_gets(void **state)
{
	struct fixture *f = *state;
	struct statefulset *set = desired_statefulset(&f->draft, &app, &role).set;
	const char *mark = set->metadata->annotations->applied, *text;
	char bare[17];

	set->metadata->annotations->applied = NULL;
	text = crd_text(&statefulset_type, set, f->draft.arena);
	text = arena_printf(f->draft.arena, "%s\n%s\n%s", text, app_role.pod_template, cluster_role.pod_template);
	sha256_hex(text, strlen(text), bare, sizeof bare - 1);
	assert_string_not_equal(mark, bare);
	text = crd_text(&statefulset_type, set, f->draft.arena);
	sha256_hex(text, strlen(text), bare, sizeof bare - 1);
	assert_string_not_equal(mark, bare);
}

/* What a template brings into a pod must not keep the operator from reading the StatefulSet that has it. */
static void test_env_without_a_value_can_be_read(void **state)
{
	struct fixture *f = *state;
	const char *text = "{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"s\"},\"spec\":{\"template\":"
			   "{\"spec\":{\"containers\":[{\"name\":\"app\",\"env\":[{\"name\":\"A\",\"valueFrom\":{\"secretKeyRef\":"
			   "{\"name\":\"x\",\"key\":\"y\"}}},{\"name\":\"B\"}]}]}}}}";
	struct statefulset set = { 0 };

	assert_int_equal(crd_decode_text(&statefulset_type, text, strlen(text), &set, f->draft.arena, NULL), 0);
	assert_int_equal(set.spec->template->spec->containers[0].env_count, 2);
}

/* What is applied is compared by this mark only, so every part of a template has to be in it. */
static void test_the_mark_covers_templates(void **state)
{
	struct fixture *f = *state;
	const char *was = desired_statefulset(&f->draft, &app, &role).set->metadata->annotations->applied;
	const char *kept = cluster_role.pod_template, *is;

	cluster_role.pod_template = NULL;
	is = desired_statefulset(&f->draft, &app, &role).set->metadata->annotations->applied;
	cluster_role.pod_template = kept;
	assert_string_not_equal(was, is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_cluster_owns_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names_resolve_before_members_are_ready, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_clusters_template_goes_over_the_apps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_member_knows_which_pod_it_is, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_mark_covers_what_every_member_gets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_env_without_a_value_can_be_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_mark_covers_templates, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
