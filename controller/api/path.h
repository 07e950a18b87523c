/*
 * Where things are on the API server: paths with their queries, for the kinds that rolecall handles.
 *
 * Names and values are percent-encoded (RFC 3986, 2.1), so that nothing that stands in an object can change a path.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
#pragma once

#include "crd/base/strbuf.h"
#include "reconcile/reconcile.h"

/* Objects in one page of a list: the server's answer is then about 2 MiB at most. */
#define PATH_LIST_LIMIT 250
/* Name under which the API server keeps the fields that we own (server-side apply). */
#define PATH_FIELD_MANAGER "rolecall"

#define KIND_API_VERSION "rolecall.dev/v1alpha1"
#define LABEL_CLUSTER "rolecall.dev/cluster"

const char *kind_word(enum object_kind kind);        /* "Cluster", "StatefulSet" */
const char *kind_lower(enum object_kind kind);       /* "cluster", "statefulset": for messages */
const char *kind_resource(enum object_kind kind);    /* "clusters.rolecall.dev", "pods": as RBAC and kubectl say */
const char *kind_api_version(enum object_kind kind); /* "apps/v1" */
bool kind_is_ours(enum object_kind kind);            /* defined by our CRDs; the others carry LABEL_CLUSTER */

/* SUBRESOURCE ("status") may be NULL. */
void path_object(struct strbuf *out, enum object_kind kind, const char *namespace, const char *name,
                 const char *subresource);
/* As path_object(), for a forced server-side apply. */
void path_apply(struct strbuf *out, enum object_kind kind, const char *namespace, const char *name);
/* NAMESPACE NULL: all of them. TOKEN is the "continue" of the page before; NULL for the first. */
void path_list(struct strbuf *out, enum object_kind kind, const char *namespace, const char *token);
/* What happened after VERSION, with bookmarks, for TIMEOUT_S seconds. */
void path_watch(struct strbuf *out, enum object_kind kind, const char *namespace, const char *version, int timeout_s);
/* Where Events of events.k8s.io/v1 are created. */
void path_events(struct strbuf *out, const char *namespace);
