/*
 * Kubernetes' own controllers: the StatefulSet controller (Parallel, OnDelete), the kubelet, the garbage collector.
 *
 * They see changes late, each by a random delay. What matters most of that: a StatefulSet's pod that is lost comes back
 * on the template that the controller has seen, which lags behind the one in the API until .status.observedGeneration
 * says otherwise.
 */
#pragma once

#include "seat.h"

/* What the StatefulSet controller knows of one set. */
struct set_view {
	const char *namespace, *name, *uid;
	cJSON *template;          /* as last seen */
	int64_t generation;       /* likewise */
	int replicas;             /* likewise */
	bool sync_due;
};

struct kube {
	struct strmap sets;       /* "namespace/name" -> struct set_view */
	unsigned box_count;
};

struct sim;

void kube_release(struct kube *k);
/* An object changed; called by the store. */
void kube_changed(struct sim *sim, const struct object *o, enum change change);

/* The kubelet (kubelet.c). */
void kubelet_pod_added(struct sim *sim, const struct object *pod);
void kubelet_pod_ending(struct sim *sim, const struct object *pod);
void kubelet_pod_gone(struct sim *sim, const struct object *pod);
/* The container of a seat dies by itself and is started anew. */
void kubelet_restart(struct sim *sim, struct seat *seat);
/* The pod is gone at once, as with its node. */
void kubelet_lose(struct sim *sim, struct seat *seat);
