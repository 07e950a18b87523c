/*
 * What the API server refuses: the rules of crd/cluster.yaml (x-kubernetes-validations), the bounds of its status, the
 * admission policy of crd/app-in-use.yaml, and Kubernetes' own rules for the children, each written by hand from its
 * text. tests/live holds the real ones to the same edits.
 */
#pragma once

#include "etcd.h"

struct refusal {
	char message[320];
};

/* Each says whether the change may be; when not, why is filled. WAS and IS are whole objects. */
bool rules_allow_create(enum kind kind, const cJSON *is, struct refusal *why);
bool rules_allow_edit(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why);
bool rules_allow_status(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why);
bool rules_allow_delete(enum kind kind, const cJSON *was, struct refusal *why);

/* Strings and lists of a Cluster's or App's status within the schema's maxLength and maxItems (bounds.c). */
bool bounds_hold(const cJSON *status, struct refusal *why);
