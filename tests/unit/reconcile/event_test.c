#include "tests/unit/unit.h"

#include "reconcile/member/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS 1000
/* What thousand command lines may take: pointers and short words, and the names of all members a few times at most. */
#define ROOM ((size_t)1 << 20)

struct fixture {
	struct arena arena;
	struct object_meta meta;
	struct cluster cluster;
	struct cluster_status status;
	struct snapshot snapshot;
	struct draft draft;
	struct member members[MEMBERS];
	char names[MEMBERS][64];
	struct role_status role;
};

static const char *command[] = { "/handler" };
static struct handler_exec handler_exec = { .command = command, .command_count = 1 };
static struct handler handler = { .exec = &handler_exec };
static const struct app_role app_role = { .id = "web", .handler = &handler };

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->meta.namespace = "ns";
	f->cluster.metadata = &f->meta;
	f->status.cluster_service = "shop";
	f->snapshot.cluster = &f->cluster;
	f->draft.s = &f->snapshot;
	f->draft.status = &f->status;
	f->draft.arena = &f->arena;
	f->draft.fqdns = arena_alloc(&f->arena, sizeof(*f->draft.fqdns));
	for (int i = 0; i < MEMBERS; i++) {
		snprintf(f->names[i], sizeof(f->names[i]), "a-long-name-for-a-cluster-web-%d", i);
		f->members[i].pod = f->names[i];
	}
	f->role = (struct role_status){ .id = "web", .members = f->members, .members_count = MEMBERS };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_release(&f->arena);
	free(f);
	return 0;
}

static const char *fqdns(struct fixture *f, const struct notification *n)
{
	size_t argc;
	const char *const *argv = event_argv(&f->draft, &app_role, &f->role, n, &argc);

	assert_string_equal(argv[argc - 2], "--fqdns");
	return argv[argc - 1];
}

/* A role of thousand members names all of them to each of them: made thousand times that would be 70 MB. */
static void test_many_receivers_share_the_names(void **state)
{
	static const struct notification n = { .event = EVENT_KIND_ROLE_UPGRADED };
	struct fixture *f = *state;

	for (int i = 0; i < MEMBERS; i++)
		(void)fqdns(f, &n);
	assert_true(f->arena.used < ROOM);
	assert_non_null(strstr(fqdns(f, &n), "-web-999.shop.ns.svc.cluster.local"));
}

/* Shared are only names of the same members. */
static void test_other_lists_are_other_texts(void **state)
{
	static const char *came[] = { "one", "two" }, *went[] = { "six", "ten" };
	const struct notification upgraded = { .event = EVENT_KIND_ROLE_UPGRADED };
	const struct notification add = { .event = EVENT_KIND_ADDNODES, .role = "db", .fqdns = came, .fqdns_count = 2 };
	const struct notification remove = { .event = EVENT_KIND_DELNODES, .role = "db", .fqdns = went, .fqdns_count = 2 };
	struct fixture *f = *state;

	f->role.members = NULL;
	f->role.members_count = 0;
	assert_string_equal(fqdns(f, &upgraded), "");
	f->role.members = f->members;
	assert_string_equal(fqdns(f, &add), "one,two");
	assert_string_equal(fqdns(f, &remove), "six,ten");
	assert_string_equal(fqdns(f, &add), "one,two");
	f->role.members_count = 0;
	assert_string_equal(fqdns(f, &upgraded), "");
	f->role.members_count = 1;
	assert_string_equal(fqdns(f, &upgraded), "a-long-name-for-a-cluster-web-0.shop.ns.svc.cluster.local");
	f->role.members_count = 2;
	assert_string_equal(fqdns(f, &upgraded), "a-long-name-for-a-cluster-web-0.shop.ns.svc.cluster.local,"
	                                         "a-long-name-for-a-cluster-web-1.shop.ns.svc.cluster.local");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_many_receivers_share_the_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_lists_are_other_texts, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
