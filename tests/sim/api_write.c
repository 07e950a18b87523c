#include "sim.h"

#include <stdio.h>
#include <string.h>

#include "crd/base/time.h"

/* Takes TREE as O's next version. A write that changes nothing gives no new version. */
static struct reply accept(struct sim *sim, struct object *o, cJSON *tree)
{
	bool new_spec = !tree_equal(json_get(o->tree, "spec"), json_get(tree, "spec"));

	if (tree_equal(o->tree, tree)) {
		cJSON_Delete(tree);
		return api_ok(200, o);
	}
	if (kind_infos[o->kind].has_spec && new_spec)
		tree_put_int(tree_object(tree, "metadata"), "generation",
		             json_int(json_get(o->tree, "metadata"), "generation", 0) + 1);
	cJSON_Delete(o->tree);
	o->tree = tree;
	etcd_commit(sim, o);
	return api_ok(200, o);
}

static struct reply invalid(struct sim *sim, enum kind kind, const char *name, const struct refusal *why)
{
	return api_fail(sim, 422, "Invalid", "%s \"%s\" is invalid: %s", kind_infos[kind].kind, name, why->message);
}

static struct reply refused(struct sim *sim, cJSON *tree, const struct object *o, const struct refusal *why)
{
	cJSON_Delete(tree);
	return invalid(sim, o->kind, o->name, why);
}

/* Lays the fields that the server itself keeps back over what a request brought. */
static void keep_meta(const struct object *o, cJSON *tree)
{
	static const char *const keys[] = {"name", "namespace", "uid", "resourceVersion", "generation",
	                                   "creationTimestamp", "deletionTimestamp"};
	const cJSON *own = json_get(o->tree, "metadata");
	cJSON *meta = tree_object(tree, "metadata");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (json_get(own, keys[i]))
			tree_put(meta, keys[i], tree_copy(json_get(own, keys[i])));
	}
}

static cJSON *new_tree(const struct api_target *t, const cJSON *body)
{
	cJSON *tree = cJSON_CreateObject();
	const cJSON *field;

	tree_put_str(tree, "kind", kind_infos[t->kind].kind);
	tree_put_str(tree, "apiVersion", kind_infos[t->kind].api_version);
	tree_object(tree, "metadata");
	cJSON_ArrayForEach(field, body)
		tree_put(tree, field->string, tree_copy(field));
	if (t->kind == KIND_CLUSTER || t->kind == KIND_APP)
		tree_drop(tree, "status");
	return tree;
}

static struct reply add(struct sim *sim, const struct api_target *t, const char *name, const cJSON *body)
{
	struct refusal why = {0};
	struct object *o;

	if (!rules_allow_create(t->kind, body, &why))
		return invalid(sim, t->kind, name, &why);
	o = etcd_add(sim, t->kind, name, new_tree(t, body));
	return api_ok(201, o);
}

struct reply api_create(struct sim *sim, const struct api_target *t, const cJSON *body)
{
	const char *name = json_str(json_get(body, "metadata"), "name");

	if (!name || !*name)
		return api_fail(sim, 422, "Invalid", "metadata.name: Required value: name or generateName is required");
	if (etcd_find(&sim->etcd, t->kind, name))
		return api_fail(sim, 409, "AlreadyExists", "%s \"%s\" already exists", kind_infos[t->kind].plural,
		                name);
	return add(sim, t, name, body);
}

struct reply api_update_status(struct sim *sim, struct object *o, const cJSON *body)
{
	struct refusal why = {0};
	struct reply stale;
	cJSON *tree;

	if (!json_str(json_get(body, "metadata"), "resourceVersion"))
		return api_fail(sim, 422, "Invalid",
		                "metadata.resourceVersion: Invalid value: must be specified for an update");
	if (api_is_stale(sim, o, body, &stale))
		return stale;
	tree = tree_copy(o->tree);
	if (json_get(body, "status"))
		tree_put(tree, "status", tree_copy(json_get(body, "status")));
	else
		tree_drop(tree, "status");
	if (!rules_allow_status(o->kind, o->tree, tree, &why))
		return refused(sim, tree, o, &why);
	if (sim->by_operator && faults_are_over(sim, 120000) && tree_equal(o->tree, tree))
		violation(sim, RULE_IDLE, "a status write of %s that changes nothing", o->name);
	return accept(sim, o, tree);
}

struct reply api_apply(struct sim *sim, const struct api_target *t, const cJSON *body)
{
	struct object *o = etcd_find(&sim->etcd, t->kind, t->name);
	const char *version = json_str(json_get(body, "metadata"), "resourceVersion");
	struct refusal why = {0};
	struct reply reply;
	cJSON *tree;

	if (!o && version && *version)
		return api_fail(sim, 409, "Conflict", "%s \"%s\" does not exist and a resourceVersion was given",
		                kind_infos[t->kind].plural, t->name);
	if (!o) {
		reply = add(sim, t, t->name, body);
		if (reply.http == 201)
			etcd_find(&sim->etcd, t->kind, t->name)->applied = tree_copy(body);
		return reply;
	}
	if (api_is_stale(sim, o, body, &reply))
		return reply;
	tree = tree_copy(o->tree);
	tree_apply(tree, o->applied, body);
	keep_meta(o, tree);
	if (!rules_allow_edit(o->kind, o->tree, tree, &why))
		return refused(sim, tree, o, &why);
	cJSON_Delete(o->applied);
	o->applied = tree_copy(body);
	return accept(sim, o, tree);
}

/* An object that is ending goes when nobody holds it any more. */
static bool may_go(const struct object *o)
{
	const cJSON *meta = json_get(o->tree, "metadata");

	return etcd_is_ending(o) && cJSON_GetArraySize(json_get(meta, "finalizers")) == 0 && o->kind != KIND_POD;
}

struct reply api_patch(struct sim *sim, struct object *o, const cJSON *body)
{
	struct refusal why = {0};
	struct reply reply;
	cJSON *tree;

	if (api_is_stale(sim, o, body, &reply))
		return reply;
	tree = tree_copy(o->tree);
	tree_merge_patch(tree, body);
	keep_meta(o, tree);
	if (json_get(o->tree, "status"))
		tree_put(tree, "status", tree_copy(json_get(o->tree, "status")));
	else
		tree_drop(tree, "status");
	if (!rules_allow_edit(o->kind, o->tree, tree, &why))
		return refused(sim, tree, o, &why);
	reply = accept(sim, o, tree);
	if (may_go(o))
		etcd_remove(sim, o);
	return reply;
}

static void mark_ending(struct sim *sim, struct object *o)
{
	char now[TIME_TEXT_MAX];

	time_format(sim->clock.now / 1000 * 1000, now);
	tree_put_str(etcd_meta(o), "deletionTimestamp", now);
	tree_put_int(etcd_meta(o), "deletionGracePeriodSeconds", o->kind == KIND_POD ? 30 : 0);
	if (kind_infos[o->kind].has_spec)
		tree_put_int(etcd_meta(o), "generation", json_int(etcd_meta(o), "generation", 0) + 1);
	etcd_commit(sim, o);
}

struct reply api_delete(struct sim *sim, struct object *o, const cJSON *options)
{
	const char *uid = json_str(json_get(options, "preconditions"), "uid");
	struct refusal why = {0};
	struct reply reply;

	if (uid && strcmp(uid, o->uid) != 0)
		return api_other_uid(sim, o, uid);
	if (!rules_allow_delete(o->kind, o->tree, &why))
		return api_fail(sim, 403, "Forbidden", "%s \"%s\" is forbidden: %s", kind_infos[o->kind].plural,
		                o->name, why.message);
	if (o->kind == KIND_POD || cJSON_GetArraySize(json_get(json_get(o->tree, "metadata"), "finalizers")) > 0) {
		if (!etcd_is_ending(o))
			mark_ending(sim, o);
		return api_ok(200, o);
	}
	reply = api_ok(200, o);
	etcd_remove(sim, o);
	return reply;
}
