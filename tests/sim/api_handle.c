#include "sim.h"

#include <string.h>

static struct reply list(struct sim *sim, const struct api_target *t)
{
	struct api_page page;
	struct reply reply;

	return api_page(sim, t, &page, &reply) ? api_list(sim, t, &page) : reply;
}

static struct reply create(struct sim *sim, const struct api_target *t, const cJSON *body)
{
	const char *name = json_str(json_get(body, "metadata"), "name");

	if (!name || !*name)
		return api_fail(sim, 422, "Invalid", "metadata.name: Required value: name or generateName is required");
	return api_add(sim, t, name, body);
}

static struct reply update_status(struct sim *sim, const struct api_target *t, struct object *o, const cJSON *body)
{
	int64_t before = o->version;
	struct reply reply;

	if (!json_str(json_get(body, "metadata"), "resourceVersion"))
		return api_fail(sim, 422, "Invalid",
		                "metadata.resourceVersion: Invalid value: must be specified for an update");
	if (api_is_stale(sim, o, body, &reply))
		return reply;
	reply = api_store(sim, t, o, tree_copy(body));
	if (sim->by_operator && faults_are_over(sim, 120000) && reply.http == 200 && o->version == before)
		violation(sim, RULE_IDLE, "a status write of %s that changes nothing", o->name);
	return reply;
}

static struct reply apply(struct sim *sim, const struct api_target *t, struct object *o, const cJSON *body)
{
	const char *version = json_str(json_get(body, "metadata"), "resourceVersion");
	struct reply reply;

	if (!o && version && *version)
		return api_fail(sim, 409, "Conflict", "%s \"%s\" does not exist and a resourceVersion was given",
		                kind_infos[t->kind].plural, t->name);
	if (o && api_is_stale(sim, o, body, &reply))
		return reply;
	reply = o ? api_store(sim, t, o, api_applied(o, t->manager, body)) : api_add(sim, t, t->name, body);
	if (reply.http == 200 || reply.http == 201)
		api_note_applied(etcd_find(&sim->etcd, t->kind, t->name), t->manager, body);
	return reply;
}

static struct reply patch(struct sim *sim, const struct api_target *t, struct object *o, const cJSON *body)
{
	struct reply reply;
	cJSON *tree;

	if (api_is_stale(sim, o, body, &reply))
		return reply;
	tree = tree_copy(o->tree);
	tree_merge_patch(tree, body);
	return api_store(sim, t, o, tree);
}

static struct reply change(struct sim *sim, enum verb verb, const struct api_target *t, const cJSON *body)
{
	struct object *o = t->name ? etcd_find(&sim->etcd, t->kind, t->name) : NULL;
	bool status = t->subresource;

	if (verb == VERB_APPLY && t->name && !status)
		return apply(sim, t, o, body);
	if (verb == VERB_CREATE && !t->name)
		return create(sim, t, body);
	if (!t->name)
		return api_fail(sim, 405, "MethodNotAllowed", "%s of a collection", verb_name(verb));
	if (!o)
		return api_fail_on(sim, 404, "NotFound", t->kind, t->name, "not found");
	if (verb == VERB_GET)
		return api_ok(200, o);
	if (verb == VERB_UPDATE && status)
		return update_status(sim, t, o, body);
	if (verb == VERB_PATCH && !status)
		return patch(sim, t, o, body);
	if (verb == VERB_DELETE && !status)
		return api_delete(sim, o, body);
	return api_fail(sim, 405, "MethodNotAllowed", "the simulation does not take %s of this", verb_name(verb));
}

struct reply api_handle(struct sim *sim, enum verb verb, const char *path, const char *body)
{
	struct api_target t;
	struct reply reply;
	cleanup_json cJSON *tree = NULL;
	struct err err = {0};

	if (!api_parse(sim, path, &t, &reply))
		return reply;
	if (verb == VERB_LIST)
		return list(sim, &t);
	if (body && !(tree = json_parse(body, strlen(body), &err)))
		return api_fail(sim, 400, "BadRequest", "%s", err.msg);
	if (!tree && verb != VERB_GET && verb != VERB_DELETE)
		return api_fail(sim, 400, "BadRequest", "a body is needed");
	return change(sim, verb, &t, tree);
}
