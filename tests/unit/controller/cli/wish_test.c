#include "cluster_yaml.h"
#include "controller/cli/wish.h"

struct row {
	const char *name;
	const char *cluster, *more; /* MORE is laid under the Cluster's YAML */
	struct wish wish;
	enum exit_code code;
	const char *text, *patch; /* patch NULL: nothing is to be sent */
	bool later;
};

#define MEMBER_OF(c, m) .command = COMMAND_##c, .member = m
#define CLUSTER_OF(c) .command = COMMAND_##c
#define META "metadata: {name: shop, resourceVersion: '42'"
#define SPEC "spec: {app: shop-v2, roles: [{id: db, members: 1}]"
#define DB "roles: [{id: db, members: [{pod: db-0, state: configured, stateDetail: {downReason: no pod, " \
	   "pendingNotifyCmds: [{id: 8, event: pod_upgraded}]}}]}]"
#define FAILED "roles: [{id: db, members: [{pod: db-0, state: configured, stateDetail: {" \
	       "pendingNotifyCmds: [{id: 8, event: pod_upgraded, attempts: 3, attemptsForgiven: 2}]}}]}]"
#define PATCH_ANNOTATION(version, key, value) \
	"{\"metadata\":{\"resourceVersion\":\"" version "\",\"annotations\":{\"rolecall.dev/" key "\":" value "}}}"

static const struct row rows[] = {
	{ "retry", CLUSTER_UPGRADE, "", { MEMBER_OF(RETRY, "shop-db-9c8d7-1") }, EXIT_OK,
	  "shop: retry of shop-db-9c8d7-1 asked for", PATCH_ANNOTATION("42", "retry", "\"shop-db-9c8d7-1\""), false },
	{ "retry of one that is tried again later", META "}\n" SPEC "}\n", "status: {" FAILED "}", { MEMBER_OF(RETRY, "db-0") },
	  EXIT_OK, "shop: retry of db-0 asked for", PATCH_ANNOTATION("42", "retry", "\"db-0\""), false },
	{ "retry of a member that is none", CLUSTER_UPGRADE, "", { MEMBER_OF(RETRY, "shop-db-9c8d7-2") }, EXIT_NOT_FOUND,
	  "shop has no member shop-db-9c8d7-2: did you mean shop-db-9c8d7-0? There are: shop-front-1a2b3-0, "
	  "shop-front-1a2b3-1, shop-db-9c8d7-0, shop-db-9c8d7-1", NULL, false },
	{ "retry where there are no members", CLUSTER_NEW, "", { MEMBER_OF(RETRY, "a") }, EXIT_NOT_FOUND,
	  "new has no member a, nor any other yet", NULL, false },
	{ "retry of nothing", CLUSTER_QUIET, "", { MEMBER_OF(RETRY, "cart-front-1a2b3-0") }, EXIT_REFUSED,
	  "the queue of cart-front-1a2b3-0 is empty: there is nothing to retry", NULL, false },
	{ "retry of what has not failed", META "}\n" SPEC "}\n", "status: {" DB "}", { MEMBER_OF(RETRY, "db-0") }, EXIT_REFUSED,
	  "db-0 has failed at nothing: 8 pod_upgraded is delivered as soon as it can hear it (down: no pod)", NULL, false },
	{ "retry that was asked for", META ", annotations: {rolecall.dev/retry: db-0}}\n" SPEC "}\n", "status: {" FAILED "}",
	  { MEMBER_OF(RETRY, "db-0") }, EXIT_OK, "shop: retry of db-0 asked for already", NULL, false },
	{ "retry behind another", META ", annotations: {rolecall.dev/retry: db-1}}\n" SPEC "}\n", "status: {" FAILED "}",
	  { MEMBER_OF(RETRY, "db-0") }, EXIT_TIMEOUT,
	  "shop: an earlier retry (db-1) has not been acted on: does an operator run, and is the Cluster not paused?", NULL, true },
	{ "retry while the same is being cleared away", META "}\n" SPEC "}\n",
	  "status: {handledCommands: [rolecall.dev/retry=db-0], " FAILED "}", { MEMBER_OF(RETRY, "db-0") }, EXIT_TIMEOUT,
	  "shop: an earlier retry (its note) has not been acted on: does an operator run, and is the Cluster not paused?", NULL,
	  true },
	{ "another command that is being cleared away is in nobody's way", META "}\n" SPEC "}\n",
	  "status: {handledCommands: [rolecall.dev/retry-not=db-0], " FAILED "}", { MEMBER_OF(RETRY, "db-0") }, EXIT_OK,
	  "shop: retry of db-0 asked for", PATCH_ANNOTATION("42", "retry", "\"db-0\""), false },
	{ "retry in a paused Cluster", META ", annotations: {rolecall.dev/paused: 'true'}}\n" SPEC "}\n", "status: {" FAILED "}",
	  { MEMBER_OF(RETRY, "db-0") }, EXIT_OK,
	  "shop: retry of db-0 asked for; the Cluster is paused, so nothing happens before it is resumed",
	  PATCH_ANNOTATION("42", "retry", "\"db-0\""), false },
	{ "retry in a Cluster that is being deleted", META ", deletionTimestamp: '2026-01-01T00:00:00Z'}\n" SPEC "}\n", "",
	  { MEMBER_OF(RETRY, "db-0") }, EXIT_REFUSED, "shop is being deleted", NULL, false },

	{ "skip", CLUSTER_UPGRADE, "", { MEMBER_OF(SKIP, "shop-db-9c8d7-1"), .id = 10 }, EXIT_OK,
	  "shop: skip of shop-db-9c8d7-1/10 asked for", PATCH_ANNOTATION("42", "skip-notify", "\"shop-db-9c8d7-1/10\""), false },
	{ "skip without an id", CLUSTER_UPGRADE, "", { MEMBER_OF(SKIP, "shop-db-9c8d7-1") }, EXIT_USAGE,
	  "which one? The queue of shop-db-9c8d7-1: 8 pod_upgraded, 10 cluster_upgraded", NULL, false },
	{ "skip of an id that is none", CLUSTER_UPGRADE, "", { MEMBER_OF(SKIP, "shop-db-9c8d7-1"), .id = 9 }, EXIT_NOT_FOUND,
	  "the queue of shop-db-9c8d7-1 has no 9; it has: 8 pod_upgraded, 10 cluster_upgraded", NULL, false },
	{ "skip in an empty queue", CLUSTER_QUIET, "", { MEMBER_OF(SKIP, "cart-front-1a2b3-0"), .id = 9 }, EXIT_NOT_FOUND,
	  "the queue of cart-front-1a2b3-0 is empty: there is nothing to skip", NULL, false },
	{ "skip of configure", CLUSTER_UPGRADE, "", { MEMBER_OF(SKIP, "shop-front-1a2b3-1"), .id = 11 }, EXIT_REFUSED,
	  "configure cannot be skipped: without its set-up shop-front-1a2b3-1 can digest nothing else. Mend what keeps it from "
	  "being configured and \"rolecall retry shop shop-front-1a2b3-1\", or go on without it: \"rolecall give-up shop "
	  "shop-front-1a2b3-1\"", NULL, false },

	{ "give-up", CLUSTER_UPGRADE, "", { MEMBER_OF(GIVE_UP, "shop-front-1a2b3-1") }, EXIT_OK,
	  "shop: give-up of shop-front-1a2b3-1 asked for", PATCH_ANNOTATION("42", "give-up", "\"shop-front-1a2b3-1\""), false },
	{ "give-up twice", CLUSTER_UPGRADE, "", { MEMBER_OF(GIVE_UP, "shop-db-9c8d7-0") }, EXIT_OK,
	  "shop: shop-db-9c8d7-0 has been given up already", NULL, false },

	{ "pause", CLUSTER_UPGRADE, "", { CLUSTER_OF(PAUSE) }, EXIT_OK, "shop: paused",
	  PATCH_ANNOTATION("42", "paused", "\"true\""), false },
	{ "pause twice", META ", annotations: {rolecall.dev/paused: 'true'}}\n" SPEC "}\n", "", { CLUSTER_OF(PAUSE) }, EXIT_OK,
	  "shop: paused already", NULL, false },
	{ "pause where the annotation says something else", META ", annotations: {rolecall.dev/paused: 'no'}}\n" SPEC "}\n", "",
	  { CLUSTER_OF(PAUSE) }, EXIT_OK, "shop: paused", PATCH_ANNOTATION("42", "paused", "\"true\""), false },
	{ "resume", META ", annotations: {rolecall.dev/paused: 'true'}}\n" SPEC "}\n", "", { CLUSTER_OF(RESUME) }, EXIT_OK,
	  "shop: resumed", PATCH_ANNOTATION("42", "paused", "null"), false },
	{ "resume of what is not paused", CLUSTER_UPGRADE, "", { CLUSTER_OF(RESUME) }, EXIT_OK, "shop: not paused", NULL, false },
	{ "resume with a paused upgrade", META ", annotations: {rolecall.dev/paused: 'true'}}\n" SPEC ", upgrade: {paused: true}}\n",
	  "", { CLUSTER_OF(RESUME) }, EXIT_OK,
	  "shop: resumed; the replacement of members stays paused: \"rolecall resume shop --upgrade\"",
	  PATCH_ANNOTATION("42", "paused", "null"), false },
	{ "pause of an upgrade", CLUSTER_UPGRADE, "", { CLUSTER_OF(PAUSE), .upgrade = true }, EXIT_OK,
	  "shop: the replacement of members is paused",
	  "{\"metadata\":{\"resourceVersion\":\"42\"},\"spec\":{\"upgrade\":{\"paused\":true}}}", false },
	{ "pause of an upgrade twice", META "}\n" SPEC ", upgrade: {paused: true}}\n", "",
	  { CLUSTER_OF(PAUSE), .upgrade = true }, EXIT_OK, "shop: the replacement of members is paused already", NULL, false },
	{ "resume of an upgrade", META "}\n" SPEC ", upgrade: {paused: true}}\n", "", { CLUSTER_OF(RESUME), .upgrade = true },
	  EXIT_OK, "shop: the replacement of members is resumed",
	  "{\"metadata\":{\"resourceVersion\":\"42\"},\"spec\":{\"upgrade\":{\"paused\":false}}}", false },

	{ "rollback", CLUSTER_UPGRADE, "", { CLUSTER_OF(ROLLBACK) }, EXIT_OK,
	  "shop: spec.app goes back from shop-v2 to shop-v1; follow it with \"rolecall get shop --watch\"",
	  "{\"metadata\":{\"resourceVersion\":\"42\"},\"spec\":{\"app\":\"shop-v1\"}}", false },
	{ "rollback without an upgrade", CLUSTER_QUIET, "", { CLUSTER_OF(ROLLBACK) }, EXIT_REFUSED,
	  "cart: no upgrade is in progress, so there is nothing to go back from; it runs App shop-v1. To move it to another App, "
	  "edit spec.app: kubectl edit rcl cart", NULL, false },
	{ "rollback of a rollback", META "}\n" SPEC "}\n",
	  "status: {app: shop-v1, upgradeInfo: {prevApp: shop-v1, toApp: shop-v2, isRollingBack: true}}", { CLUSTER_OF(ROLLBACK) },
	  EXIT_REFUSED,
	  "shop is on its way back to shop-v1 already, and that cannot be turned round; follow it with \"rolecall get shop "
	  "--watch\"", NULL, false },
	{ "rollback that the operator has not seen", META "}\n" SPEC "}\n",
	  "status: {app: shop-v3, upgradeInfo: {prevApp: shop-v2, toApp: shop-v3}}", { CLUSTER_OF(ROLLBACK) }, EXIT_OK,
	  "shop: spec.app is shop-v2 already; the operator has yet to turn round", NULL, false },
	{ "rollback of what was not begun", META "}\n" SPEC "}\n", "status: {app: shop-v1}", { CLUSTER_OF(ROLLBACK) }, EXIT_OK,
	  "shop: spec.app goes back from shop-v2 to shop-v1; follow it with \"rolecall get shop --watch\"",
	  "{\"metadata\":{\"resourceVersion\":\"42\"},\"spec\":{\"app\":\"shop-v1\"}}", false },
	{ "rollback of a new one", CLUSTER_NEW, "", { CLUSTER_OF(ROLLBACK) }, EXIT_REFUSED,
	  "new: no upgrade is in progress, so there is nothing to go back from; it runs App shop-v1. To move it to another App, "
	  "edit spec.app: kubectl edit rcl new", NULL, false },
};

/* After the patch: what came of it. */
static const struct row outcome_rows[] = {
	{ "not yet", META ", annotations: {rolecall.dev/retry: db-0}}\n" SPEC "}\n", "status: {" DB "}",
	  { MEMBER_OF(RETRY, "db-0") }, EXIT_TIMEOUT,
	  "shop: retry of db-0 was not acted on in time: does an operator run, and is the Cluster not paused? It stays asked for",
	  NULL, true },
	{ "acted on", META "}\n" SPEC "}\n", "status: {" DB "}", { MEMBER_OF(RETRY, "db-0") }, EXIT_OK,
	  "shop: the operator has acted on the retry of db-0", NULL, false },
	{ "acted on, and another one waits", META ", annotations: {rolecall.dev/retry: db-1}}\n" SPEC "}\n", "status: {" DB "}",
	  { MEMBER_OF(RETRY, "db-0") }, EXIT_OK, "shop: the operator has acted on the retry of db-0", NULL, false },
	{ "skipped", META "}\n" SPEC "}\n", "status: {" DB "}", { MEMBER_OF(SKIP, "db-0"), .id = 7 }, EXIT_OK,
	  "shop: the operator has acted on the skip of db-0/7", NULL, false },
	{ "not skipped", META "}\n" SPEC "}\n", "status: {" DB "}", { MEMBER_OF(SKIP, "db-0"), .id = 8 }, EXIT_REFUSED,
	  "shop: the operator refused to skip db-0/8; why: kubectl get events --field-selector reason=CommandRefused", NULL, false },
	{ "the member has gone", META "}\n" SPEC "}\n", "", { MEMBER_OF(SKIP, "db-0"), .id = 8 }, EXIT_OK,
	  "shop: the operator has acted on the skip of db-0/8", NULL, false },
};

static void check(const struct row *row,
                  struct wish_answer (*judge)(const struct wish *w, const struct cluster *c, struct arena *a))
{
	cleanup_arena struct arena a = { 0 };
	struct cluster c = cluster_read(&a, arena_printf(&a, "%s%s", row->cluster, row->more));
	struct wish w = row->wish;

	w.program = "rolecall";
	struct wish_answer got = judge(&w, &c, &a);
	assert_string_equal(got.text, row->text);
	assert_int_equal(got.code, row->code);
	assert_int_equal(got.later, row->later);
	assert_string_equal(got.patch ? got.patch : "", row->patch ? row->patch : "");
}

static void test_judge(void **state)
{
	check(*state, wish_judge);
}

static void test_outcome(void **state)
{
	check(*state, wish_outcome);
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows)], outcomes[UNIT_COUNT(outcome_rows)];

	UNIT_ROWS(tests, rows, test_judge);
	UNIT_ROWS(outcomes, outcome_rows, test_outcome);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	return failed + cmocka_run_group_tests(outcomes, NULL, NULL);
}
