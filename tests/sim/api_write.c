#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crd/base/time.h"

/* What would be stored, when it is not. */
static struct reply preview(struct sim *sim, int http, const cJSON *tree)
{
	cleanup_strbuf struct strbuf b = {0};

	json_print(tree, &b);
	return api_text(sim, http, &b);
}

/* Takes TREE as O's next version. A write that changes nothing gives no new version. */
static struct reply accept(struct sim *sim, struct object *o, cJSON *tree, bool dry_run)
{
	bool new_spec = !tree_equal(json_get(o->tree, "spec"), json_get(tree, "spec"));
	struct reply reply;

	if (kind_infos[o->kind].has_spec && new_spec)
		tree_put_int(tree_object(tree, "metadata"), "generation",
		             json_int(json_get(o->tree, "metadata"), "generation", 0) + 1);
	if (dry_run || tree_equal(o->tree, tree)) {
		reply = dry_run ? preview(sim, 200, tree) : api_ok(200, o);
		cJSON_Delete(tree);
		return reply;
	}
	cJSON_Delete(o->tree);
	o->tree = tree;
	etcd_commit(sim, o);
	return api_ok(200, o);
}

/* Lays the fields that the server itself keeps back over what a request brought. */
static void keep_meta(const struct object *o, cJSON *tree)
{
	static const char *const keys[] = {"name", "namespace", "uid", "resourceVersion", "generation",
	                                   "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"};
	const cJSON *own = json_get(o->tree, "metadata");
	cJSON *meta = tree_object(tree, "metadata");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (json_get(own, keys[i]))
			tree_put(meta, keys[i], tree_copy(json_get(own, keys[i])));
		else
			tree_drop(meta, keys[i]);
	}
}

static void put_or_drop(cJSON *tree, const char *key, const cJSON *value)
{
	if (value)
		tree_put(tree, key, tree_copy(value));
	else
		tree_drop(tree, key);
}

/* An object that is ending goes when an edit leaves nobody who holds it. */
static bool may_go(const struct object *o, const cJSON *tree)
{
	const cJSON *meta = json_get(tree, "metadata");

	return etcd_is_ending(o) && cJSON_GetArraySize(json_get(meta, "finalizers")) == 0 && o->kind != KIND_POD &&
	       o->kind != KIND_NAMESPACE;
}

/* Watches are told of its end only, not of the edit before. */
static struct reply let_go(struct sim *sim, struct object *o, cJSON *tree)
{
	struct reply reply = preview(sim, 200, tree);

	cJSON_Delete(o->tree);
	o->tree = tree;
	etcd_remove(sim, o);
	return reply;
}

/* Of an edit of the status only the status counts, of any other edit everything else. */
static cJSON *confined(const struct api_target *t, const struct object *o, cJSON *tree)
{
	cJSON *is;

	if (!t->subresource) {
		keep_meta(o, tree);
		if (kind_infos[o->kind].has_status)
			put_or_drop(tree, "status", json_get(o->tree, "status"));
		return tree;
	}
	is = tree_copy(o->tree);
	put_or_drop(is, "status", json_get(tree, "status"));
	cJSON_Delete(tree);
	return is;
}

struct reply api_store(struct sim *sim, const struct api_target *t, struct object *o, cJSON *tree)
{
	struct refusal why = {0};
	bool allowed;

	tree = confined(t, o, tree);
	allowed = t->subresource ? rules_allow_status(o->kind, o->tree, tree, &why)
	                         : rules_allow_edit(o->kind, o->tree, tree, &why);
	if (!allowed) {
		cJSON_Delete(tree);
		return api_invalid(sim, o->kind, o->name, &why);
	}
	return may_go(o, tree) && !t->dry_run ? let_go(sim, o, tree) : accept(sim, o, tree, t->dry_run);
}

static cJSON *new_tree(const struct api_target *t, const cJSON *body)
{
	static const char *const given[] = {"uid", "resourceVersion", "generation", "deletionTimestamp",
	                                    "deletionGracePeriodSeconds", "managedFields"};
	cJSON *tree = cJSON_CreateObject();
	const cJSON *field;

	tree_put_str(tree, "kind", kind_infos[t->kind].kind);
	tree_put_str(tree, "apiVersion", kind_infos[t->kind].api_version);
	tree_object(tree, "metadata");
	cJSON_ArrayForEach(field, body)
		tree_put(tree, field->string, tree_copy(field));
	if (kind_infos[t->kind].has_status)
		tree_drop(tree, "status");
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		tree_drop(tree_object(tree, "metadata"), given[i]);
	return tree;
}

struct reply api_add(struct sim *sim, const struct api_target *t, const char *name, const cJSON *body)
{
	const char *namespace = t->namespace ? t->namespace : "";
	struct refusal why = {0};
	struct reply reply;
	cJSON *tree;

	if (etcd_get(&sim->etcd, t->kind, namespace, name))
		return api_fail_on(sim, 409, "AlreadyExists", t->kind, name, "already exists");
	if (!rules_allow_create(t->kind, body, &why))
		return api_invalid(sim, t->kind, name, &why);
	tree = new_tree(t, body);
	if (!t->dry_run)
		return api_ok(201, etcd_add(sim, t->kind, namespace, name, tree));
	etcd_put_new_meta(sim, &(struct object){
		.kind = t->kind, .namespace = namespace, .name = name, .tree = tree,
		.uid = "00000000-0000-4000-8000-d2700000000a",
	});
	reply = preview(sim, 201, tree);
	cJSON_Delete(tree);
	return reply;
}

cJSON *api_applied(const struct object *o, const char *manager, const cJSON *body)
{
	cJSON *tree = tree_copy(o->tree);

	tree_apply(tree, json_get(o->applied, manager), body);
	return tree;
}

void api_note_applied(struct object *o, const char *manager, const cJSON *body)
{
	if (!o->applied)
		o->applied = cJSON_CreateObject();
	tree_put(o->applied, manager, tree_copy(body));
}

static void mark_ending(struct sim *sim, struct object *o)
{
	char now[TIME_TEXT_MAX];

	time_format(sim->clock.now / 1000 * 1000, now);
	tree_put_str(etcd_meta(o), "deletionTimestamp", now);
	tree_put_int(etcd_meta(o), "deletionGracePeriodSeconds", o->kind == KIND_POD ? 30 : 0);
	if (o->kind == KIND_NAMESPACE)
		tree_put_str(tree_object(o->tree, "status"), "phase", "Terminating");
	if (kind_infos[o->kind].has_spec)
		tree_put_int(etcd_meta(o), "generation", json_int(etcd_meta(o), "generation", 0) + 1);
	etcd_commit(sim, o);
}

/* Somebody has to see it end: the kubelet a pod, the namespace controller a namespace, and whoever put a finalizer. */
static bool is_held(const struct object *o, const cJSON *options)
{
	bool at_once = json_int(options, "gracePeriodSeconds", -1) == 0;

	return (o->kind == KIND_POD && !at_once) || o->kind == KIND_NAMESPACE ||
	       cJSON_GetArraySize(json_get(json_get(o->tree, "metadata"), "finalizers")) > 0;
}

static struct reply is_gone(struct sim *sim, const struct object *o)
{
	cleanup_strbuf struct strbuf b = {0};
	const struct kind_info *info = &kind_infos[o->kind];

	strbuf_addf(&b, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"details\":{"
	            "\"name\":\"%s\",\"group\":\"%s\",\"kind\":\"%s\",\"uid\":\"%s\"}}",
	            o->name, api_group(sim, o->kind), info->plural, o->uid);
	return api_text(sim, 200, &b);
}

static bool meets_preconditions(struct sim *sim, const struct object *o, const cJSON *options, struct reply *ret_reply)
{
	const cJSON *wanted = json_get(options, "preconditions");
	const char *uid = json_str(wanted, "uid"), *version = json_str(wanted, "resourceVersion");

	if (uid && strcmp(uid, o->uid) != 0) {
		*ret_reply = api_conflict(sim, o, true, "the UID in the precondition (%s) does not match the UID in record "
		                          "(%s). The object might have been deleted and then recreated", uid, o->uid);
		return false;
	}
	if (version && strtoll(version, NULL, 10) != o->version) {
		*ret_reply = api_conflict(sim, o, true, "the ResourceVersion in the precondition (%s) does not match the "
		                          "ResourceVersion in record (%lld). The object might have been modified", version,
		                          (long long)o->version);
		return false;
	}
	return true;
}

struct reply api_delete(struct sim *sim, struct object *o, const cJSON *options)
{
	bool dry_run = cJSON_GetArraySize(json_get(options, "dryRun")) > 0;
	const char *why = rules_forbid_delete(o->kind, o->tree, sim->scratch);
	struct reply reply;

	if (!meets_preconditions(sim, o, options, &reply))
		return reply;
	if (why)
		return api_fail_on(sim, 403, "Forbidden", o->kind, o->name, "is forbidden: %s", why);
	if (is_held(o, options)) {
		if (!etcd_is_ending(o) && !dry_run)
			mark_ending(sim, o);
		return api_ok(200, o);
	}
	reply = is_gone(sim, o);
	if (!dry_run)
		etcd_remove(sim, o);
	return reply;
}
