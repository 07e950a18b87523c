/*
 * What is known of the API server's objects: for each kind a map from namespace and name to a typed, packed struct.
 *
 * - Newest wins. Three sources write here (lists, watches, and the answers to our own requests), in no fixed order, and
 *   an object that is not newer than the one held is ignored. So a pass never sees an older copy of an object than the
 *   answer to its own write (DESIGN section 3).
 * - Gone stays gone. An answer that comes late must not bring back an object whose deletion the watch has told already:
 *   one that is not held is taken only when it is newer than all that list and watch have shown (.seen).
 * - Objects are immutable; a pointer is good until the next call that may write, which no pass outlives.
 *
 * Versions are compared as numbers: see object_version().
 */
#pragma once

#include "controller/cache/object.h"
#include "crd/base/strmap.h"

#include <stdbool.h>

struct store_group;

struct store_entry {
	struct store_entry *prev, *next; /* of the same group; the last one's next is NULL */
	struct store_group *group;
	const void *object;              /* struct app, cluster, ... by kind */
	size_t size;                     /* of .object */
	uint64_t version;
	uint32_t list;                   /* the newest list that it was in */
};

/* Entries that are looked up together: a Cluster's children of one kind, or the Clusters of a namespace. */
struct store_group {
	struct store_entry *entries;
	char key[]; /* "namespace/cluster" */
};

struct store_kind {
	struct strmap entries; /* "namespace/name" -> struct store_entry */
	struct strmap groups;  /* "namespace/cluster" -> struct store_group */
	uint64_t seen;         /* newest version that list or watch has shown */
	uint32_t list;         /* number of the list that is being read, or was last */
};

enum store_source { STORE_LIST, STORE_WATCH, STORE_ANSWER };

struct store {
	struct store_kind kinds[OBJECT_KINDS];
	struct slabs *slabs; /* of all that is kept; borrowed; NULL: malloc */
	struct arena scratch;
	/* After every change; BEFORE is NULL for a new object, AFTER for one that went. It must not write. */
	void (*on_change)(void *ctx, enum object_kind kind, const void *before, const void *after);
	void *ctx;
};

void store_init(struct store *s, struct slabs *slabs,
                void (*on_change)(void *, enum object_kind, const void *, const void *), void *ctx);
void store_release(struct store *s);

/*
 * Takes an object as the server sent it (JSON may be changed) and keeps a copy if it is news. -1 when it cannot be
 * decoded: the copy that is held, if any, stays, and a list in progress counts it as there.
 */
int store_put(struct store *s, enum object_kind kind, struct cJSON *json, enum store_source source, struct err *err);

/* A watch told that the object was deleted; ignored when a newer one of that name is held. */
int store_remove(struct store *s, enum object_kind kind, const struct cJSON *json, struct err *err);
/* A request was answered 404: drops the object if it is still the one with this UID. */
void store_forget(struct store *s, enum object_kind kind, const char *namespace, const char *name, const char *uid);
/* A watch has told all there is up to VERSION (bookmark). */
void store_saw(struct store *s, enum object_kind kind, const char *version);

/*
 * A list of all objects as of VERSION: begin, STORE_LIST puts, end. What the list did not contain goes at the end, so
 * a list that breaks off removes nothing. A VERSION below what was seen before means that the server's history was
 * turned back (etcd restored from a backup): then the list overrides whatever is held.
 */
void store_list_begin(struct store *s, enum object_kind kind, const char *version);
void store_list_end(struct store *s, enum object_kind kind, const char *version);

/* NULL when there is none. */
const void *store_get(const struct store *s, enum object_kind kind, const char *namespace, const char *name);
/* The first of a Cluster's children, or, with CLUSTER "" and kind OBJECT_CLUSTER, of a namespace's Clusters. */
const struct store_entry *store_group(const struct store *s, enum object_kind kind, const char *namespace,
                                      const char *cluster);
size_t store_count(const struct store *s, enum object_kind kind);
