#include "tests/cases/case.h"

#include "reconcile/desired/children.h"
#include "reconcile/desired/names.h"

#include <stdlib.h>
#include <string.h>

#define UID "u-1"

static const char *or_else(const char *text, const char *fallback)
{
	return text ? text : fallback;
}

static int64_t now_of(const cJSON *doc)
{
	return CASE_EPOCH_MS + json_int(doc, "now", 100) * 1000;
}

/* Decodes BASE with OVER (may be NULL) laid over it. */
static int build(const struct crd_type *type, const char *base, const cJSON *over, void **ret, struct arena *arena,
                 struct err *err)
{
	cleanup_strbuf struct strbuf text = { .data = NULL };
	char *over_text = over ? cJSON_PrintUnformatted(over) : NULL;
	int rc = json_overlay(base, over_text, &text, err);
	free(over_text);
	if (rc < 0)
		return -1;
	*ret = arena_alloc(arena, type->size);
	return crd_decode_text(type, text.data, text.len, *ret, arena, err);
}

static int build_app(const cJSON *doc, const char *name, int major, const struct app **ret, struct arena *arena,
                     struct err *err)
{
	const cJSON *apps = json_get(doc, "apps");
	const cJSON *over = apps ? cJSON_GetObjectItemCaseSensitive(apps, name) : NULL;
	if (over && cJSON_IsNull(over))
		return 0;
	bool held = !over || !cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(over, "held"));
	cleanup_json cJSON *wrapped = cJSON_CreateObject();
	if (over)
		cJSON_AddItemReferenceToObject(wrapped, "spec", (cJSON *)(uintptr_t)over);
	const char *base = arena_printf(
		arena,
		"{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"%s\"},\"spec\":{\"label\":{\"name\":\"x\"},"
		"\"distroID\":\"d\",\"version\":\"%d.0\",\"configSchemaVersion\":7,\"upgradable\":true,"
		"\"roles\":[{\"id\":\"a\",\"cardinality\":\"1+\",\"imageRepoTag\":\"i:%d\",\"handler\":{\"exec\":{\"command\":"
		"[\"/h\"]}}},{\"id\":\"b\",\"cardinality\":\"0+\",\"imageRepoTag\":\"i:%d\",\"handler\":{\"exec\":{\"command\":"
		"[\"/h\"]}}}],\"config\":{\"selectedRoles\":[\"a\",\"b\"]}}%s}",
		name, name, major, major, major, held ? ",\"status\":{\"usedBy\":[\"" CASE_CLUSTER "\"]}" : "");
	void *app;
	if (build(&app_type, base, wrapped, &app, arena, err) < 0)
		return err_wrap(err, "App %s", name);
	*ret = app;
	return 0;
}

static const struct app *app_named(const struct app *const apps[3], const char *name)
{
	for (size_t i = 0; i < 3 && name; i++)
		if (apps[i] && strcmp(apps[i]->metadata->name, name) == 0)
			return apps[i];
	return NULL;
}

static void build_queue(const cJSON *given, struct state_detail *detail, struct arena *arena)
{
	size_t n = (size_t)cJSON_GetArraySize(given);
	detail->pending_notify_cmds = n ? arena_array(arena, n, sizeof *detail->pending_notify_cmds) : NULL;
	detail->pending_notify_cmds_count = n;
	size_t i = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, given) {
		struct queue_entry *e = &detail->pending_notify_cmds[i++];
		if (cJSON_IsString(item)) {
			const char *space = strchr(item->valuestring, ' ');
			e->event = event_kind_parse(arena_strndup(arena, item->valuestring,
			                                          (size_t)(space - item->valuestring)));
			e->id = strtol(space, NULL, 10);
			continue;
		}
		e->id = json_int(item, "id", 0);
		e->event = event_kind_parse(json_str(item, "event"));
		e->attempts = json_int(item, "attempts", 0);
		e->next_attempt = json_int(item, "next", 0) ? CASE_EPOCH_MS + 1000 * json_int(item, "next", 0) : 0;
	}
}

static const char *container_of(const cJSON *given)
{
	return or_else(json_str(given, "container"), "c1");
}

static void build_trace(const cJSON *given, struct member *m, struct arena *arena)
{
	const cJSON *item;
	if (given)
		m->upgrade_trace = arena_alloc(arena, sizeof *m->upgrade_trace);
	cJSON_ArrayForEach(item, given) {
		m->upgrade_trace->container_ran |= strcmp(item->valuestring, "ran") == 0;
		m->upgrade_trace->role_told |= strcmp(item->valuestring, "role") == 0;
		m->upgrade_trace->cluster_told |= strcmp(item->valuestring, "cluster") == 0;
	}
}

static void build_member(const cJSON *given, struct member *m, struct arena *arena)
{
	m->state = member_state_parse(or_else(json_str(given, "state"), "configured"));
	m->pod_upgrade_status = upgrade_state_parse(json_str(given, "upgrade"));
	m->state_detail = arena_alloc(arena, sizeof *m->state_detail);
	m->state_detail->last_known_container_state = CONTAINER_STATE_RUNNING;
	if (!cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(given, "known")) && m->state == MEMBER_STATE_CONFIGURED)
		m->state_detail->last_configured_container = container_of(given);
	m->state_detail = case_lay(&state_detail_type, m->state_detail, json_get(given, "detail"), arena);
	build_queue(json_get(given, "queue"), m->state_detail, arena);
	build_trace(json_get(given, "trace"), m, arena);
	m->given_up = json_bool(given, "givenUp");
	m->joined_generation = json_int(given, "joined", 0);
	m->state_detail->last_setup_generation = json_int(given, "digested", m->state == MEMBER_STATE_CONFIGURED);
	m->state_detail->last_config_data_generation = json_int(given, "config", m->state_detail->last_setup_generation);
	if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(given, "detail")))
		m->state_detail = NULL;
}

static struct container_status *build_container(const cJSON *given, struct arena *arena)
{
	struct container_status *c = arena_alloc(arena, sizeof *c);
	c->name = "app";
	c->state = arena_alloc(arena, sizeof *c->state);
	const char *waiting = json_str(given, "waiting");
	if (waiting) {
		c->state->waiting = arena_alloc(arena, sizeof *c->state->waiting);
		c->state->waiting->reason = waiting;
	} else {
		c->state->running = arena_alloc(arena, sizeof *c->state->running);
		c->container_id = container_of(given);
	}
	return c;
}

static struct pod *build_pod(const cJSON *given, const char *name, const char *role, const char *hash,
                             struct arena *arena)
{
	struct pod *p = arena_alloc(arena, sizeof *p);
	p->metadata = arena_alloc(arena, sizeof *p->metadata);
	p->metadata->name = name;
	p->metadata->uid = arena_printf(arena, "uid-%s", name);
	p->metadata->labels = arena_alloc(arena, sizeof *p->metadata->labels);
	const char *cluster = or_else(json_str(given, "cluster"), CASE_CLUSTER);
	*p->metadata->labels = (struct child_labels){ cluster, role, json_str(given, "pod"), hash };
	p->metadata->deletion_timestamp = json_bool(given, "leaving") ? CASE_EPOCH_MS : 0;
	p->spec = arena_alloc(arena, sizeof *p->spec);
	p->spec->node_name = or_else(json_str(given, "node"), "node1");
	if (!*p->spec->node_name)
		p->spec->node_name = NULL;
	p->status = arena_alloc(arena, sizeof *p->status);
	p->status->container_statuses = build_container(given, arena);
	p->status->container_statuses_count = 1;
	bool ready = !cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(given, "ready")) && !json_str(given, "waiting");
	p->status->conditions = arena_alloc(arena, sizeof *p->status->conditions);
	p->status->conditions[0] = (struct pod_condition){ .type = "Ready", .status = ready ? "True" : "False" };
	p->status->conditions_count = 1;
	p->status = case_lay(&pod_status_type, p->status, json_get(given, "podStatus"), arena);
	return p;
}

struct builder {
	struct case_world *w;
	struct draft d;             /* only to ask desired_hash() and desired_statefulset() */
	const struct app *apps[3];
	const struct pod **pods;
	const struct statefulset **sets;
	struct exec_report *execs;
};

static void build_set(struct builder *b, const cJSON *given, const struct role_status *role)
{
	const char *of = json_str(given, "set");
	const struct app *app = of ? app_named(b->apps, of) : draft_role_app(&b->d, role);
	if (!app || cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(given, "set")))
		return;
	struct statefulset *set = desired_statefulset(&b->d, app, role).set;
	set->metadata->resource_version = "10";
	set->metadata->generation = 2;
	set->status = arena_alloc(b->w->arena, sizeof *set->status);
	set->status->observed_generation = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(given, "observed")) ? 1 : 2;
	b->sets[b->w->snapshot.set_count++] = case_lay(&statefulset_type, set, json_get(given, "statefulSet"), b->w->arena);
}

static void build_role(struct builder *b, const cJSON *given, struct role_status *role)
{
	struct arena *arena = b->w->arena;
	struct snapshot *s = &b->w->snapshot;
	const cJSON *members = json_get(given, "members"), *item;
	role->id = given->string;
	role->role_upgrade_status = upgrade_state_parse(json_str(given, "turn"));
	role->waiting_for = json_str(given, "waitingFor");
	role->stateful_set = name_statefulset(arena, CASE_CLUSTER, role->id);
	role->members_count = (size_t)cJSON_GetArraySize(members);
	role->members = arena_array(arena, role->members_count, sizeof *role->members);
	size_t i = 0;
	cJSON_ArrayForEach(item, members) {
		struct member *m = &role->members[i];
		build_member(item, m, arena);
		m->pod = name_pod(arena, role->stateful_set, i++);
		m->node_id = ++b->d.status->last_node_id;
		const struct app *app = app_named(b->apps, json_str(item, "pod"));
		if (app)
			b->pods[s->pod_count++] =
				build_pod(item, m->pod, role->id, desired_hash(&b->d, app, role->id), arena);
		if (json_get(item, "said"))
			b->execs[s->exec_count++] = case_said(json_get(item, "said"), m->pod, container_of(item), s);
	}
	build_set(b, given, role);
}

static void forget_names(struct cluster_status *st)
{
	st->cluster_service = NULL;
	for (size_t i = 0; i < st->roles_count; i++)
		st->roles[i].stateful_set = NULL;
}

#define ROOM 64 /* members of all roles of a case */

static int build_status(struct builder *b, const cJSON *doc, struct cluster *cluster, struct err *err)
{
	struct arena *arena = b->w->arena;
	const cJSON *roles = json_get(doc, "roles"), *role;
	if (!roles)
		return 0;
	void *status;
	if (build(&cluster_status_type, "{\"app\":\"v1\",\"state\":\"configured\",\"lastNotifyID\":100,\"specGenerationToProcess\":1}", json_get(doc, "status"), &status, arena,
	          err) < 0)
		return err_wrap(err, "status");
	cluster->status = status;
	cluster->status->cluster_service = name_service(arena, CASE_CLUSTER);
	b->d = (struct draft){ .s = &b->w->snapshot, .arena = arena, .status = cluster->status };
	cluster->status->roles_count = (size_t)cJSON_GetArraySize(roles);
	cluster->status->roles = arena_array(arena, cluster->status->roles_count, sizeof *cluster->status->roles);
	size_t i = 0;
	cJSON_ArrayForEach(role, roles)
		build_role(b, role, &cluster->status->roles[i++]);
	struct service *service = desired_service(&b->d);
	service->metadata->resource_version = "11";
	const struct service **services = arena_alloc(arena, sizeof *services);
	services[0] = service;
	b->w->snapshot.services = services;
	b->w->snapshot.service_count = 1;
	if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(doc, "named")))
		forget_names(cluster->status);
	return 0;
}

static void build_failures(const cJSON *given, struct snapshot *s, struct arena *arena)
{
	struct request_failure *failures = arena_array(arena, (size_t)cJSON_GetArraySize(given), sizeof *failures);
	const cJSON *item;
	cJSON_ArrayForEach(item, given)
		failures[s->failure_count++] = (struct request_failure){
			.what = json_str(item, "what"), .kind = ERR_FORBIDDEN, .message = json_str(item, "message") };
	s->failures = failures;
}

/* "@a-0/7" stands for the real name of member a-0, and "/7". */
static void name_members(struct object_meta *meta, struct arena *arena)
{
	struct case_world w = { .arena = arena };
	for (size_t i = 0; i < meta->annotations_count; i++) {
		const char *value = meta->annotations[i].value;
		if (value[0] != '@')
			continue;
		size_t len = strcspn(value + 1, "/");
		meta->annotations[i].value = arena_printf(arena, "%s%s",
		                                          case_pod_name(&w, arena_strndup(arena, value + 1, len)),
		                                          value + 1 + len);
	}
}

static void build_setbacks(const cJSON *given, struct case_world *w)
{
	struct snapshot *s = &w->snapshot;
	const struct setback **list = arena_array(w->arena, (size_t)cJSON_GetArraySize(given), sizeof *list);
	const cJSON *item;
	cJSON_ArrayForEach(item, given) {
		struct setback *b = arena_alloc(w->arena, sizeof *b);
		b->message = arena_printf(w->arena, "create Pod %s in StatefulSet x failed error: %s",
		                          case_pod_name(w, json_str(item, "pod")), json_str(item, "error"));
		b->last_timestamp = s->now - 1000 * json_int(item, "ago", 0);
		list[s->setback_count++] = b;
	}
	s->setbacks = list;
}

static int build_cluster(const cJSON *doc, struct cluster **ret, struct arena *arena, struct err *err)
{
	void *cluster;
	cleanup_json cJSON *over = cJSON_CreateObject();
	for (size_t i = 0; i < 2; i++) {
		const char *key = i ? "spec" : "metadata";
		if (json_get(doc, key))
			cJSON_AddItemReferenceToObject(over, key, (cJSON *)(uintptr_t)json_get(doc, key));
	}
	if (build(&cluster_type,
	          "{\"metadata\":{\"name\":\"" CASE_CLUSTER "\",\"namespace\":\"ns\",\"uid\":\"" UID "\",\"generation\":1,"
	          "\"resourceVersion\":\"5\"},\"spec\":{\"app\":\"v1\",\"roles\":[{\"id\":\"a\",\"members\":3},{\"id\":\"b\","
	          "\"members\":0}]}}", over, &cluster, arena, err) < 0)
		return err_wrap(err, "spec");
	*ret = cluster;
	name_members((*ret)->metadata, arena);
	return 0;
}

/* The spec asks for as many members as there are, unless the case says otherwise. */
static void set_members(const cJSON *doc, struct cluster *cluster)
{
	const cJSON *roles = json_get(doc, "roles"), *want = json_get(doc, "want");
	for (size_t i = 0; roles && i < cluster->spec->roles_count; i++) {
		struct cluster_role *role = &cluster->spec->roles[i];
		const cJSON *given = json_get(json_get(roles, role->id), "members");
		role->members = json_int(want, role->id, given ? cJSON_GetArraySize(given) : 0);
	}
}

int case_build(const cJSON *doc, struct case_world *w, struct err *err)
{
	struct arena *arena = w->arena;
	struct cluster *cluster = NULL;
	struct builder b = { .w = w };
	if (build_app(doc, "v1", 1, &b.apps[0], arena, err) < 0 || build_app(doc, "v2", 2, &b.apps[1], arena, err) < 0 ||
	    build_app(doc, "v3", 3, &b.apps[2], arena, err) < 0 || build_cluster(doc, &cluster, arena, err) < 0)
		return -1;
	w->snapshot = (struct snapshot){ .now = now_of(doc), .cluster = cluster };
	w->snapshot.app = app_named(b.apps, cluster->spec->app);
	set_members(doc, cluster);
	const cJSON *status = json_get(doc, "status"), *info = json_get(status, "upgradeInfo");
	w->snapshot.running_app = app_named(b.apps, or_else(json_str(status, "app"), "v1"));
	w->snapshot.prev_app = app_named(b.apps, json_str(info, "prevApp"));
	w->snapshot.to_app = app_named(b.apps, json_str(info, "toApp"));
	b.pods = arena_array(arena, ROOM, sizeof *b.pods);
	b.sets = arena_array(arena, ROOM, sizeof *b.sets);
	b.execs = arena_array(arena, ROOM, sizeof *b.execs);
	if (build_status(&b, doc, cluster, err) < 0)
		return -1;
	w->snapshot.pods = b.pods;
	w->snapshot.sets = b.sets;
	w->snapshot.execs = b.execs;
	build_failures(json_get(doc, "failures"), &w->snapshot, arena);
	build_setbacks(json_get(doc, "setbacks"), w);
	return 0;
}

const char *case_short_names(const struct case_world *w, const char *text)
{
	static const char *const roles[] = { "a", "b" };
	for (size_t i = 0; i < 2; i++) {
		const char *set = name_statefulset(w->arena, CASE_CLUSTER, roles[i]), *at;
		while ((at = strstr(text, set)))
			text = arena_printf(w->arena, "%.*s%s%s", (int)(at - text), text, roles[i], at + strlen(set));
	}
	return text;
}

const char *case_pod_name(const struct case_world *w, const char *short_name)
{
	const char *dash = strrchr(short_name, '-');
	const char *role = arena_strndup(w->arena, short_name, (size_t)(dash - short_name));
	return arena_printf(w->arena, "%s%s", name_statefulset(w->arena, CASE_CLUSTER, role), dash);
}
