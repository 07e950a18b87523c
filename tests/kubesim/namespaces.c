#include "namespaces.h"

#include <string.h>

#define SWEEP_MS 100

/* How much is left in NAMESPACE after everything that may go was deleted. */
static size_t empty(struct sim *sim, const char *namespace)
{
	size_t left = 0;

	for (int kind = 0; kind < KINDS; kind++) {
		size_t i = etcd_first_after(&sim->etcd, (enum kind)kind, namespace, "");

		while (i < sim->etcd.count[kind]) {
			struct object *o = sim->etcd.objects[kind][i];

			if (strcmp(o->namespace, namespace) != 0)
				break;
			if (!etcd_is_ending(o))
				api_delete(sim, o, NULL);
			if (i < sim->etcd.count[kind] && sim->etcd.objects[kind][i] == o) {
				left++;
				i++;
			}
		}
	}
	return left;
}

static void sweep(struct sim *sim, void *arg)
{
	const char *name = arg;
	struct object *o = etcd_get(&sim->etcd, KIND_NAMESPACE, "", name);

	if (!o || !etcd_is_ending(o))
		return;
	if (empty(sim, name) == 0)
		etcd_remove(sim, o);
	else
		clock_at(&sim->clock, sim->clock.now + SWEEP_MS, sweep, arg);
}

void namespaces_changed(struct sim *sim, const struct object *o, enum change change)
{
	if (o->kind == KIND_NAMESPACE && change == CHANGE_MODIFIED && etcd_is_ending(o))
		clock_at(&sim->clock, sim->clock.now + 1, sweep, (void *)o->name);
}

void namespaces_complete(cJSON *tree, const char *name)
{
	cJSON *meta = tree_object(tree, "metadata");

	tree_put_str(tree_object(meta, "labels"), "kubernetes.io/metadata.name", name);
	tree_put(tree, "spec", tree_parsef("{\"finalizers\":[\"kubernetes\"]}"));
	tree_put(tree, "status", tree_parsef("{\"phase\":\"Active\"}"));
}

bool namespaces_take(struct sim *sim, const struct api_target *t, const char *name, struct reply *ret_reply)
{
	const struct object *o = t->namespace ? etcd_get(&sim->etcd, KIND_NAMESPACE, "", t->namespace) : NULL;

	if (t->namespace && !o)
		*ret_reply = api_fail_on(sim, 404, "NotFound", KIND_NAMESPACE, t->namespace, "not found");
	else if (t->namespace && etcd_is_ending(o))
		*ret_reply = api_fail_on(sim, 403, "Forbidden", t->kind, name, "is forbidden: unable to create new content "
		                         "in namespace %s because it is being terminated", t->namespace);
	else
		return true;
	return false;
}
