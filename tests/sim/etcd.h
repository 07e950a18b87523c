/*
 * The API server's storage: the objects as JSON trees, one resourceVersion that rises with every change, and the
 * history of changes from which watches are fed.
 *
 * A change is made to .tree and then committed; a commit gives the new version to the watches, the Kubernetes
 * controllers and the book of promises. Namespaces: the simulation has one.
 */
#pragma once

#include "crd/base/arena.h"
#include "tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NAMESPACE "shop"
#define SIM_API "/apis/rolecall.dev/v1alpha1/namespaces/" SIM_NAMESPACE

enum kind { KIND_APP, KIND_CLUSTER, KIND_SET, KIND_SERVICE, KIND_POD, KIND_EVENT, KIND_SETBACK, KINDS };
enum change { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED };

struct kind_info {
	const char *plural, *kind, *api_version;
	bool custom;    /* one of ours: its lists keep kind and apiVersion in every item */
	bool has_spec;  /* counts metadata.generation */
};
extern const struct kind_info kind_infos[KINDS];

struct object {
	enum kind kind;
	const char *name, *uid;
	cJSON *tree;
	cJSON *applied;     /* last body of a server-side apply */
	int64_t version;    /* resourceVersion */
	const char *text;   /* .tree as printed by the last commit */
	size_t len;
};

struct version {
	int64_t version;
	enum kind kind;
	enum change change;
	const char *cluster; /* label rolecall.dev/cluster or NULL */
	const char *text;
	size_t len;
};

struct etcd {
	struct object **objects[KINDS]; /* by name */
	size_t count[KINDS], room[KINDS];
	struct version *history;        /* by version */
	size_t history_count, history_room;
	int64_t last;                   /* resourceVersion given last */
	int64_t compacted;              /* versions up to this one can no longer be watched from */
	unsigned uid_count;
};

struct sim;

void etcd_release(struct etcd *s);
struct object *etcd_find(const struct etcd *s, enum kind kind, const char *name);

/* Takes TREE, gives it uid, creationTimestamp and generation, and commits it. */
struct object *etcd_add(struct sim *sim, enum kind kind, const char *name, cJSON *tree);
void etcd_commit(struct sim *sim, struct object *o);
/* The object is gone for the API at once; its memory lives until the end of the run. */
void etcd_remove(struct sim *sim, struct object *o);

cJSON *etcd_meta(struct object *o);
bool etcd_is_ending(const struct object *o); /* has a deletionTimestamp */
