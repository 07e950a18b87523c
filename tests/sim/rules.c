#include "rules.h"

#include <stdio.h>
#include <string.h>

static const char *text(const cJSON *obj, const char *key)
{
	const char *s = json_str(obj, key);

	return s ? s : "";
}

static bool same(const cJSON *a, const cJSON *b, const char *key)
{
	return tree_equal(json_get(a, key), json_get(b, key));
}

/* Of a StatefulSet only replicas, template, update strategy and the like may change (apps/v1 validation). */
static bool set_edit_is_legal(const cJSON *was, const cJSON *is, struct refusal *why)
{
	static const char *const frozen[] = {"serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"};
	const cJSON *old = json_get(was, "spec"), *spec = json_get(is, "spec");

	for (size_t i = 0; i < sizeof(frozen) / sizeof(frozen[0]); i++) {
		if (!same(spec, old, frozen[i]))
			return refusal_add_as(why, CAUSE_INVALID, "spec", "Forbidden: updates to statefulset spec for fields "
			                 "other than 'replicas', 'template', 'updateStrategy' and "
			                 "'persistentVolumeClaimRetentionPolicy' are forbidden (%s)", frozen[i]);
	}
	return true;
}

static bool set_is_legal(const cJSON *is, struct refusal *why)
{
	const cJSON *spec = json_get(is, "spec"), *wanted;
	const cJSON *labels = json_get(json_get(json_get(spec, "template"), "metadata"), "labels");
	const cJSON *container = json_get(json_get(json_get(spec, "template"), "spec"), "containers");

	cJSON_ArrayForEach(wanted, json_get(json_get(spec, "selector"), "matchLabels")) {
		if (!tree_equal(wanted, json_get(labels, wanted->string)))
			return refusal_add(why, "spec.template.metadata.labels", "`selector` does not match template `labels`");
	}
	if (!json_get(json_get(spec, "selector"), "matchLabels"))
		return refusal_add_as(why, CAUSE_REQUIRED, "spec.selector", "Required value");
	if (!container || cJSON_GetArraySize(container) == 0 || !*text(container->child, "image"))
		return refusal_add_as(why, CAUSE_REQUIRED, "spec.template.spec.containers", "Required value");
	return true;
}

/* events.k8s.io/v1 validation: what is missing there makes a real server refuse the Event. */
static bool event_is_legal(const cJSON *is, struct refusal *why)
{
	static const struct {
		const char *key;
		size_t max;
	} fields[] = {{"reportingController", 253}, {"reportingInstance", 128}, {"action", 128}, {"reason", 128}};
	const char *type = text(is, "type");

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t len = strlen(text(is, fields[i].key));

		if (len == 0 || len > fields[i].max)
			return refusal_add(why, fields[i].key, "must be 1 to %zu characters", fields[i].max);
	}
	if (!json_str(is, "eventTime"))
		return refusal_add_as(why, CAUSE_REQUIRED, "eventTime", "Required value");
	if (strcmp(type, "Normal") != 0 && strcmp(type, "Warning") != 0)
		return refusal_add(why, "type", "has invalid value: %s", type);
	if (strlen(text(is, "note")) > 1024)
		return refusal_add(why, "note", "can have at most 1024 characters");
	if (strcmp(text(json_get(is, "regarding"), "namespace"), text(json_get(is, "metadata"), "namespace")) != 0)
		return refusal_add(why, "regarding.namespace", "does not match event.namespace");
	return true;
}

bool rules_allow_create(enum kind kind, const cJSON *is, struct refusal *why)
{
	if (kind == KIND_APP)
		return rules_of_app(NULL, is, why);
	if (kind == KIND_CLUSTER)
		return rules_of_cluster(NULL, is, why);
	if (kind == KIND_SET)
		return set_is_legal(is, why);
	if (kind == KIND_EVENT)
		return event_is_legal(is, why);
	return true;
}

bool rules_allow_edit(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why)
{
	if (kind == KIND_APP)
		return rules_of_app(was, is, why);
	if (kind == KIND_CLUSTER)
		return rules_of_cluster(was, is, why);
	if (kind == KIND_SET)
		return set_edit_is_legal(was, is, why) && set_is_legal(is, why);
	return true;
}

bool rules_allow_status(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why)
{
	if (kind == KIND_CLUSTER && !rules_of_status(was, is, why))
		return false;
	return bounds_hold(json_get(is, "status"), why);
}

const char *rules_forbid_delete(enum kind kind, const cJSON *was, struct arena *a)
{
	const cJSON *used_by = json_get(json_get(was, "status"), "usedBy"), *name;
	const char *names = "";

	if (kind != KIND_APP || cJSON_GetArraySize(used_by) == 0)
		return NULL;
	cJSON_ArrayForEach(name, used_by)
		names = arena_printf(a, "%s%s%s", names, *names ? ", " : "", cJSON_GetStringValue(name));
	return arena_printf(a, "ValidatingAdmissionPolicy 'app-in-use.rolecall.dev' with binding "
	                    "'app-in-use.rolecall.dev' denied request: App %s is in use by: %s",
	                    text(json_get(was, "metadata"), "name"), names);
}
