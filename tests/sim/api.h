/*
 * The simulated API server: one request in, one answer out, at one instant. Latency, faults and lost answers are the
 * wire's business (wire.h); controllers are the kube's (kube.h).
 *
 * It holds to the rules that a controller can trip over: resourceVersion and UID preconditions, generation, no-op
 * writes that change no version, finalizers, immutable fields, the rules of crd/cluster.yaml and the admission policy
 * for Apps in use.
 */
#pragma once

#include "controller/world.h"
#include "etcd.h"

#include <stdarg.h>

struct reply {
	int http;
	const char *body;      /* lives until the end of the run */
	size_t len;
	int retry_after_s;
};

/* A request path taken apart. */
struct api_target {
	enum kind kind;
	const char *name;      /* NULL: the collection */
	bool status;           /* the status subresource */
	const char *cluster;   /* labelSelector rolecall.dev/cluster: NULL none, "" existence, else the value */
	bool labelled;         /* there is such a selector */
	int64_t limit;         /* 0: all */
	const char *after;     /* continue: names after this one, of list version .version */
	int64_t version;       /* resourceVersion, or that of the continue token; 0 when absent */
	int64_t timeout_s;     /* timeoutSeconds of a watch; 0 when absent */
	bool bookmarks;
};

/* False with an answer in RET_REPLY when there is no such resource or the query is not understood. */
bool api_parse(struct sim *sim, const char *path, struct api_target *ret_target, struct reply *ret_reply);

/* Everything but watches. */
struct reply api_handle(struct sim *sim, enum verb verb, const char *path, const char *body);

struct reply api_ok(int http, const struct object *o);
struct reply api_fail(struct sim *sim, int http, const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

bool api_selected(const struct api_target *t, const char *cluster_label);
struct reply api_other_uid(struct sim *sim, const struct object *o, const char *uid); /* the 409 for it */
/* True with a 409 in RET_REPLY when BODY names another resourceVersion or uid than O has. */
bool api_is_stale(struct sim *sim, const struct object *o, const cJSON *body, struct reply *ret_reply);

/* Writes (api_write.c). BODY is the parsed body and stays the caller's. */
struct reply api_create(struct sim *sim, const struct api_target *t, const cJSON *body);
struct reply api_update_status(struct sim *sim, struct object *o, const cJSON *body);
struct reply api_apply(struct sim *sim, const struct api_target *t, const cJSON *body);
struct reply api_patch(struct sim *sim, struct object *o, const cJSON *body);
struct reply api_delete(struct sim *sim, struct object *o, const cJSON *options);
