/*
 * The API server's storage: the objects as JSON trees, one resourceVersion that rises with every change, and the
 * history of changes from which watches are fed.
 *
 * A change is made to .tree and then committed; a commit gives the new version to the watches, the Kubernetes
 * controllers and the book of promises. The simulation has one namespace, SIM_NAMESPACE; tests/kubesim has any.
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/base/strmap.h"
#include "tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NAMESPACE "shop"
#define SIM_API "/apis/rolecall.dev/v1alpha1/namespaces/" SIM_NAMESPACE

/* "namespace/name" as a key: each has at most 253 characters. */
#define OBJECT_KEY_MAX 512

enum kind { KIND_APP, KIND_CLUSTER, KIND_SET, KIND_SERVICE, KIND_POD, KIND_EVENT, KIND_SETBACK, KIND_NAMESPACE, KINDS };
enum change { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED };

struct kind_info {
	const char *plural, *kind, *api_version;
	bool custom;        /* one of ours: its lists keep kind and apiVersion in every item */
	bool has_spec;      /* counts metadata.generation */
	bool has_status;    /* status is written through its subresource only */
	bool is_namespaced;
};
extern const struct kind_info kind_infos[KINDS];

/* An object as printed by a commit. The object shares it with the history. */
struct text {
	unsigned refs;
	size_t len;
	char *data;
};

struct object {
	enum kind kind;
	const char *namespace, *name, *uid; /* namespace: "" where the kind has none */
	cJSON *tree;
	cJSON *applied;     /* by field manager: the last body of its server-side apply; NULL: there was none */
	int64_t version;    /* resourceVersion */
	struct text *text;  /* .tree as printed by the last commit */
	const char *owner;  /* uid of the first of metadata.ownerReferences, or NULL */
	struct object *next_owned;
};

struct version {
	int64_t version;
	int64_t before;     /* what the object had until then; 0: it is new */
	enum kind kind;
	enum change change;
	const char *namespace;
	cJSON *labels;      /* NULL: none */
	struct text *text;
};

struct etcd {
	struct object **objects[KINDS]; /* by namespace and name */
	size_t count[KINDS], room[KINDS];
	struct strmap owned;            /* uid -> what names it as owner, linked by .next_owned */
	struct version *history;        /* by version */
	size_t history_count, history_room;
	size_t history_bytes;           /* of its texts */
	int64_t last;                   /* resourceVersion given last */
	int64_t compacted;              /* versions up to this one can no longer be watched from */
	unsigned uid_count;
};

struct sim;

void etcd_release(struct etcd *s);
struct object *etcd_get(const struct etcd *s, enum kind kind, const char *namespace, const char *name);
struct object *etcd_find(const struct etcd *s, enum kind kind, const char *name); /* in SIM_NAMESPACE */
/* Index of the first object of KIND behind NAMESPACE and NAME; NAME "": the first of the namespace. */
size_t etcd_first_after(const struct etcd *s, enum kind kind, const char *namespace, const char *name);
/* Index of the first of the history after VERSION. */
size_t etcd_history_after(const struct etcd *s, int64_t version);

/* Takes TREE, gives it uid, creationTimestamp and generation, and commits it. */
struct object *etcd_add(struct sim *sim, enum kind kind, const char *namespace, const char *name, cJSON *tree);
/* What etcd_add() gives, for an object that is only shown. */
void etcd_put_new_meta(struct sim *sim, struct object *o);
void etcd_commit(struct sim *sim, struct object *o);
/* The object is gone for the API at once; its memory lives until the end of the run. */
void etcd_remove(struct sim *sim, struct object *o);
/* Forgets the history up to VERSION. Texts that were given out are gone. */
void etcd_compact(struct etcd *s, int64_t version);

cJSON *etcd_meta(struct object *o);
bool etcd_is_ending(const struct object *o); /* has a deletionTimestamp */
