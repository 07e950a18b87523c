#include "sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crd/base/time.h"

const struct kind_info kind_infos[KINDS] = {
	[KIND_APP] = {"apps", "App", "rolecall.dev/v1alpha1", true, true, true, true},
	[KIND_CLUSTER] = {"clusters", "Cluster", "rolecall.dev/v1alpha1", true, true, true, true},
	[KIND_SET] = {"statefulsets", "StatefulSet", "apps/v1", false, true, true, true},
	[KIND_SERVICE] = {"services", "Service", "v1", false, false, true, true},
	[KIND_POD] = {"pods", "Pod", "v1", false, false, true, true},
	[KIND_EVENT] = {"events", "Event", "events.k8s.io/v1", false, false, false, true},
	[KIND_SETBACK] = {"events", "Event", "v1", false, false, false, true},
	[KIND_NAMESPACE] = {"namespaces", "Namespace", "v1", false, false, false, false},
};

static int order_of(const struct object *o, const char *namespace, const char *name)
{
	int order = strcmp(o->namespace, namespace);

	return order ? order : strcmp(o->name, name);
}

/* Index of the object, or of where it belongs. */
static size_t place_of(const struct etcd *s, enum kind kind, const char *namespace, const char *name, bool *ret_found)
{
	size_t low = 0, high = s->count[kind];

	*ret_found = false;
	while (low < high && !*ret_found) {
		size_t middle = (low + high) / 2;
		int order = order_of(s->objects[kind][middle], namespace, name);

		*ret_found = order == 0;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

struct object *etcd_get(const struct etcd *s, enum kind kind, const char *namespace, const char *name)
{
	bool found;
	size_t i = place_of(s, kind, namespace, name, &found);

	return found ? s->objects[kind][i] : NULL;
}

struct object *etcd_find(const struct etcd *s, enum kind kind, const char *name)
{
	return etcd_get(s, kind, SIM_NAMESPACE, name);
}

size_t etcd_first_after(const struct etcd *s, enum kind kind, const char *namespace, const char *name)
{
	bool found;
	size_t i = place_of(s, kind, namespace, name, &found);

	return i + found;
}

size_t etcd_history_after(const struct etcd *s, int64_t version)
{
	size_t low = 0, high = s->history_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->history[middle].version <= version)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void unref_text(struct text *text)
{
	if (!text || --text->refs > 0)
		return;
	free(text->data);
	free(text);
}

static void release_version(struct etcd *s, struct version *v)
{
	s->history_bytes -= v->text->len;
	cJSON_Delete(v->labels);
	unref_text(v->text);
}

static void release_object(struct object *o)
{
	cJSON_Delete(o->tree);
	cJSON_Delete(o->applied);
	unref_text(o->text);
	o->tree = o->applied = NULL;
	o->text = NULL;
}

void etcd_release(struct etcd *s)
{
	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < s->count[kind]; i++)
			release_object(s->objects[kind][i]);
		free(s->objects[kind]);
	}
	for (size_t i = 0; i < s->history_count; i++)
		release_version(s, &s->history[i]);
	free(s->history);
	strmap_release(&s->owned);
	*s = (struct etcd){0};
}

void etcd_compact(struct etcd *s, int64_t version)
{
	size_t n = etcd_history_after(s, version);

	for (size_t i = 0; i < n; i++)
		release_version(s, &s->history[i]);
	memmove(s->history, s->history + n, (s->history_count - n) * sizeof(*s->history));
	s->history_count -= n;
	if (s->compacted < version)
		s->compacted = version;
}

static void *grown(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : 32;
	array = realloc(array, *room * size);
	assert(array);
	return array;
}

cJSON *etcd_meta(struct object *o)
{
	return tree_object(o->tree, "metadata");
}

bool etcd_is_ending(const struct object *o)
{
	return json_get(json_get(o->tree, "metadata"), "deletionTimestamp");
}

static struct text *print(const cJSON *tree)
{
	struct text *text = malloc(sizeof(*text));
	struct strbuf json = {0};

	assert(text);
	json_print(tree, &json);
	*text = (struct text){.refs = 1, .data = realloc(json.data, json.len + 1), .len = json.len};
	assert(text->data && !json.full);
	return text;
}

static void record(struct sim *sim, struct object *o, enum change change)
{
	struct etcd *s = &sim->etcd;
	int64_t before = o->version;
	char version[24];

	o->version = ++s->last;
	snprintf(version, sizeof(version), "%lld", (long long)o->version);
	tree_put_str(etcd_meta(o), "resourceVersion", version);
	unref_text(o->text);
	o->text = print(o->tree);

	s->history = grown(s->history, s->history_count, &s->history_room, sizeof(*s->history));
	s->history[s->history_count++] = (struct version){
		.version = o->version, .before = before, .kind = o->kind, .change = change, .namespace = o->namespace,
		.labels = tree_copy(json_get(json_get(o->tree, "metadata"), "labels")), .text = o->text,
	};
	o->text->refs++;
	s->history_bytes += o->text->len;
	stream_wake(sim, o->kind);
	book_changed(sim, o, change);
	kube_changed(sim, o, change);
}

void etcd_put_new_meta(struct sim *sim, struct object *o)
{
	cJSON *meta = etcd_meta(o);
	char created[TIME_TEXT_MAX];

	time_format(sim->clock.now / 1000 * 1000, created);
	tree_put_str(meta, "name", o->name);
	if (*o->namespace)
		tree_put_str(meta, "namespace", o->namespace);
	tree_put_str(meta, "uid", o->uid);
	tree_put_str(meta, "creationTimestamp", created);
	if (kind_infos[o->kind].has_spec)
		tree_put_int(meta, "generation", 1);
}

static void note_owner(struct sim *sim, struct object *o)
{
	const cJSON *owners = json_get(json_get(o->tree, "metadata"), "ownerReferences");
	const char *uid = owners ? json_str(owners->child, "uid") : NULL;

	if (!uid)
		return;
	o->owner = arena_strdup(&sim->arena, uid);
	o->next_owned = strmap_set(&sim->etcd.owned, uid, o);
}

static void forget_owner(struct etcd *s, const struct object *o)
{
	struct object *first = o->owner ? strmap_get(&s->owned, o->owner) : NULL, *before = first;

	if (first && first != o) {
		while (before->next_owned != o)
			before = before->next_owned;
		before->next_owned = o->next_owned;
	} else if (first && o->next_owned) {
		strmap_set(&s->owned, o->owner, o->next_owned);
	} else if (first) {
		strmap_remove(&s->owned, o->owner);
	}
}

struct object *etcd_add(struct sim *sim, enum kind kind, const char *namespace, const char *name, cJSON *tree)
{
	struct etcd *s = &sim->etcd;
	struct object *o = arena_alloc(&sim->arena, sizeof(*o));
	bool found;
	size_t i = place_of(s, kind, namespace, name, &found);

	assert(!found);
	*o = (struct object){
		.kind = kind, .namespace = arena_strdup(&sim->arena, namespace), .name = arena_strdup(&sim->arena, name),
		.uid = arena_printf(&sim->arena, "%08x-0000-4000-8000-%012x", s->uid_count * 2654435761u, s->uid_count),
		.tree = tree,
	};
	s->uid_count++;
	s->objects[kind] = grown(s->objects[kind], s->count[kind], &s->room[kind], sizeof(struct object *));
	memmove(&s->objects[kind][i + 1], &s->objects[kind][i], (s->count[kind] - i) * sizeof(struct object *));
	s->objects[kind][i] = o;
	s->count[kind]++;
	etcd_put_new_meta(sim, o);
	note_owner(sim, o);
	record(sim, o, CHANGE_ADDED);
	return o;
}

void etcd_commit(struct sim *sim, struct object *o)
{
	record(sim, o, CHANGE_MODIFIED);
}

void etcd_remove(struct sim *sim, struct object *o)
{
	struct etcd *s = &sim->etcd;
	bool found;
	size_t i = place_of(s, o->kind, o->namespace, o->name, &found);

	assert(found && s->objects[o->kind][i] == o);
	memmove(&s->objects[o->kind][i], &s->objects[o->kind][i + 1],
	        (--s->count[o->kind] - i) * sizeof(struct object *));
	forget_owner(s, o);
	record(sim, o, CHANGE_DELETED);
	release_object(o);
}
