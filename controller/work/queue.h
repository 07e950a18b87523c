/*
 * Which Clusters and Apps are due for a pass, and when.
 *
 * A key stands in the queue once; of two times the earlier wins. What is pushed "soon" waits WORK_COALESCE_MS, so that
 * changes which arrive together (a rollout's pods, the answers of many members) make one pass.
 */
#pragma once

#include "crd/base/strmap.h"
#include "reconcile/reconcile.h"

/* Far below the second within which a member must hear (N4), far above the distance of events in one burst. */
#define WORK_COALESCE_MS 20

/*
 * While other members of the cluster are still being asked: their answers then make one status write, not one each. An
 * answer that the rest of an upgrade waits for is not held up.
 */
#define WORK_GATHER_MS 300

struct workqueue {
	struct strmap items; /* "kind/namespace/name" -> struct work_item */
	int64_t next;        /* no item is due before; good while there are items */
};

struct work_item {
	enum object_kind kind;
	int64_t due;
	const char *namespace, *name; /* in .text */
	char text[];
};

void workqueue_push(struct workqueue *q, enum object_kind kind, const char *namespace, const char *name, int64_t due);
/* The item that is due first, when that is not after NOW, else NULL. The caller frees it. */
struct work_item *workqueue_pop(struct workqueue *q, int64_t now);
/* When the first item is due; INT64_MAX: there is none. */
int64_t workqueue_next(const struct workqueue *q);
size_t workqueue_count(const struct workqueue *q);
void workqueue_release(struct workqueue *q);
