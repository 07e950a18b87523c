#include "sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crd/base/time.h"

const struct kind_info kind_infos[KINDS] = {
	[KIND_APP] = {"apps", "App", "rolecall.dev/v1alpha1", true, true},
	[KIND_CLUSTER] = {"clusters", "Cluster", "rolecall.dev/v1alpha1", true, true},
	[KIND_SET] = {"statefulsets", "StatefulSet", "apps/v1", false, true},
	[KIND_SERVICE] = {"services", "Service", "v1", false, false},
	[KIND_POD] = {"pods", "Pod", "v1", false, false},
	[KIND_EVENT] = {"events", "Event", "events.k8s.io/v1", false, false},
	[KIND_SETBACK] = {"events", "Event", "v1", false, false},
};

/* Index of NAME, or of where it belongs. */
static size_t place_of(const struct etcd *s, enum kind kind, const char *name, bool *ret_found)
{
	size_t low = 0, high = s->count[kind];

	*ret_found = false;
	while (low < high && !*ret_found) {
		size_t middle = (low + high) / 2;
		int order = strcmp(s->objects[kind][middle]->name, name);

		*ret_found = order == 0;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

struct object *etcd_find(const struct etcd *s, enum kind kind, const char *name)
{
	bool found;
	size_t i = place_of(s, kind, name, &found);

	return found ? s->objects[kind][i] : NULL;
}

void etcd_release(struct etcd *s)
{
	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < s->count[kind]; i++) {
			cJSON_Delete(s->objects[kind][i]->tree);
			cJSON_Delete(s->objects[kind][i]->applied);
		}
		free(s->objects[kind]);
	}
	free(s->history);
	*s = (struct etcd){0};
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

static void record(struct sim *sim, struct object *o, enum change change)
{
	struct etcd *s = &sim->etcd;
	const char *cluster = tree_label(o->tree, "rolecall.dev/cluster");
	char version[24];
	char *text;

	o->version = ++s->last;
	snprintf(version, sizeof(version), "%lld", (long long)o->version);
	tree_put_str(etcd_meta(o), "resourceVersion", version);
	text = cJSON_PrintUnformatted(o->tree);
	assert(text);
	o->len = strlen(text);
	o->text = arena_strndup(&sim->arena, text, o->len);
	cJSON_free(text);

	s->history = grown(s->history, s->history_count, &s->history_room, sizeof(*s->history));
	s->history[s->history_count++] = (struct version){
		.version = o->version, .kind = o->kind, .change = change,
		.cluster = cluster ? arena_strdup(&sim->arena, cluster) : NULL,
		.text = o->text, .len = o->len,
	};
	stream_wake(sim, o->kind);
	book_changed(sim, o, change);
	kube_changed(sim, o, change);
}

static void put_new_meta(struct sim *sim, struct object *o)
{
	cJSON *meta = etcd_meta(o);
	char created[TIME_TEXT_MAX];

	time_format(sim->clock.now / 1000 * 1000, created);
	tree_put_str(meta, "name", o->name);
	tree_put_str(meta, "namespace", SIM_NAMESPACE);
	tree_put_str(meta, "uid", o->uid);
	tree_put_str(meta, "creationTimestamp", created);
	if (kind_infos[o->kind].has_spec)
		tree_put_int(meta, "generation", 1);
}

struct object *etcd_add(struct sim *sim, enum kind kind, const char *name, cJSON *tree)
{
	struct etcd *s = &sim->etcd;
	struct object *o = arena_alloc(&sim->arena, sizeof(*o));
	bool found;
	size_t i = place_of(s, kind, name, &found);

	assert(!found);
	*o = (struct object){.kind = kind, .name = arena_strdup(&sim->arena, name), .tree = tree};
	o->uid = arena_printf(&sim->arena, "%08x-0000-4000-8000-%012x", s->uid_count * 2654435761u, s->uid_count);
	s->uid_count++;
	s->objects[kind] = grown(s->objects[kind], s->count[kind], &s->room[kind], sizeof(struct object *));
	memmove(&s->objects[kind][i + 1], &s->objects[kind][i], (s->count[kind] - i) * sizeof(struct object *));
	s->objects[kind][i] = o;
	s->count[kind]++;
	put_new_meta(sim, o);
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
	size_t i = place_of(s, o->kind, o->name, &found);

	assert(found && s->objects[o->kind][i] == o);
	memmove(&s->objects[o->kind][i], &s->objects[o->kind][i + 1],
	        (--s->count[o->kind] - i) * sizeof(struct object *));
	record(sim, o, CHANGE_DELETED);
	cJSON_Delete(o->tree);
	cJSON_Delete(o->applied);
	o->tree = o->applied = NULL;
}
