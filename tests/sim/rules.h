/*
 * What the API server refuses: the rules of crd/cluster.yaml and crd/app.yaml (x-kubernetes-validations), the bounds of
 * their status, the admission policy of crd/app-in-use.yaml, and Kubernetes' own rules for the children, each written by
 * hand from its text. tests/live holds the real ones to the same edits, tests/kubesim compares the two.
 */
#pragma once

#include "etcd.h"
#include "refusal.h"

/* Each says whether the change may be; when not, why is filled. WAS and IS are whole objects. */
bool rules_allow_create(enum kind kind, const cJSON *is, struct refusal *why);
bool rules_allow_edit(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why);
bool rules_allow_status(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why);
/* The message of the admission policy that refuses the deletion, or NULL. */
const char *rules_forbid_delete(enum kind kind, const cJSON *was, struct arena *a);

/* Those of Clusters and Apps alone (rules_custom.c). */
bool rules_of_cluster(const cJSON *was, const cJSON *is, struct refusal *why); /* WAS: NULL in a creation */
bool rules_of_app(const cJSON *was, const cJSON *is, struct refusal *why);
bool rules_of_status(const cJSON *was, const cJSON *is, struct refusal *why);

/* Strings and lists of a Cluster's or App's status within the schema's maxLength and maxItems (bounds.c). */
bool bounds_hold(const cJSON *status, struct refusal *why);
