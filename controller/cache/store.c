#include "controller/cache/store.h"

#include "crd/base/json.h"
#include "crd/base/slabs.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

/* Namespace and name are at most 253 bytes each (RFC 1123 subdomains). */
#define KEY_SIZE 512

static void make_key(char out[KEY_SIZE], const char *namespace, const char *name)
{
	snprintf(out, KEY_SIZE, "%s/%s", namespace, name);
}

void store_init(struct store *s, struct slabs *slabs,
                void (*on_change)(void *, enum object_kind, const void *, const void *), void *ctx)
{
	*s = (struct store){ .slabs = slabs, .on_change = on_change, .ctx = ctx };
	for (size_t i = 0; i < OBJECT_KINDS; i++)
		s->kinds[i].entries.slabs = s->kinds[i].groups.slabs = slabs;
}

static struct store_entry *find(const struct store *s, enum object_kind kind, const char *namespace, const char *name)
{
	char key[KEY_SIZE];

	make_key(key, namespace, name);
	return strmap_get(&s->kinds[kind].entries, key);
}

static size_t group_size(const char *key)
{
	return sizeof(struct store_group) + strlen(key) + 1;
}

static void leave_group(struct store *s, enum object_kind kind, struct store_entry *e)
{
	struct store_group *g = e->group;

	if (!g)
		return;
	DL_DELETE(g->entries, e);
	e->group = NULL;
	if (g->entries)
		return;
	strmap_remove(&s->kinds[kind].groups, g->key);
	slabs_free(s->slabs, g, group_size(g->key));
}

static void join_group(struct store *s, enum object_kind kind, struct store_entry *e, const struct object_id *id)
{
	struct strmap *groups = &s->kinds[kind].groups;
	char key[KEY_SIZE];

	make_key(key, id->namespace, id->cluster);
	if (e->group && !strcmp(e->group->key, key))
		return;
	leave_group(s, kind, e);

	struct store_group *g = strmap_get(groups, key);
	if (!g) {
		g = slabs_new(s->slabs, group_size(key));
		memcpy(g->key, key, strlen(key) + 1);
		strmap_set(groups, key, g);
	}
	DL_APPEND(g->entries, e);
	e->group = g;
}

static struct store_entry *new_entry(struct store *s, enum object_kind kind, const struct object_id *id)
{
	char key[KEY_SIZE];
	struct store_entry *e = slabs_new(s->slabs, sizeof(*e));

	make_key(key, id->namespace, id->name);
	strmap_set(&s->kinds[kind].entries, key, e);
	return e;
}

static void drop(struct store *s, enum object_kind kind, struct store_entry *e)
{
	struct store_kind *k = &s->kinds[kind];
	const void *object = e->object;
	size_t size = e->size;
	struct object_id id = object_id(kind, object);
	char key[KEY_SIZE];

	make_key(key, id.namespace, id.name);
	leave_group(s, kind, e);
	strmap_remove(&k->entries, key);
	slabs_free(s->slabs, e, sizeof(*e));
	if (s->on_change)
		s->on_change(s->ctx, kind, object, NULL);
	slabs_free(s->slabs, object, size);
}

static void take(struct store *s, enum object_kind kind, struct store_entry *e, const void *object,
                 const struct object_id *id)
{
	const void *before = e->object;
	size_t size = e->size;

	e->object = crd_pack(object_type(kind), object, s->slabs, &e->size);
	e->version = object_version(id->version);
	join_group(s, kind, e, id);
	if (s->on_change)
		s->on_change(s->ctx, kind, before, e->object);
	slabs_free(s->slabs, before, size);
}

static void put_decoded(struct store *s, enum object_kind kind, const void *object, enum store_source source)
{
	struct store_kind *k = &s->kinds[kind];
	struct object_id id = object_id(kind, object);
	uint64_t version = object_version(id.version);
	struct store_entry *e = find(s, kind, id.namespace, id.name);

	if (source == STORE_WATCH && version > k->seen)
		k->seen = version;
	if (!e && source == STORE_ANSWER && version <= k->seen)
		return;
	if (e && source == STORE_LIST)
		e->list = k->list;
	if (e && version <= e->version)
		return;
	if (!e) {
		e = new_entry(s, kind, &id);
		e->list = source == STORE_LIST ? k->list : 0;
	}
	take(s, kind, e, object, &id);
}

/* What cannot be read is still there: a list must not remove the copy that could. */
static void keep_unreadable(struct store *s, enum object_kind kind, const cJSON *json)
{
	const cJSON *meta = json_get(json, "metadata");
	const char *namespace = json_str(meta, "namespace"), *name = json_str(meta, "name");
	struct store_entry *e = namespace && name ? find(s, kind, namespace, name) : NULL;

	if (e)
		e->list = s->kinds[kind].list;
}

int store_put(struct store *s, enum object_kind kind, struct cJSON *json, enum store_source source, struct err *err)
{
	const void *object;

	arena_reset(&s->scratch);
	if (object_decode(kind, json, &s->scratch, &object, err) < 0) {
		if (source == STORE_LIST)
			keep_unreadable(s, kind, json);
		return -1;
	}
	put_decoded(s, kind, object, source);
	return 0;
}

int store_remove(struct store *s, enum object_kind kind, const struct cJSON *json, struct err *err)
{
	const cJSON *meta = json_get(json, "metadata");
	const char *namespace = json_str(meta, "namespace"), *name = json_str(meta, "name");
	uint64_t version = object_version(json_str(meta, "resourceVersion"));

	if (!namespace || !name || version == 0)
		return err_set(err, ERR_PROTOCOL, "a deleted object without name, namespace or resourceVersion");

	struct store_entry *e = find(s, kind, namespace, name);
	if (version > s->kinds[kind].seen)
		s->kinds[kind].seen = version;
	if (e && version >= e->version)
		drop(s, kind, e);
	return 0;
}

void store_forget(struct store *s, enum object_kind kind, const char *namespace, const char *name, const char *uid)
{
	struct store_entry *e = find(s, kind, namespace, name);

	if (e && !strcmp(object_id(kind, e->object).uid, uid))
		drop(s, kind, e);
}

void store_saw(struct store *s, enum object_kind kind, const char *version)
{
	uint64_t number = object_version(version);

	if (number > s->kinds[kind].seen)
		s->kinds[kind].seen = number;
}

void store_list_begin(struct store *s, enum object_kind kind, const char *version)
{
	struct store_kind *k = &s->kinds[kind];

	k->list++;
	if (object_version(version) >= k->seen)
		return;
	k->seen = 0;

	struct strmap_iter it = { 0 };
	while (strmap_next(&k->entries, &it))
		((struct store_entry *)it.value)->version = 0;
}

void store_list_end(struct store *s, enum object_kind kind, const char *version)
{
	struct store_kind *k = &s->kinds[kind];
	uint64_t as_of = object_version(version);
	struct strmap_iter it = { 0 };

	/* Newer ones were made after the list was taken: the watch will tell. */
	while (strmap_next(&k->entries, &it)) {
		struct store_entry *e = it.value;

		if (e->list != k->list && e->version <= as_of)
			drop(s, kind, e);
	}
	k->seen = as_of > k->seen ? as_of : k->seen;
}

const void *store_get(const struct store *s, enum object_kind kind, const char *namespace, const char *name)
{
	const struct store_entry *e = find(s, kind, namespace, name);

	return e ? e->object : NULL;
}

const struct store_entry *store_group(const struct store *s, enum object_kind kind, const char *namespace,
                                      const char *cluster)
{
	char key[KEY_SIZE];

	make_key(key, namespace, cluster);

	const struct store_group *g = strmap_get(&s->kinds[kind].groups, key);
	return g ? g->entries : NULL;
}

size_t store_count(const struct store *s, enum object_kind kind)
{
	return strmap_count(&s->kinds[kind].entries);
}

static void release_kind(struct store *s, struct store_kind *k)
{
	struct strmap_iter entry = { 0 }, group = { 0 };

	while (strmap_next(&k->entries, &entry)) {
		struct store_entry *e = entry.value;

		slabs_free(s->slabs, e->object, e->size);
		slabs_free(s->slabs, e, sizeof(*e));
	}
	while (strmap_next(&k->groups, &group)) {
		struct store_group *g = group.value;

		slabs_free(s->slabs, g, group_size(g->key));
	}
	strmap_release(&k->entries);
	strmap_release(&k->groups);
}

void store_release(struct store *s)
{
	for (size_t i = 0; i < OBJECT_KINDS; i++)
		release_kind(s, &s->kinds[i]);
	arena_release(&s->scratch);
}
