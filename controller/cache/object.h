/* What the five kinds that the controller reads have in common: how to decode one, and who it is. */
#pragma once

#include "reconcile/reconcile.h"

struct cJSON;

struct object_id {
	const char *namespace, *name, *uid, *version;
	const char *cluster; /* of a child: the Cluster that its label names; "" when it has none or is none */
};

const struct crd_type *object_type(enum object_kind kind);

/* Of a decoded struct app, cluster, statefulset, service or pod; borrows from it. Absent parts are "". */
struct object_id object_id(enum object_kind kind, const void *object);

/*
 * Decodes JSON into A. Items of a list of a built-in kind come without apiVersion and kind: JSON gets them here. An
 * object without name, namespace or a resourceVersion that is a number is an error (ERR_PROTOCOL).
 */
int object_decode(enum object_kind kind, struct cJSON *json, struct arena *a, const void **ret_object,
                  struct err *err);

/*
 * A resourceVersion as a number; 0 when it is none. Kubernetes documents since 1.35 that versions of one resource are
 * decimal numbers that may be compared; they have always been etcd's revision, in CRDs and built-in kinds alike.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
uint64_t object_version(const char *text);
