#include "write.h"

#include "crd/base/yaml.h"
#include "namespaces.h"
#include "protobuf.h"
#include "schema.h"

#include <stdio.h>
#include <string.h>

enum body { BODY_OBJECT, BODY_MERGE, BODY_JSON, BODY_APPLY, BODY_UNKNOWN };

static enum body body_of(const struct api_target *t, const struct serve_request *r)
{
	static const struct {
		const char *type;
		enum body body;
	} patches[] = {
		{"application/merge-patch+json", BODY_MERGE},
		{"application/json-patch+json", BODY_JSON},
		{"application/apply-patch+yaml", BODY_APPLY},
		{"application/apply-patch+json", BODY_APPLY},
		{"application/strategic-merge-patch+json", BODY_MERGE}, /* of what kubectl sends for built-in kinds */
	};

	if (strcmp(r->method, "PATCH") != 0)
		return BODY_OBJECT;
	for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++) {
		bool strategic = strstr(patches[i].type, "strategic");

		if (strncmp(r->content_type, patches[i].type, strlen(patches[i].type)) == 0)
			return strategic && kind_infos[t->kind].custom ? BODY_UNKNOWN : patches[i].body;
	}
	return BODY_UNKNOWN;
}

static cJSON *parse(const struct serve_request *r, struct err *err)
{
	if (strcmp(r->content_type, PROTOBUF_TYPE) == 0)
		return protobuf_parse(r->body, r->len, err);
	if (strstr(r->content_type, "yaml") && r->len && r->body[0] != '{')
		return yaml_parse(r->body, r->len, err);
	return json_parse(r->body, r->len, err);
}

static struct reply cannot_read(struct kubesim *k, const struct api_target *t, const struct err *err)
{
	return api_fail(&k->sim, 400, "BadRequest", "the object provided is unrecognized (must be of type %s): %s",
	                kind_infos[t->kind].kind, err->msg);
}

/* kind and apiVersion are checked where they are given; built-in kinds come without them from some clients. */
static bool is_of_kind(struct kubesim *k, const struct api_target *t, const struct form *f, const cJSON *body,
                       struct reply *ret_reply)
{
	const struct kind_info *info = &kind_infos[f->is_new_event ? KIND_EVENT : t->kind];
	const char *kind = json_str(body, "kind"), *version = json_str(body, "apiVersion");
	const char *namespace = json_str(json_get(body, "metadata"), "namespace");

	if (version && strcmp(version, info->api_version) != 0)
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "the API version in the data (%s) does not match the expected "
		                      "API version (%s)", version, info->api_version);
	else if (kind && strcmp(kind, info->kind) != 0)
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "the kind in the data (%s) is not %s", kind, info->kind);
	else if (namespace && t->namespace && strcmp(namespace, t->namespace) != 0)
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "the namespace of the provided object does not match the "
		                      "namespace sent on the request");
	else
		return true;
	return false;
}

/* Against the schema: unknown fields go or are an error, defaults come. False with the answer in RET_REPLY. */
static bool conforms(struct kubesim *k, const struct api_target *t, const char *name, cJSON *tree,
                     struct reply *ret_reply)
{
	cleanup_strbuf struct strbuf unknown = {0};
	struct refusal why = {0};
	const char *kind = kind_infos[t->kind].kind;

	if (!k->crds[t->kind].root)
		return true;
	schema_check(k->crds[t->kind].schema, tree, t->subresource, &why, &unknown);
	if (unknown.len && strcmp(t->validation, "Strict") == 0) {
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "%s in version \"v1alpha1\" cannot be handled as a %s: strict "
		                      "decoding error: %s", kind, kind, unknown.data);
		return false;
	}
	if (why.count == 0)
		return true;
	if (!refusal_lets_rules_speak(&why))
		refusal_add_as(&why, CAUSE_INVALID, "<nil>", "Invalid value: null: some validation rules were not checked because "
		               "the object was invalid; correct the existing errors to complete validation");
	*ret_reply = api_invalid(&k->sim, t->kind, name, &why);
	return false;
}

static void complete(const struct api_target *t, const char *name, cJSON *tree)
{
	if (t->kind == KIND_NAMESPACE)
		namespaces_complete(tree, name);
}

/* Kubernetes' own alphabet of generated names: no vowels, nothing that looks like another. */
static const char *generate_name(struct kubesim *k, const char *prefix)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	char end[6] = {0};

	for (int i = 0; i < 5; i++)
		end[i] = letters[rng_below(&k->sim.rng_users, sizeof(letters) - 1)];
	return arena_printf(&k->scratch, "%s%s", prefix, end);
}

static bool is_dns_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= 253 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == len &&
	       !strchr("-.", name[0]) && !strchr("-.", name[len - 1]) && !strstr(name, "..");
}

/* The name that a new object gets, or NULL with the answer. */
static const char *name_of(struct kubesim *k, const struct api_target *t, const cJSON *body, struct reply *ret_reply)
{
	const cJSON *meta = json_get(body, "metadata");
	const char *name = t->name ? t->name : json_str(meta, "name"), *prefix = json_str(meta, "generateName");
	struct refusal why = {0};

	if (!name && prefix)
		name = generate_name(k, prefix);
	if (!name)
		refusal_add_as(&why, CAUSE_REQUIRED, "metadata.name", "Required value: name or generateName is required");
	else if (!is_dns_name(name))
		refusal_add(&why, "metadata.name", "\"%s\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
		            "characters, '-' or '.', and must start and end with an alphanumeric character", name);
	if (why.count)
		*ret_reply = api_invalid(&k->sim, t->kind, name ? name : "", &why);
	return why.count ? NULL : arena_strdup(&k->scratch, name);
}

/* TREE is the body, which it may change. */
static struct reply create(struct kubesim *k, const struct api_target *t, cJSON *tree)
{
	struct reply reply;
	const char *name;

	if (json_str(json_get(tree, "metadata"), "resourceVersion") && !t->name)
		return api_fail(&k->sim, 500, "InternalError", "resourceVersion should not be set on objects to be created");
	name = name_of(k, t, tree, &reply);
	if (!name || !namespaces_take(&k->sim, t, name, &reply) || !conforms(k, t, name, tree, &reply))
		return reply;
	tree_put_str(tree_object(tree, "metadata"), "name", name);
	complete(t, name, tree);
	return api_add(&k->sim, t, name, tree);
}

/* TREE is what the object is to become; it is taken. */
static struct reply store(struct kubesim *k, const struct api_target *t, struct object *o, cJSON *tree)
{
	struct reply reply;

	if (conforms(k, t, o->name, tree, &reply))
		return api_store(&k->sim, t, o, tree);
	cJSON_Delete(tree);
	return reply;
}

static struct reply replace(struct kubesim *k, const struct api_target *t, struct object *o, const cJSON *body)
{
	const cJSON *meta = json_get(body, "metadata");
	const char *name = json_str(meta, "name");
	struct reply reply;
	struct refusal why = {0};

	if (name && strcmp(name, o->name) != 0)
		return api_fail(&k->sim, 400, "BadRequest", "the name of the object (%s) does not match the name on the URL (%s)",
		                name, o->name);
	if (!json_str(meta, "resourceVersion") && kind_infos[o->kind].custom) {
		refusal_add(&why, "metadata.resourceVersion", "0: must be specified for an update");
		return api_invalid(&k->sim, o->kind, o->name, &why);
	}
	if (api_is_stale(&k->sim, o, body, &reply))
		return reply;
	return store(k, t, o, tree_copy(body));
}

static struct reply cannot_patch(struct kubesim *k, const struct api_target *t)
{
	return api_fail_on(&k->sim, 422, "Invalid", t->kind, t->name, "the server rejected our request due to an error in our request");
}

static struct reply patch(struct kubesim *k, const struct api_target *t, struct object *o, enum body how,
                          const cJSON *body)
{
	struct reply reply;
	cJSON *tree;

	if (how != BODY_JSON && api_is_stale(&k->sim, o, body, &reply))
		return reply;
	tree = tree_copy(o->tree);
	if (how == BODY_MERGE)
		tree_merge_patch(tree, body);
	else if (!jsonpatch_apply(tree, body)) {
		cJSON_Delete(tree);
		return cannot_patch(k, t);
	}
	return store(k, t, o, tree);
}

static struct reply apply(struct kubesim *k, const struct api_target *t, struct object *o, cJSON *body)
{
	struct reply reply;

	if (!*t->manager)
		return api_fail(&k->sim, 422, "Invalid",
		                "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
	if (o && api_is_stale(&k->sim, o, body, &reply))
		return reply;
	reply = o ? store(k, t, o, api_applied(o, t->manager, body)) : create(k, t, body);
	o = etcd_get(&k->sim.etcd, t->kind, t->namespace ? t->namespace : "", t->name);
	if (o && !t->dry_run && (reply.http == 200 || reply.http == 201))
		api_note_applied(o, t->manager, body);
	return reply;
}

static struct reply edit(struct kubesim *k, const struct api_target *t, enum body how, cJSON *body)
{
	struct object *o = etcd_get(&k->sim.etcd, t->kind, t->namespace ? t->namespace : "", t->name);

	if (how == BODY_APPLY && !(t->subresource && !o))
		return apply(k, t, o, body);
	if (!o)
		return api_fail_on(&k->sim, 404, "NotFound", t->kind, t->name, "not found");
	if (how == BODY_OBJECT)
		return replace(k, t, o, body);
	return patch(k, t, o, how, body);
}

static struct reply delete(struct kubesim *k, const struct api_target *t, const struct serve_request *r)
{
	struct object *o = etcd_get(&k->sim.etcd, t->kind, t->namespace ? t->namespace : "", t->name);
	cleanup_json cJSON *options = r->len ? cJSON_Parse(r->body) : cJSON_CreateObject();

	if (!o)
		return api_fail_on(&k->sim, 404, "NotFound", t->kind, t->name, "not found");
	if (!cJSON_IsObject(options))
		return api_fail(&k->sim, 400, "BadRequest", "the body is no DeleteOptions");
	if (t->dry_run)
		tree_put(options, "dryRun", tree_parsef("[\"All\"]"));
	return api_delete(&k->sim, o, options);
}

struct reply write_request(struct kubesim *k, const struct api_target *t, const struct form *f,
                           const struct serve_request *r)
{
	enum body how = body_of(t, r);
	cleanup_json cJSON *body = NULL;
	struct err err = {0};
	struct reply reply;

	if (strcmp(r->method, "DELETE") == 0)
		return delete(k, t, r);
	if (how == BODY_UNKNOWN)
		return api_fail(&k->sim, 415, "UnsupportedMediaType", "the body of the request was in an unknown format - accepted "
		                "media types include: application/json-patch+json, application/merge-patch+json, "
		                "application/apply-patch+yaml");
	body = parse(r, &err);
	if (!body)
		return cannot_read(k, t, &err);
	if (how != BODY_JSON && !is_of_kind(k, t, f, body, &reply))
		return reply;
	if (f->is_new_event && !rules_allow_create(KIND_EVENT, body, &(struct refusal){0}))
		return api_fail(&k->sim, 422, "Invalid", "the Event is not complete");
	if (f->is_new_event)
		form_event_to_core(body);
	return t->name ? edit(k, t, how, body) : create(k, t, body);
}
