#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crd/base/time.h"

#define EVENT_TTL_MS 3600000

void kube_release(struct kube *k)
{
	struct strmap_iter it = {0};

	while (strmap_next(&k->sets, &it))
		cJSON_Delete(((struct set_view *)it.value)->template);
	strmap_release(&k->sets);
	*k = (struct kube){0};
}

static struct set_view *view_of(struct sim *sim, const char *namespace, const char *name)
{
	char key[OBJECT_KEY_MAX];
	struct set_view *v;

	snprintf(key, sizeof(key), "%s/%s", namespace, name);
	v = strmap_get(&sim->kube.sets, key);
	if (v)
		return v;
	v = arena_alloc(&sim->arena, sizeof(*v));
	*v = (struct set_view){
		.namespace = arena_strdup(&sim->arena, namespace), .name = arena_strdup(&sim->arena, name),
	};
	strmap_set(&sim->kube.sets, key, v);
	return v;
}

static cJSON *owner_reference(const struct set_view *v)
{
	return tree_parsef("[{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"name\":\"%s\",\"uid\":\"%s\","
	                   "\"controller\":true,\"blockOwnerDeletion\":true}]", v->name, v->uid);
}

static void create_pod(struct sim *sim, const struct set_view *v, const char *name, int index)
{
	cJSON *tree = tree_parsef("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{}}");
	cJSON *meta = tree_object(tree, "metadata");
	char number[12];

	if (json_get(json_get(v->template, "metadata"), "labels"))
		tree_put(meta, "labels", tree_copy(json_get(json_get(v->template, "metadata"), "labels")));
	snprintf(number, sizeof(number), "%d", index);
	tree_put_str(tree_object(meta, "labels"), "apps.kubernetes.io/pod-index", number);
	tree_put_str(tree_object(meta, "labels"), "statefulset.kubernetes.io/pod-name", name);
	tree_put(meta, "ownerReferences", owner_reference(v));
	tree_put(tree, "spec", tree_copy(json_get(v->template, "spec")));
	tree_put(tree, "status", tree_parsef("{\"phase\":\"Pending\"}"));
	etcd_add(sim, KIND_POD, v->namespace, name, tree);
}

static bool pod_is_ready(const struct object *pod)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, json_get(json_get(pod->tree, "status"), "conditions")) {
		const char *type = json_str(c, "type");

		if (type && strcmp(type, "Ready") == 0)
			return strcmp(json_str(c, "status"), "True") == 0;
	}
	return false;
}

static void write_status(struct sim *sim, struct object *set, const struct set_view *v, int replicas, int ready)
{
	cJSON *status = tree_object(set->tree, "status");

	if (json_int(status, "observedGeneration", 0) == v->generation &&
	    json_int(status, "replicas", -1) == replicas && json_int(status, "readyReplicas", -1) == ready)
		return;
	tree_put_int(status, "observedGeneration", v->generation);
	tree_put_int(status, "replicas", replicas);
	tree_put_int(status, "readyReplicas", ready);
	etcd_commit(sim, set);
}

static void expire(struct sim *sim, void *arg)
{
	struct object *event = arg;

	if (etcd_get(&sim->etcd, event->kind, event->namespace, event->name) == event)
		etcd_remove(sim, event);
}

static void sync_set(struct sim *sim, void *arg);

/* An Event of core/v1 says so, one for each pod and counted up. The controller tries again a little later. */
static void refuse_pod(struct sim *sim, struct set_view *v, const char *pod)
{
	const char *name = arena_printf(&sim->arena, "%s.refused", pod);
	struct object *event = etcd_get(&sim->etcd, KIND_SETBACK, v->namespace, name);
	char now[TIME_TEXT_MAX];

	trace(sim, "pod %s: refused, quota", pod);
	time_format(sim->clock.now / 1000 * 1000, now);
	clock_in(&sim->clock, rng_between(&sim->rng_kube, 1000, 10000), sync_set, v);
	if (event) {
		tree_put_str(event->tree, "lastTimestamp", now);
		etcd_commit(sim, event);
		return;
	}
	event = etcd_add(sim, KIND_SETBACK, v->namespace, name, tree_parsef(
		"{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{},\"type\":\"Warning\",\"reason\":\"FailedCreate\","
		"\"involvedObject\":{\"kind\":\"StatefulSet\",\"namespace\":\"%s\",\"name\":\"%s\"},"
		"\"message\":\"create Pod %s in StatefulSet %s failed error: pods \\\"%s\\\" is forbidden: quota\","
		"\"lastTimestamp\":\"%s\"}", v->namespace, v->name, pod, v->name, pod, now));
	clock_at(&sim->clock, sim->clock.now + EVENT_TTL_MS, expire, event);
}

/* Parallel: what is too many goes at once, whatever state it is in. */
static void remove_surplus(struct sim *sim, const struct set_view *v)
{
	struct object *o = strmap_get(&sim->etcd.owned, v->uid), *next;

	for (; o; o = next) {
		const char *dash = strrchr(o->name, '-');

		next = o->next_owned;
		if (o->kind == KIND_POD && dash && strtol(dash + 1, NULL, 10) >= v->replicas && !etcd_is_ending(o))
			api_delete(sim, o, NULL);
	}
}

/* One sync of a set: missing pods are made, all at once; the status is written. */
static void sync_set(struct sim *sim, void *arg)
{
	struct set_view *v = arg;
	struct object *set = etcd_get(&sim->etcd, KIND_SET, v->namespace, v->name);
	int replicas = 0, ready = 0;
	char name[OBJECT_KEY_MAX];

	v->sync_due = false;
	if (!set || !v->template || strcmp(set->uid, v->uid) != 0 || etcd_is_ending(set))
		return;
	for (int i = 0; i < v->replicas; i++) {
		struct object *pod;

		snprintf(name, sizeof(name), "%s-%d", v->name, i);
		pod = etcd_get(&sim->etcd, KIND_POD, v->namespace, name);
		replicas++;
		if (!pod && faults_refuse_pod(sim))
			refuse_pod(sim, v, name);
		else if (!pod)
			create_pod(sim, v, name, i);
		else
			ready += pod_is_ready(pod);
	}
	remove_surplus(sim, v);
	write_status(sim, set, v, replicas, ready);
}

static void sync_soon(struct sim *sim, struct set_view *v)
{
	if (v->sync_due)
		return;
	v->sync_due = true;
	clock_in(&sim->clock, rng_between(&sim->rng_kube, 5, 80), sync_set, v);
}

/* The set's spec reaches the controller's cache. */
static void see_set(struct sim *sim, void *arg)
{
	struct set_view *v = arg;
	struct object *set = etcd_get(&sim->etcd, KIND_SET, v->namespace, v->name);
	const cJSON *spec;

	if (!set)
		return;
	spec = json_get(set->tree, "spec");
	cJSON_Delete(v->template);
	v->uid = set->uid;
	v->template = tree_copy(json_get(spec, "template"));
	v->replicas = (int)json_int(spec, "replicas", 1);
	v->generation = json_int(json_get(set->tree, "metadata"), "generation", 0);
	sync_soon(sim, v);
}

static void set_changed(struct sim *sim, const struct object *set)
{
	struct set_view *v = view_of(sim, set->namespace, set->name);
	bool slow = rng_chance(&sim->rng_kube, 100);

	if (v->generation != json_int(json_get(set->tree, "metadata"), "generation", 0) || !v->uid ||
	    strcmp(v->uid, set->uid) != 0)
		clock_in(&sim->clock, rng_between(&sim->rng_kube, 5, slow ? 3000 : 100), see_set, v);
}

/* Background deletion: what the removed object owned goes a little later. */
static void collect(struct sim *sim, void *arg)
{
	struct object *o = strmap_get(&sim->etcd.owned, arg), *next;

	for (; o; o = next) {
		next = o->next_owned;
		if (!etcd_is_ending(o))
			api_delete(sim, o, NULL);
	}
}

static void pod_changed(struct sim *sim, const struct object *pod, enum change change)
{
	const cJSON *owners = json_get(json_get(pod->tree, "metadata"), "ownerReferences");
	const char *set = owners && owners->child ? json_str(owners->child, "name") : NULL;

	if (change == CHANGE_ADDED)
		kubelet_pod_added(sim, pod);
	else if (change == CHANGE_DELETED)
		kubelet_pod_gone(sim, pod);
	else if (etcd_is_ending(pod))
		kubelet_pod_ending(sim, pod);
	if (set)
		sync_soon(sim, view_of(sim, pod->namespace, set));
}

void kube_changed(struct sim *sim, const struct object *o, enum change change)
{
	if (o->kind == KIND_POD)
		pod_changed(sim, o, change);
	else if (o->kind == KIND_SET && change != CHANGE_DELETED)
		set_changed(sim, o);
	if (change == CHANGE_DELETED && o->kind != KIND_EVENT)
		clock_in(&sim->clock, rng_between(&sim->rng_kube, 20, 500), collect, (void *)o->uid);
}
