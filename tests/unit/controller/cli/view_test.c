#include "cluster_yaml.h"
#include "controller/cli/view.h"

enum what { LIST, TREE, QUEUES };

struct row {
	const char *name;
	enum what what;
	const char *clusters[3];
	struct style style;
	bool namespaces;
	const char *member;
	const char *want;
};

static const struct row rows[] = {
	{ "list", LIST, { CLUSTER_QUIET, CLUSTER_UPGRADE, CLUSTER_NEW }, { 0 }, false, NULL,
	  "NAME  APP      STATE       READY  PENDING  UPGRADE       AGE\n"
	  "cart  shop-v1  configured  1/1    0        -             24h\n"
	  "shop  shop-v2  updating    2/4    5        from shop-v1  2d\n"
	  "new   -        -           -      -        -             45s\n" },
	{ "list, wide and with namespaces", LIST, { CLUSTER_UPGRADE }, { .wide = true, .width = 40 }, true, NULL,
	  "NAMESPACE  NAME  APP      STATE     READY  PENDING  UPGRADE       AGE  PLAN             MESSAGE\n"
	  "default    shop  shop-v2  updating  2/4    5        from shop-v1  2d   upgrade Stalled  upgrade: waiting for shop-db-9c8d7-1\n" },
	{ "list, 40 columns", LIST, { CLUSTER_QUIET, CLUSTER_UPGRADE }, { .width = 40 }, false, NULL,
	  "NAME  STATE       READY  PENDING\n"
	  "cart  configured  1/1    0\n"
	  "shop  updating    2/4    5\n" },
	{ "list, 80 columns", LIST, { CLUSTER_UPGRADE }, { .width = 80 }, false, NULL,
	  "NAME  APP      STATE     READY  PENDING  UPGRADE       AGE\n"
	  "shop  shop-v2  updating  2/4    5        from shop-v1  2d\n" },
	{ "tree of a new one", TREE, { CLUSTER_NEW }, { 0 }, false, NULL,
	  "NAME           STATE  SINCE  DETAIL\n"
	  "new            -      45s    no operator has looked at it yet: does one run?\n"
	  "`- role front                0 members, 2 wanted\n" },
	{ "tree of a quiet one", TREE, { CLUSTER_QUIET }, { 0 }, false, NULL,
	  "NAME                      STATE       SINCE  DETAIL\n"
	  "cart                      configured  24h    App shop-v1, 1/1 ready, 0 to be told\n"
	  "+- plan 1 create          Succeeded   23h    shop-v1\n"
	  "|  `- warning                         23h    role front: cart-front-1a2b3-0 was down\n"
	  "`- role front                                1 member\n"
	  "   `- cart-front-1a2b3-0  configured\n" },
	{ "tree of an upgrade", TREE, { CLUSTER_UPGRADE }, { .width = 200 }, false, NULL,
	  "NAME                          STATE         UPGRADE       SINCE  DETAIL\n"
	  "shop                          updating      from shop-v1  2d     App shop-v2, 2/4 ready, 5 to be told\n"
	  "+- Progressing                False                       10m    ProgressDeadlineExceeded: upgrade: waiting for shop-db-9c8d7-1\n"
	  "+- plan 2 upgrade             Stalled                     30m    shop-v1 -> shop-v2\n"
	  "|  +- role front              Done                        29m\n"
	  "|  +- role db                 Running                     29m\n"
	  "|  +- plan-completed          Pending\n"
	  "|  +- warning                 5 times                     20m    role db: pod_upgraded ended with 1\n"
	  "|  `- warnings                                                   and 3 more, which were not kept\n"
	  "+- role front                               upgraded             2 members\n"
	  "|  +- shop-front-1a2b3-0      configured    upgraded\n"
	  "|  |  `- 9 role_upgraded      failed                             tried 2 times, exit 1, again in 20s: busy\n"
	  "|  `- shop-front-1a2b3-1      configured    upgraded      90s    down: there is no pod\n"
	  "|     +- 11 configure         next\n"
	  "|     `- 9 role_upgraded      waits\n"
	  "`- role db                                  upgrading            2 members, 3 wanted; waits for MaxUnavailable: 1 of 1 is not serving\n"
	  "   +- shop-db-9c8d7-0         given up\n"
	  "   `- shop-db-9c8d7-1         config error  upgrading            pod_upgraded failed 5 times\n"
	  "      +- 8 pod_upgraded       held                               tried 5 times, exit 1: disk  [31mfull\n"
	  "      `- 10 cluster_upgraded  held\n" },
	{ "tree of an upgrade, 80 columns", TREE, { CLUSTER_UPGRADE }, { .width = 80 }, false, NULL,
	  "NAME                          STATE         SINCE  DETAIL\n"
	  "shop                          updating      2d     App shop-v2, 2/4 ready, 5 to\n"
	  "|                                                  be told\n"
	  "+- Progressing                False         10m    ProgressDeadlineExceeded:\n"
	  "|                                                  upgrade: waiting for\n"
	  "|                                                  shop-db-9c8d7-1\n"
	  "+- plan 2 upgrade             Stalled       30m    shop-v1 -> shop-v2\n"
	  "|  +- role front              Done          29m\n"
	  "|  +- role db                 Running       29m\n"
	  "|  +- plan-completed          Pending\n"
	  "|  +- warning                 5 times       20m    role db: pod_upgraded ended\n"
	  "|  |                                               with 1\n"
	  "|  `- warnings                                     and 3 more, which were not\n"
	  "|                                                  kept\n"
	  "+- role front                                      2 members\n"
	  "|  +- shop-front-1a2b3-0      configured\n"
	  "|  |  `- 9 role_upgraded      failed               tried 2 times, exit 1, again\n"
	  "|  |                                               in 20s: busy\n"
	  "|  `- shop-front-1a2b3-1      configured    90s    down: there is no pod\n"
	  "|     +- 11 configure         next\n"
	  "|     `- 9 role_upgraded      waits\n"
	  "`- role db                                         2 members, 3 wanted; waits\n"
	  "   |                                               for MaxUnavailable: 1 of 1 is\n"
	  "   |                                               not serving\n"
	  "   +- shop-db-9c8d7-0         given up\n"
	  "   `- shop-db-9c8d7-1         config error         pod_upgraded failed 5 times\n"
	  "      +- 8 pod_upgraded       held                 tried 5 times, exit 1: disk\n"
	  "      |                                            [31mfull\n"
	  "      `- 10 cluster_upgraded  held\n" },
	{ "tree, 40 columns", TREE, { CLUSTER_QUIET }, { .width = 40 }, false, NULL,
	  "NAME                      STATE\n"
	  "cart                      configured\n"
	  "+- plan 1 create          Succeeded\n"
	  "|  `- warning\n"
	  "`- role front\n"
	  "   `- cart-front-1a2b3-0  configured\n" },
	{ "tree in UTF-8, its text in lines", TREE, { CLUSTER_QUIET }, { .width = 65, .utf8 = true }, false, NULL,
	  "NAME                      STATE       SINCE  DETAIL\n"
	  "cart                      configured  24h    App shop-v1, 1/1\n"
	  "\u2502                                            ready, 0 to be told\n"
	  "\u251c\u2500 plan 1 create          Succeeded   23h    shop-v1\n"
	  "\u2502  \u2514\u2500 warning                         23h    role front:\n"
	  "\u2502                                            cart-front-1a2b3-0\n"
	  "\u2502                                            was down\n"
	  "\u2514\u2500 role front                                1 member\n"
	  "   \u2514\u2500 cart-front-1a2b3-0  configured\n" },
	{ "tree, wide: all plans, all steps, containers", TREE, { CLUSTER_QUIET }, { .width = 40, .wide = true }, false, NULL,
	  "NAME                      STATE       UPGRADE  SINCE  CONTAINER  DETAIL\n"
	  "cart                      configured           24h               App shop-v1, 1/1 ready, 0 to be told\n"
	  "+- plan 1 create          Succeeded            23h               shop-v1\n"
	  "|  +- plan-completed      Done\n"
	  "|  `- warning                                  23h               role front: cart-front-1a2b3-0 was down\n"
	  "`- role front                                                    1 member\n"
	  "   `- cart-front-1a2b3-0  configured\n" },
	{ "tree of one that is held, goes back and is deleted", TREE, { CLUSTER_BACK }, { 0 }, false, NULL,
	  "NAME                      STATE       UPGRADE          SINCE  DETAIL\n"
	  "back                      deleting    back to shop-v1  24h    App shop-v1, 1/1 ready, 1 to be told\n"
	  "+- paused                                                     asked for: true\n"
	  "+- retry                                                      asked for: back-front-1a2b3-0\n"
	  "+- rolled back                                                from App shop-v2, which is not tried again until spec.app changes\n"
	  "+- plan 3 rollback        Running                      10m    shop-v2 -> shop-v1\n"
	  "`- role front                                                 1 member\n"
	  "   `- back-front-1a2b3-0  configured\n"
	  "      `- 9 pod_reverted   failed                              tried 1 time, exit 1, again now\n" },
	{ "a next try that is due", QUEUES, { CLUSTER_BACK }, { 0 }, false, NULL,
	  "MEMBER              ID  EVENT         STATE   TRIES  EXIT  NEXT  ERROR\n"
	  "back-front-1a2b3-0  9   pod_reverted  failed  1      1     now   -\n" },
	{ "queues of one", QUEUES, { CLUSTER_UPGRADE }, { 0 }, false, NULL,
	  "MEMBER              ID  EVENT             STATE   TRIES  EXIT  NEXT    ERROR\n"
	  "shop-front-1a2b3-0  9   role_upgraded     failed  2      1     in 20s  busy\n"
	  "shop-front-1a2b3-1  11  configure         next    0      -     -       down: there is no pod\n"
	  "shop-front-1a2b3-1  9   role_upgraded     waits   0      -     -       -\n"
	  "shop-db-9c8d7-1     8   pod_upgraded      held    5      1     -       disk  [31mfull\n"
	  "shop-db-9c8d7-1     10  cluster_upgraded  held    0      -     -       -\n" },
	{ "queues, 40 columns", QUEUES, { CLUSTER_UPGRADE }, { .width = 40 }, false, "shop-front-1a2b3-1",
	  "MEMBER              ID  EVENT\n"
	  "shop-front-1a2b3-1  11  configure\n"
	  "shop-front-1a2b3-1  9   role_upgraded\n" },
	{ "queues of several", QUEUES, { CLUSTER_QUIET, CLUSTER_UPGRADE }, { .width = 80 }, false, "shop-front-1a2b3-0",
	  "CLUSTER  MEMBER              ID  EVENT          STATE   TRIES  EXIT  ERROR\n"
	  "shop     shop-front-1a2b3-0  9   role_upgraded  failed  2      1     busy\n" },
	{ "queues everywhere, wide", QUEUES, { CLUSTER_UPGRADE }, { .wide = true }, true, "shop-front-1a2b3-0",
	  "NAMESPACE  CLUSTER  MEMBER              ID  EVENT          STATE   TRIES  EXIT  NEXT    ROLE   ERROR\n"
	  "default    shop     shop-front-1a2b3-0  9   role_upgraded  failed  2      1     in 20s  front  busy\n" },
	{ "empty queues are no table", QUEUES, { CLUSTER_QUIET }, { 0 }, false, NULL, "" },
};

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_arena struct arena a = { 0 };
	cleanup_strbuf struct strbuf out = { 0 };
	struct view v = { .now = CLUSTER_NOW, .style = row->style, .namespaces = row->namespaces, .arena = &a };
	struct cluster clusters[UNIT_COUNT(row->clusters)];
	size_t count = 0;

	while (count < UNIT_COUNT(row->clusters) && row->clusters[count]) {
		clusters[count] = cluster_read(&a, row->clusters[count]);
		count++;
	}
	switch (row->what) {
	case LIST:
		view_list(&v, clusters, count, &out);
		break;
	case TREE:
		view_tree(&v, clusters, &out);
		break;
	case QUEUES:
		view_queues(&v, clusters, count, row->member, &out);
		break;
	}
	assert_string_equal(strbuf_str(&out), row->want);
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows)];

	UNIT_ROWS(tests, rows, test_row);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
