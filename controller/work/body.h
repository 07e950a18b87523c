/* The bodies of the requests that actions ask for, as JSON text. */
#pragma once

#include "crd/base/strbuf.h"
#include "reconcile/reconcile.h"

/* The controller's name in Events. */
#define EVENT_CONTROLLER "rolecall.dev/operator"
/* Bounds of events.k8s.io/v1: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
#define EVENT_NOTE_MAX 1024
#define EVENT_INSTANCE_MAX 128

/*
 * Server-side apply: what the action's struct says, laid over its overlays at .spec.template, so that what the operator
 * owns wins where both say something. With the action's resourceVersion the server refuses it when the object has moved
 * on.
 * -1 when an overlay is no JSON.
 */
int body_apply(const struct action *a, struct arena *arena, struct strbuf *out, struct err *err);

/* DeleteOptions: only the object with this UID. */
void body_delete(const char *uid, struct strbuf *out);

/*
 * An Event about OBJECT, a struct cluster or struct app. Its name is made of the object, what is said, and the version
 * that it is said about, so that a pass which is run again says it only once.
 */
void body_event(enum object_kind kind, const void *object, const struct action *a, const char *instance, int64_t now,
                struct strbuf *out);
