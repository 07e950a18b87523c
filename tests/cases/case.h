/* One case: its YAML, and the snapshot that it describes. */
#pragma once

#include "crd/base/json.h"
#include "reconcile/reconcile.h"

#define CASE_EPOCH_MS 1767225600000LL /* 2026-01-01T00:00:00Z */
#define CASE_CLUSTER "c"

struct case_world {
	struct snapshot snapshot;
	struct arena *arena;
};

/* Builds the snapshot that CASE (a YAML document) gives. Returns 0, or -1 with what is wrong with the case in ERR. */
int case_build(const cJSON *doc, struct case_world *w, struct err *err);
/* OBJECT, of TYPE, with OVER (may be NULL) laid over it. A mistake in OVER ends the run. */
void *case_lay(const struct crd_type *type, void *object, const cJSON *over, struct arena *arena);
/*
 * What the member in POD said last (SAID). Whoever answers holds the present configmeta, unless SAID says otherwise; it was
 * CONTAINER that answered, likewise.
 */
struct exec_report case_said(const cJSON *said, const char *pod, const char *container, const struct snapshot *s);
/* Replaces the real names of StatefulSets in TEXT by their roles' ids: "c-a-12345-2" becomes "a-2". */
const char *case_short_names(const struct case_world *w, const char *text);
const char *case_pod_name(const struct case_world *w, const char *short_name);
