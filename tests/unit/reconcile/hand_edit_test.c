/*
 * decide_cluster() on statuses that no operator would write: anybody who may edit clusters/status can store them, as long as
 * they fit the schema. Whatever is there, a decision ends without an assertion or undefined behaviour, what it writes can be
 * read again, and no queue has more entries than the schema takes.
 *
 * A story is a row of passes over one cluster, each on what the last one wrote, with a hand edit now and then. It is tame or
 * wild: in a tame one the cluster is made, upgraded and goes back, and edits meet it on the way; in a wild one the status is
 * random from the beginning, and so is what is seen.
 */
#include "tests/unit/unit.h"

#include "reconcile/desired/children.h"
#include "reconcile/desired/names.h"
#include "reconcile/draft.h"
#include "reconcile/member/queue.h"
#include "tests/unit/random.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STORIES 1000
#define PASSES 16
#define NOW 1767225600000LL
#define MEMBERS 3
#define CLUSTER "c"

static const char *const roles[] = { "a", "b" };
static uint64_t story;
static unsigned wildness; /* per cent of what is odd that happens */

static struct world {
	struct arena arena;
	const struct app *apps[2];
	struct cluster cluster;
	struct snapshot snapshot;
	const struct pod *pods[UNIT_COUNT(roles) * MEMBERS];
	const struct statefulset *sets[UNIT_COUNT(roles)];
	struct exec_report execs[UNIT_COUNT(roles) * MEMBERS];
} w;

static bool chance(unsigned per_cent)
{
	return random_below(100) < per_cent;
}

/* Something odd happens with PER_CENT, when all is wild. */
static bool odd(unsigned per_cent)
{
	return chance(per_cent * wildness / 100);
}

#define ONE_OF(array) (array)[random_below(UNIT_COUNT(array))]

/* Taste: what makes a status mean something, more often than not. */

static const char *some_pod(void)
{
	const char *set = name_statefulset(&w.arena, CLUSTER, ONE_OF(roles));
	return chance(90) ? name_pod(&w.arena, set, random_below(MEMBERS + 1)) : "c-a-other-0";
}

static const char *some_string(const char *in, const char *key)
{
	static const char *const apps[] = { "v1", "v2", "v9" }, *const ids[] = { "a", "b", "c" },
	                  *const steps[] = { "role a", "role b", "notify", "plan-completed", "" },
	                  *const conditions[] = { "Ready", "Progressing", "Degraded", "SpecAccepted", "Notified", "Other" },
	                  *const containers[] = { "c1", "c2" },
	                  *const texts[] = { "", "Paused", "Paused: x", "a longer text with \"quotes\" and \xe2\x82\xac in it" };
	if (strcmp(key, "app") == 0 || strcmp(key, "prevApp") == 0 || strcmp(key, "toApp") == 0 || strcmp(key, "fromApp") == 0)
		return ONE_OF(apps);
	if (strcmp(key, "id") == 0 || strcmp(key, "role") == 0)
		return ONE_OF(ids);
	if (strcmp(key, "pod") == 0)
		return some_pod();
	if (strcmp(key, "statefulSet") == 0)
		return name_statefulset(&w.arena, CLUSTER, ONE_OF(roles));
	if (strcmp(in, "plan_step") == 0 && strcmp(key, "name") == 0)
		return ONE_OF(steps);
	if (strcmp(key, "type") == 0)
		return ONE_OF(conditions);
	if (strcmp(key, "lastConfiguredContainer") == 0)
		return ONE_OF(containers);
	return ONE_OF(texts);
}

static int64_t some_time(void)
{
	return NOW + (int64_t)random_below(7200000) - 3600000;
}

static size_t some_count(const char *key)
{
	if (strcmp(key, "pendingNotifyCmds") == 0 && chance(20))
		return QUEUE_MAX - random_below(9);
	return random_below(4);
}

static const struct random_taste taste = { some_string, some_time, some_count };

/* The world around it: two Apps, pods on either of them in every state, answers to what is asked. */

static const struct app *make_app(const char *name, int major)
{
	const char *text = arena_printf(
		&w.arena,
		"{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"%s\"},\"spec\":{\"label\":{\"name\":\"x\"},"
		"\"distroID\":\"d\",\"version\":\"%d.0\",\"configSchemaVersion\":7,\"upgradable\":true,\"roles\":["
		"{\"id\":\"a\",\"cardinality\":\"1+\",\"imageRepoTag\":\"i:%d\",\"handler\":{\"exec\":{\"command\":[\"/h\"]}}},"
		"{\"id\":\"b\",\"cardinality\":\"0+\",\"imageRepoTag\":\"i:%d\",\"handler\":{\"exec\":{\"command\":[\"/h\"]}}}],"
		"\"config\":{\"selectedRoles\":[\"a\",\"b\"]}},\"status\":{\"usedBy\":[\"" CLUSTER "\"]}}",
		name, name, major, major, major);
	struct app *app = arena_alloc(&w.arena, sizeof(*app));
	struct err err = { 0 };
	if (crd_decode_text(&app_type, text, strlen(text), app, &w.arena, &err) < 0)
		fail_msg("%s", err.msg);
	return app;
}

/* The one that the role's members shall run, or any. */
static const struct app *app_of(const struct draft *d, const char *role)
{
	const struct role_status *st = draft_role(d, role);
	const struct app *app = st ? draft_role_app(d, st) : NULL;
	return !app || odd(60) ? ONE_OF(w.apps) : app;
}

static struct pod *make_pod(const struct draft *d, const char *name, const char *role)
{
	const struct app *app = app_of(d, role);
	bool runs = !odd(30);
	const char *text = arena_printf(
		&w.arena,
		"{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\",\"labels\":{\"rolecall.dev/cluster\":\"%s\","
		"\"rolecall.dev/role\":\"%s\",\"rolecall.dev/app\":\"%s\",\"rolecall.dev/hash\":\"%s\"}%s},"
		"\"spec\":{\"nodeName\":\"n\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}],"
		"\"containerStatuses\":[{\"name\":\"app\",\"containerID\":\"%s\",\"ready\":true,\"state\":%s}]}}",
		name, name, odd(10) ? "other" : CLUSTER, role, app->metadata->name, desired_hash(d, app, role),
		odd(20) ? ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"" : "", odd(40) ? "False" : "True",
		app == w.apps[0] || odd(50) ? "c1" : "c2", runs ? "{\"running\":{}}" : "{\"waiting\":{\"reason\":\"ErrImagePull\"}}");
	struct pod *pod = arena_alloc(&w.arena, sizeof(*pod));
	struct err err = { 0 };
	if (crd_decode_text(&pod_type, text, strlen(text), pod, &w.arena, &err) < 0)
		fail_msg("%s in %s", err.msg, text);
	return pod;
}

static struct exec_report make_report(const struct cluster_status *st, const struct pod *pod)
{
	struct exec_report r = { .pod = pod->metadata->name, .container = pod->status->container_statuses[0].container_id };
	for (size_t i = 0; i < st->roles_count; i++)
		for (size_t k = 0; k < st->roles[i].members_count; k++) {
			const struct member *m = &st->roles[i].members[k];
			if (strcmp(m->pod, r.pod) != 0 || !m->state_detail || !m->state_detail->pending_notify_cmds_count)
				continue;
			r.id = m->state_detail->pending_notify_cmds[0].id;
			r.attempt = m->state_detail->pending_notify_cmds[0].attempts + 1;
		}
	r.answer = odd(90) ? (enum answer)random_below(ANSWER_UNKNOWN + 1) : chance(10) ? ANSWER_NO_SETUP : ANSWER_DONE;
	r.flying = odd(20);
	r.exit_code = odd(50) ? (int)random_below(128) : 0;
	r.ran_again = chance(10);
	r.may_have_run = chance(50);
	r.detail = chance(50) ? "detail" : NULL;
	r.tries = (int)random_below(8);
	r.ended_at = some_time();
	return r;
}

static void make_role(const struct draft *d, const char *role)
{
	struct snapshot *s = &w.snapshot;
	struct role_status named = { .id = role, .stateful_set = name_statefulset(&w.arena, CLUSTER, role) };
	for (size_t i = 0; i < MEMBERS; i++) {
		struct pod *pod = !odd(20) ? make_pod(d, name_pod(&w.arena, named.stateful_set, i), role) : NULL;
		if (pod)
			w.pods[s->pod_count++] = pod;
		if (pod && !odd(50))
			w.execs[s->exec_count++] = make_report(d->status, pod);
	}
	if (!draft_spec_role(d, role) || odd(20))
		return;
	struct statefulset *set = desired_statefulset(d, app_of(d, role), &named).set;
	set->metadata->generation = 2;
	set->status = arena_alloc(&w.arena, sizeof(*set->status));
	set->status->observed_generation = odd(30) ? 1 : 2;
	w.sets[s->set_count++] = set;
}

static const char *some_command(void)
{
	const char *pod = some_pod();
	return chance(50) ? pod : arena_printf(&w.arena, "%s/%d", pod, (int)random_below(40));
}

/* The edits of the spec and of the annotations that the CRD lets through are the user's to make. */
static void make_cluster(struct cluster_status *status, int pass)
{
	static const char *const apps[] = { "v1", "v2", "v9" };
	static const char *const keys[] = { "rolecall.dev/retry", "rolecall.dev/skip-notify", "rolecall.dev/give-up",
		                            "rolecall.dev/paused" };
	struct object_meta *meta = arena_alloc(&w.arena, sizeof(*meta));
	struct cluster_spec *spec = arena_alloc(&w.arena, sizeof(*spec));
	*meta = (struct object_meta){ .name = CLUSTER, .namespace = "ns", .uid = "u-1", .resource_version = "7",
		                      .generation = (int64_t)random_below(4) };
	meta->annotations_count = odd(80);
	meta->annotations = arena_array(&w.arena, 1, sizeof(*meta->annotations));
	meta->annotations[0] = (struct crd_pair){ ONE_OF(keys), chance(20) ? "true" : some_command() };
	spec->app = odd(80) ? ONE_OF(apps) : apps[pass / 4 % 2];
	spec->roles_count = odd(30) ? 1 : 2;
	spec->roles = arena_array(&w.arena, 2, sizeof(*spec->roles));
	for (size_t i = 0; i < spec->roles_count; i++)
		spec->roles[i] = (struct cluster_role){ .id = roles[i], .has_members = true,
			                                .members = odd(80) || chance(5) ? (int64_t)random_below(MEMBERS + 1) : 2 };
	if (odd(80)) {
		spec->upgrade = arena_alloc(&w.arena, sizeof(*spec->upgrade));
		spec->upgrade->max_unavailable = (int64_t)random_below(3);
		spec->upgrade->paused = chance(20);
		spec->upgrade->progress_deadline_seconds = (int64_t)random_below(3) * 600;
		spec->upgrade->on_failure = (enum failure_policy)random_below(3);
	}
	w.cluster = (struct cluster){ .metadata = meta, .spec = spec, .status = status };
}

static void make_world(struct cluster_status *status, int pass)
{
	struct snapshot *s = &w.snapshot;
	make_cluster(status, pass);
	*s = (struct snapshot){ .now = odd(50) ? some_time() : NOW + pass * 10000, .cluster = &w.cluster, .pods = w.pods, .sets = w.sets, .execs = w.execs };
	const struct app **seen[] = { &s->app, &s->running_app, &s->prev_app, &s->to_app };
	const struct upgrade_info *info = status->upgrade_info;
	const char *const names[] = { w.cluster.spec->app, status->app, info ? info->prev_app : NULL,
		                      info ? info->to_app : NULL };
	for (size_t i = 0; i < UNIT_COUNT(seen); i++)
		for (size_t k = 0; k < UNIT_COUNT(w.apps); k++)
			if (same_text(names[i], w.apps[k]->metadata->name) && !odd(10))
				*seen[i] = w.apps[k];
	struct draft d = { .s = s, .arena = &w.arena, .status = status };
	for (size_t i = 0; i < UNIT_COUNT(roles); i++)
		make_role(&d, roles[i]);
}

/* Fills the queue of a member up to the last entry, or nearly, with one kind of event. */
static void crowd(struct member *m)
{
	struct state_detail *detail = m->state_detail;
	detail->pending_notify_cmds_count = QUEUE_MAX - random_below(4);
	detail->pending_notify_cmds = arena_array(&w.arena, QUEUE_MAX, sizeof(*detail->pending_notify_cmds));
	const enum event_kind event = (enum event_kind)(1 + random_below(EVENT_KIND_DELNODES));
	for (size_t i = 0; i < detail->pending_notify_cmds_count; i++)
		detail->pending_notify_cmds[i] = (struct queue_entry){ .id = 100 + (int64_t)i, .event = event };
}

/* Somebody writes into the status: one of its fields, or one of a member's. */
static void edit(struct cluster_status *st)
{
	const struct crd_type *type = &cluster_status_type;
	void *object = st;
	struct role_status *role = st->roles_count ? &st->roles[random_below(st->roles_count)] : NULL;
	struct member *m = role && role->members_count ? &role->members[random_below(role->members_count)] : NULL;
	if (m && m->state_detail && chance(30)) {
		crowd(m);
		return;
	}
	if (m && chance(70)) {
		type = chance(50) && m->state_detail ? &state_detail_type : &member_type;
		object = type == &member_type ? (void *)m : (void *)m->state_detail;
	} else if (st->plan && chance(40)) {
		type = &plan_type;
		object = st->plan;
	}
	random_field(type, &type->fields[random_below(type->count)], object, &w.arena, &taste);
}

static void holds(const struct cluster_status *st)
{
	const char *text = crd_text(&cluster_status_type, st, &w.arena);
	struct cluster_status *back = arena_alloc(&w.arena, sizeof(*back));
	struct err err = { 0 };
	if (crd_decode_text(&cluster_status_type, text, strlen(text), back, &w.arena, &err) < 0)
		fail_msg("story %d: what is written cannot be read: %s in %s", (int)story, err.msg, text);
	for (size_t i = 0; i < st->roles_count; i++)
		for (size_t k = 0; k < st->roles[i].members_count; k++)
			assert_in_range(st->roles[i].members[k].state_detail->pending_notify_cmds_count, 0, QUEUE_MAX);
}

static void on_abort(int number)
{
	dprintf(STDERR_FILENO, "story %d\n", (int)story);
	signal(number, SIG_DFL);
}

static void tell(void)
{
	random_state = story << 20 | story;
	w.apps[0] = make_app("v1", 1);
	w.apps[1] = make_app("v2", 2);
	wildness = story % 3 == 0 ? 100 : story % 3 == 1 ? 20 : 3;
	struct cluster_status *status = arena_alloc(&w.arena, sizeof(*status));
	if (odd(70))
		random_fill(&cluster_status_type, status, &w.arena, &taste);
	for (int pass = 0; pass < PASSES; pass++) {
		make_world(status, pass);
		struct verdict v = decide_cluster(&w.snapshot, &w.arena);
		status = crd_copy(&cluster_status_type, v.status, &w.arena);
		holds(status);
		if (chance(25))
			edit(status);
	}
}

static void a_status_that_was_edited_by_hand_is_decided_on(void **state)
{
	(void)state;
	signal(SIGABRT, on_abort);
	for (story = 1; story <= STORIES; story++) {
		tell();
		arena_release(&w.arena);
		w = (struct world){ .snapshot = { 0 } };
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_status_that_was_edited_by_hand_is_decided_on) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
