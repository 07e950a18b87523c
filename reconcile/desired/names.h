/*
 * Names of children, each derived from its owner's alone, so that a creation can be repeated without making two. One
 * place computes them and holds their limits (Kubernetes: a pod's controller-revision-hash label is the StatefulSet's name
 * and 11 characters, and must fit in 63).
 */
#pragma once

#include "crd/base/arena.h"

#define NAME_STATEFULSET_MAX 52
#define NAME_SERVICE_MAX 52

/* munge(cluster)-munge(role)-5 hex of SHA-256(cluster, role): lower case, "." and "_" become "-", parts cut to fit. */
const char *name_statefulset(struct arena *arena, const char *cluster, const char *role);
/* munge(cluster)-5 hex: the headless Service. It begins with a letter, as a Service's name must. */
const char *name_service(struct arena *arena, const char *cluster);
const char *name_pod(struct arena *arena, const char *statefulset, size_t ordinal);
