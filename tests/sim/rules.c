#include "rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool refuse(struct refusal *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct refusal *why, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why->message, sizeof(why->message), fmt, args);
	va_end(args);
	return false;
}

static const char *text(const cJSON *obj, const char *key)
{
	const char *s = json_str(obj, key);

	return s ? s : "";
}

static bool same(const cJSON *a, const cJSON *b, const char *key)
{
	return tree_equal(json_get(a, key), json_get(b, key));
}

/* U2: while an upgrade runs, spec.app may only go back, and everything else but three knobs stands still. */
static bool lock_holds(const cJSON *was, const cJSON *is, struct refusal *why)
{
	const cJSON *old_spec = json_get(was, "spec"), *spec = json_get(is, "spec"), *status = json_get(was, "status");
	const cJSON *info = json_get(status, "upgradeInfo");
	const cJSON *old_knobs = json_get(old_spec, "upgrade"), *knobs = json_get(spec, "upgrade");
	bool app_stays = same(spec, old_spec, "app");
	bool locked = json_str(status, "app") && (info || strcmp(text(old_spec, "app"), text(status, "app")) != 0);

	if (info && !app_stays && strcmp(text(spec, "app"), text(info, "prevApp")) != 0)
		return refuse(why, "an upgrade from %s is in progress: spec.app may only go back to it",
		              text(info, "prevApp"));
	if (locked && !info && !app_stays && strcmp(text(spec, "app"), text(status, "app")) != 0)
		return refuse(why, "an upgrade from %s is asked for: spec.app may only go back to it", text(status, "app"));
	if (locked && !(same(spec, old_spec, "roles") && same(spec, old_spec, "imagePullSecrets") &&
	                same(knobs, old_knobs, "roleOrder") && same(knobs, old_knobs, "maxUnavailable")))
		return refuse(why, "an upgrade is in progress: only spec.app (back to the previous App), "
		              "upgrade.paused, upgrade.progressDeadlineSeconds and upgrade.onFailure may change");
	if (!app_stays && !same(spec, old_spec, "roles"))
		return refuse(why, "spec.app must be changed alone: spec.roles changed in the same edit");
	return true;
}

static const cJSON *role_of(const cJSON *object, const char *id)
{
	const cJSON *role;

	cJSON_ArrayForEach(role, json_get(json_get(object, "spec"), "roles")) {
		if (strcmp(text(role, "id"), id) == 0)
			return role;
	}
	return NULL;
}

static bool roles_stand(const cJSON *was, const cJSON *is, struct refusal *why)
{
	static const char no_other_roles[] =
		"not changeable yet: roles cannot be added to or removed from a running cluster";
	const cJSON *roles = json_get(json_get(is, "spec"), "roles"), *role;

	if (!same(json_get(is, "spec"), json_get(was, "spec"), "imagePullSecrets"))
		return refuse(why, "spec.imagePullSecrets: not changeable yet");
	if (cJSON_GetArraySize(roles) != cJSON_GetArraySize(json_get(json_get(was, "spec"), "roles")))
		return refuse(why, "%s", no_other_roles);
	cJSON_ArrayForEach(role, roles) {
		const cJSON *old = role_of(was, text(role, "id"));

		if (!old)
			return refuse(why, "%s", no_other_roles);
		if (!same(role, old, "members") || !same(role, old, "resources") || !same(role, old, "env") ||
		    !same(role, old, "podTemplate"))
			return refuse(why, "spec.roles[%s]: not changeable yet", text(role, "id"));
	}
	return true;
}

static bool queues_are_empty(const cJSON *status)
{
	const cJSON *role, *member;

	cJSON_ArrayForEach(role, json_get(status, "roles")) {
		cJSON_ArrayForEach(member, json_get(role, "members")) {
			if (cJSON_GetArraySize(json_get(json_get(member, "stateDetail"), "pendingNotifyCmds")) > 0)
				return false;
		}
	}
	return true;
}

/* U1 and N1, as the API server holds them against a faulty operator. */
static bool status_is_honest(const cJSON *was, const cJSON *is, struct refusal *why)
{
	const cJSON *old = json_get(was, "status"), *status = json_get(is, "status");

	if (json_get(old, "upgradeInfo") && !json_get(status, "upgradeInfo") && !queues_are_empty(status))
		return refuse(why, "U1: upgradeInfo may not be removed while a queue is not empty");
	if (json_int(status, "lastNotifyID", 0) < json_int(old, "lastNotifyID", 0))
		return refuse(why, "N1: lastNotifyID may not go back");
	return true;
}

/* Of a StatefulSet only replicas, template, update strategy and the like may change (apps/v1 validation). */
static bool set_edit_is_legal(const cJSON *was, const cJSON *is, struct refusal *why)
{
	static const char *const frozen[] = {"serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"};
	const cJSON *old = json_get(was, "spec"), *spec = json_get(is, "spec");

	for (size_t i = 0; i < sizeof(frozen) / sizeof(frozen[0]); i++) {
		if (!same(spec, old, frozen[i]))
			return refuse(why, "spec: Forbidden: updates to statefulset spec for fields other than "
			              "'replicas', 'template', 'updateStrategy' and "
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
			return refuse(why, "spec.template.metadata.labels: `selector` does not match template "
			              "`labels`");
	}
	if (!json_get(json_get(spec, "selector"), "matchLabels"))
		return refuse(why, "spec.selector: Required value");
	if (!container || cJSON_GetArraySize(container) == 0 || !*text(container->child, "image"))
		return refuse(why, "spec.template.spec.containers: Required value");
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
			return refuse(why, "%s: must be 1 to %zu characters", fields[i].key, fields[i].max);
	}
	if (!json_str(is, "eventTime"))
		return refuse(why, "eventTime: Required value");
	if (strcmp(type, "Normal") != 0 && strcmp(type, "Warning") != 0)
		return refuse(why, "type: has invalid value: %s", type);
	if (strlen(text(is, "note")) > 1024)
		return refuse(why, "note: can have at most 1024 characters");
	if (strcmp(text(json_get(is, "regarding"), "namespace"), text(json_get(is, "metadata"), "namespace")) != 0)
		return refuse(why, "regarding.namespace: does not match event.namespace");
	return true;
}

bool rules_allow_create(enum kind kind, const cJSON *is, struct refusal *why)
{
	if (kind == KIND_SET)
		return set_is_legal(is, why);
	if (kind == KIND_EVENT)
		return event_is_legal(is, why);
	return true;
}

bool rules_allow_edit(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why)
{
	if (kind == KIND_APP && !same(was, is, "spec"))
		return refuse(why, "spec: an App is immutable: make a new App for a new version");
	if (kind == KIND_CLUSTER)
		return lock_holds(was, is, why) && roles_stand(was, is, why);
	if (kind == KIND_SET)
		return set_edit_is_legal(was, is, why) && set_is_legal(is, why);
	return true;
}

bool rules_allow_status(enum kind kind, const cJSON *was, const cJSON *is, struct refusal *why)
{
	if (kind == KIND_CLUSTER && !status_is_honest(was, is, why))
		return false;
	return bounds_hold(json_get(is, "status"), why);
}

bool rules_allow_delete(enum kind kind, const cJSON *was, struct refusal *why)
{
	const cJSON *used_by = json_get(json_get(was, "status"), "usedBy");

	if (kind == KIND_APP && cJSON_GetArraySize(used_by) > 0)
		return refuse(why, "ValidatingAdmissionPolicy 'app-in-use.rolecall.dev' denied request: "
		              "App is in use by: %s", cJSON_GetStringValue(cJSON_GetArrayItem(used_by, 0)));
	return true;
}
