#include "write.h"

#include "crd/base/yaml.h"
#include "namespaces.h"
#include "protobuf.h"
#include "schema.h"

#include <stdio.h>
#include <string.h>

enum body { BODY_OBJECT, BODY_MERGE, BODY_JSON, BODY_APPLY, BODY_UNKNOWN };

static const char patch_types[] = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
static const char object_types[] = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

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
		return strstr(r->content_type, "json") || strstr(r->content_type, "yaml") ||
		       strcmp(r->content_type, PROTOBUF_TYPE) == 0 ? BODY_OBJECT : BODY_UNKNOWN;
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

static struct reply cannot_read(struct kubesim *k, const struct api_target *t, const char *why)
{
	return api_fail(&k->sim, 400, "BadRequest", "the object provided is unrecognized (must be of type %s): %s",
	                kind_infos[t->kind].kind, why);
}

static struct reply other_kind(struct kubesim *k, const struct api_target *t, const char *kind, const cJSON *body)
{
	const char *name = json_str(json_get(body, "metadata"), "name");
	enum kind named = t->kind;
	struct refusal why = {0};

	for (int i = 0; i < KINDS; i++)
		named = strcmp(kind_infos[i].kind, kind) == 0 ? (enum kind)i : named;
	refusal_add(&why, "kind", "\"%s\": must be %s", kind, kind_infos[t->kind].kind);
	return api_invalid(&k->sim, named, t->name ? t->name : name ? name : "", &why);
}

/* An edit may leave the names out that its URL has, but not give others. */
static bool is_of_url(struct kubesim *k, const struct api_target *t, enum body how, const cJSON *body,
                      struct reply *ret_reply)
{
	const cJSON *meta = json_get(body, "metadata");
	const char *name = json_str(meta, "name"), *namespace = json_str(meta, "namespace");

	if (namespace && t->namespace && strcmp(namespace, t->namespace) != 0)
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "the namespace of the provided object does not match the "
		                      "namespace sent on the request");
	else if (t->name && name && strcmp(name, t->name) != 0)
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "the name of the object (%s) does not match the name on the "
		                      "URL (%s)", name, t->name);
	else if (t->name && !name && how == BODY_OBJECT)
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "the name of the object (%s based on URL) was undeterminable: "
		                      "name must be provided", t->name);
	else
		return true;
	return false;
}

/* kind and apiVersion have to be there in objects of our kinds; built-in kinds come without them from some clients. */
static bool is_of_kind(struct kubesim *k, const struct api_target *t, const struct form *f, enum body how,
                       const cJSON *body, struct reply *ret_reply)
{
	const struct kind_info *info = &kind_infos[f->is_new_event ? KIND_EVENT : t->kind];
	const char *kind = json_str(body, "kind"), *version = json_str(body, "apiVersion");
	bool must = info->custom && how == BODY_OBJECT;

	if (must && (!kind || !*kind))
		*ret_reply = cannot_read(k, t, "Object 'Kind' is missing");
	else if ((must || version) && strcmp(version ? version : "", info->api_version) != 0)
		*ret_reply = api_fail(&k->sim, 400, "BadRequest", "the API version in the data (%s) does not match the expected "
		                      "API version (%s)", version ? version : "", info->api_version);
	else if (kind && strcmp(kind, info->kind) != 0)
		*ret_reply = other_kind(k, t, kind, body);
	else
		return is_of_url(k, t, how, body, ret_reply);
	return false;
}

/* What the rules in CEL have against it, too; they are not asked once a value has not even its type. */
static void add_rules(const struct api_target *t, const struct object *o, const cJSON *tree, struct refusal *why)
{
	if (!refusal_lets_rules_speak(why))
		refusal_add_as(why, CAUSE_INVALID, "<nil>", "Invalid value: null: some validation rules were not checked because "
		               "the object was invalid; correct the existing errors to complete validation");
	else if (!o)
		rules_allow_create(t->kind, tree, why);
	else if (!t->subresource)
		rules_allow_edit(t->kind, o->tree, tree, why);
}

/*
 * Against the schema: unknown fields go or are an error, defaults come. False with the answer in RET_REPLY. O is what TREE
 * replaces, or NULL.
 */
static bool conforms(struct kubesim *k, const struct api_target *t, const char *name, const struct object *o,
                     cJSON *tree, struct reply *ret_reply)
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
	add_rules(t, o, tree, &why);
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

#define DNS_LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"

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
	if (!name || !*name) {
		refusal_add_as(&why, CAUSE_REQUIRED, "metadata.name", "Required value: name or generateName is required");
		if (kind_infos[t->kind].custom)
			add_rules(t, NULL, body, &why);
	} else if (!is_dns_name(name)) {
		refusal_add(&why, "metadata.name", "\"%s\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
		            "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
		            "regex used for validation is '" DNS_LABEL "(\\." DNS_LABEL ")*')", name);
	}
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
	if (!name || !namespaces_take(&k->sim, t, name, &reply) || !conforms(k, t, name, NULL, tree, &reply))
		return reply;
	tree_put_str(tree_object(tree, "metadata"), "name", name);
	complete(t, name, tree);
	return api_add(&k->sim, t, name, tree);
}

/* TREE is what the object is to become; it is taken. */
static struct reply store(struct kubesim *k, const struct api_target *t, struct object *o, cJSON *tree)
{
	struct reply reply;

	if (conforms(k, t, o->name, o, tree, &reply))
		return api_store(&k->sim, t, o, tree);
	cJSON_Delete(tree);
	return reply;
}

static struct reply replace(struct kubesim *k, const struct api_target *t, struct object *o, const cJSON *body)
{
	const cJSON *meta = json_get(body, "metadata");
	struct reply reply;
	struct refusal why = {0};

	if (!json_str(meta, "resourceVersion") && kind_infos[o->kind].custom) {
		refusal_add(&why, "metadata.resourceVersion", "0: must be specified for an update");
		return api_invalid(&k->sim, o->kind, o->name, &why);
	}
	if (api_is_stale(&k->sim, o, body, &reply))
		return reply;
	return store(k, t, o, tree_copy(body));
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
		return api_fail(&k->sim, 422, "Invalid", "the server rejected our request due to an error in our request");
	}
	return store(k, t, o, tree);
}

static struct reply apply(struct kubesim *k, const struct api_target *t, struct object *o, cJSON *body)
{
	struct reply reply;

	if (!*t->manager)
		return api_fail(&k->sim, 422, "Invalid",
		                "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
	if (json_get(json_get(body, "metadata"), "managedFields"))
		return api_fail(&k->sim, 400, "BadRequest", "metadata.managedFields must be nil");
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
		                "media types include: %s", strcmp(r->method, "PATCH") == 0 ? patch_types : object_types);
	body = parse(r, &err);
	if (!body)
		return cannot_read(k, t, err.msg);
	if (how == BODY_JSON ? !cJSON_IsArray(body) : !cJSON_IsObject(body))
		return cannot_read(k, t, how == BODY_JSON ? "a JSON patch is a list" : "not an object");
	if (how != BODY_JSON && !is_of_kind(k, t, f, how, body, &reply))
		return reply;
	if (f->is_new_event && !rules_allow_create(KIND_EVENT, body, &(struct refusal){0}))
		return api_fail(&k->sim, 422, "Invalid", "the Event is not complete");
	if (f->is_new_event)
		form_event_to_core(body);
	return t->name ? edit(k, t, how, body) : create(k, t, body);
}
