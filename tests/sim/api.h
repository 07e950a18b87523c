/*
 * The simulated API server: one request in, one answer out, at one instant. Latency, faults and lost answers are the
 * wire's business (wire.h); controllers are the kube's (kube.h). tests/kubesim puts HTTPS in front of the same parts.
 *
 * It holds to the rules that a controller can trip over: resourceVersion and UID preconditions, generation, no-op
 * writes that change no version, finalizers, immutable fields, the rules of crd/cluster.yaml and the admission policy
 * for Apps in use.
 */
#pragma once

#include "controller/world.h"
#include "etcd.h"
#include "rules.h"
#include "selector.h"

#include <stdarg.h>

#define LIST_MAX ((size_t)256 << 20) /* a list that was asked for without a limit */

struct reply {
	int http;
	const char *body;      /* an object's text, or in sim->scratch */
	size_t len;
	int retry_after_s;
};

/* A request path taken apart (api_path.c). */
struct api_target {
	enum kind kind;
	const char *namespace;   /* NULL: all, or the kind has none */
	const char *name;        /* NULL: the collection */
	const char *subresource; /* NULL: none */
	const char *query;       /* as it came, "" when there is none */
	struct selector labels, fields;
	int64_t limit;           /* 0: all */
	const char *after;       /* continue: "namespace/name" that came last, in list version .version */
	int64_t version;         /* resourceVersion, or that of the continue token; 0 when absent */
	int64_t timeout_s;       /* timeoutSeconds of a watch; 0 when absent */
	const char *manager;     /* fieldManager, "" when absent */
	const char *validation;  /* fieldValidation, "" when absent */
	const char *match;       /* resourceVersionMatch, "" when absent */
	bool watch, bookmarks, dry_run;
	bool initial;            /* sendInitialEvents: a watch begins with all that there is */
};

/* False with an answer in RET_REPLY when there is no such resource or the query is not understood. */
bool api_parse(struct sim *sim, const char *path, struct api_target *ret_target, struct reply *ret_reply);
/* The first LEN bytes of TEXT without percent signs, in sim->scratch. */
const char *api_unescape(struct sim *sim, const char *text, size_t len);

/* Everything but watches. */
struct reply api_handle(struct sim *sim, enum verb verb, const char *path, const char *body);

/* The part of a collection that is asked for. */
struct api_page {
	const struct object **objects;
	size_t count;
	int64_t version;         /* of the list */
	const char *next;        /* continue token; NULL: this is the end */
	size_t left;             /* objects after it; counted only where nothing is selected */
};
/* False with the answer in RET_REPLY. */
bool api_page(struct sim *sim, const struct api_target *t, struct api_page *ret_page, struct reply *ret_reply);
/* {"kind":...,"apiVersion":...,"metadata":{...} of a list, without its items. */
void api_add_list_head(struct strbuf *b, const char *kind, const char *api_version, const struct api_page *page);
/* The page as a List of its kind. */
struct reply api_list(struct sim *sim, const struct api_target *t, const struct api_page *page);

struct reply api_ok(int http, const struct object *o);
struct reply api_text(struct sim *sim, int http, const struct strbuf *text); /* copied */
struct reply api_fail(struct sim *sim, int http, const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The message is RESOURCE "NAME" and then FMT. */
struct reply api_fail_on(struct sim *sim, int http, const char *reason, enum kind kind, const char *name,
                         const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The 422 for WHY. */
struct reply api_invalid(struct sim *sim, enum kind kind, const char *name, const struct refusal *why);
const char *api_group(struct sim *sim, enum kind kind);         /* "" for core */
const char *api_resource_name(struct sim *sim, enum kind kind); /* "apps.rolecall.dev" */
const char *api_kind_name(struct sim *sim, enum kind kind);     /* "App.rolecall.dev" */

/* Whether a watch of T tells of V. Fields are looked at in its text. */
bool api_selected(const struct api_target *t, const struct version *v);
/* The 409: the object is named BY_KIND ("Cluster.rolecall.dev") or by its plural, as the API server has it in each case. */
struct reply api_conflict(struct sim *sim, const struct object *o, bool by_kind, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* True with a 409 in RET_REPLY when BODY names another resourceVersion or uid than O has. */
bool api_is_stale(struct sim *sim, const struct object *o, const cJSON *body, struct reply *ret_reply);

/*
 * Writes (api_write.c). An edit is what the object would be, made by the caller, and then stored if the rules allow it.
 * BODY stays the caller's, TREE does not.
 */
struct reply api_add(struct sim *sim, const struct api_target *t, const char *name, const cJSON *body);
struct reply api_store(struct sim *sim, const struct api_target *t, struct object *o, cJSON *tree);
struct reply api_delete(struct sim *sim, struct object *o, const cJSON *options);
/* What a server-side apply of BODY makes of O. */
cJSON *api_applied(const struct object *o, const char *manager, const cJSON *body);
/* It was stored: the next apply of MANAGER takes back what it no longer says. */
void api_note_applied(struct object *o, const char *manager, const cJSON *body);
