#include "rules.h"

#include <stdio.h>
#include <string.h>

#define MEMBERS_MAX 1000
#define NAME_MAX_LENGTH 63
#define WHOLE "<nil>" /* the field of a rule at the root */

static const char *text(const cJSON *obj, const char *key)
{
	const char *s = json_str(obj, key);

	return s ? s : "";
}

static bool same(const cJSON *a, const cJSON *b, const char *key)
{
	return tree_equal(json_get(a, key), json_get(b, key));
}

static const cJSON *role_of(const cJSON *roles, const char *id)
{
	const cJSON *role;

	cJSON_ArrayForEach(role, roles) {
		if (strcmp(text(role, "id"), id) == 0)
			return role;
	}
	return NULL;
}

/* A list by id: the order does not count. */
static bool same_roles(const cJSON *a, const cJSON *b)
{
	const cJSON *role;

	if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
		return false;
	cJSON_ArrayForEach(role, a) {
		if (!tree_equal(role, role_of(b, text(role, "id"))))
			return false;
	}
	return true;
}

static bool same_ids(const cJSON *a, const cJSON *b)
{
	const cJSON *role;

	cJSON_ArrayForEach(role, a) {
		if (!role_of(b, text(role, "id")))
			return false;
	}
	return cJSON_GetArraySize(a) == cJSON_GetArraySize(b);
}

/* U2: while an upgrade runs or is asked for, spec.app may only go back, and everything else but three knobs stands still. */
static void check_lock(const cJSON *was, const cJSON *is, struct refusal *why)
{
	const cJSON *old = json_get(was, "spec"), *spec = json_get(is, "spec"), *status = json_get(was, "status");
	const cJSON *info = json_get(status, "upgradeInfo");
	const cJSON *old_knobs = json_get(old, "upgrade"), *knobs = json_get(spec, "upgrade");
	const char *app = text(spec, "app"), *running = json_str(status, "app");
	bool moved = !same(spec, old, "app");
	bool asked = running && !info && strcmp(text(old, "app"), running) != 0;
	bool stands = same_roles(json_get(spec, "roles"), json_get(old, "roles")) &&
	              same(spec, old, "imagePullSecrets") && same(knobs, old_knobs, "roleOrder") &&
	              same(knobs, old_knobs, "maxUnavailable") && !knobs == !old_knobs;

	if (info && moved && strcmp(app, text(info, "prevApp")) != 0)
		refusal_add(why, WHOLE, "an upgrade from %s is in progress: spec.app may only go back to it",
		       text(info, "prevApp"));
	if (json_bool(info, "isRollingBack") && moved && strcmp(app, text(info, "prevApp")) != 0)
		refusal_add(why, WHOLE, "a rollback is in progress and cannot be turned round");
	if (running && (info || asked) && !stands)
		refusal_add(why, WHOLE, "an upgrade is in progress: only spec.app (back to the previous App), "
		       "upgrade.paused, upgrade.progressDeadlineSeconds and upgrade.onFailure may change");
	if (asked && moved && strcmp(app, running) != 0)
		refusal_add(why, WHOLE, "an upgrade from %s is asked for: spec.app may only go back to it", running);
	if (moved && !same_roles(json_get(spec, "roles"), json_get(old, "roles")))
		refusal_add(why, WHOLE, "spec.app must be changed alone: spec.roles changed in the same edit");
}

static void check_role(const cJSON *was, const cJSON *is, int index, struct refusal *why)
{
	static const char *const fixed[] = {"resources", "env", "podTemplate"};
	char field[64];

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		snprintf(field, sizeof(field), "spec.roles[%d].%s", index, fixed[i]);
		if (!same(is, was, fixed[i]))
			refusal_add(why, field, "not changeable yet");
	}
}

/* What no edit may change, whether or not an upgrade runs. */
static void check_fixed(const cJSON *was, const cJSON *is, struct refusal *why)
{
	const cJSON *old = json_get(was, "spec"), *spec = json_get(is, "spec"), *role;
	int index = 0;

	if (!same(spec, old, "imagePullSecrets"))
		refusal_add(why, "spec.imagePullSecrets", "not changeable yet");
	if (!same_ids(json_get(spec, "roles"), json_get(old, "roles")))
		refusal_add(why, "spec.roles", "not changeable yet: roles cannot be added to or removed from a running cluster");
	cJSON_ArrayForEach(role, json_get(spec, "roles")) {
		const cJSON *old_role = role_of(json_get(old, "roles"), text(role, "id"));

		if (old_role)
			check_role(old_role, role, index, why);
		index++;
	}
}

bool rules_of_cluster(const cJSON *was, const cJSON *is, struct refusal *why)
{
	size_t before = why->count;
	int64_t members = 0;
	const cJSON *role;

	if (was)
		check_lock(was, is, why);
	if (strlen(text(json_get(is, "metadata"), "name")) > NAME_MAX_LENGTH)
		refusal_add(why, WHOLE, "metadata.name has at most 63 characters: it becomes the value of a label");
	cJSON_ArrayForEach(role, json_get(json_get(is, "spec"), "roles"))
		members += json_int(role, "members", 0);
	if (members > MEMBERS_MAX)
		refusal_add(why, WHOLE, "a cluster has at most 1000 members");
	if (was)
		check_fixed(was, is, why);
	return why->count == before;
}

/* spec.roles is a list by id, too; everything else is compared as it stands. */
static bool same_app(const cJSON *a, const cJSON *b)
{
	const cJSON *field;

	if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b) || !same_roles(json_get(a, "roles"), json_get(b, "roles")))
		return false;
	cJSON_ArrayForEach(field, a) {
		if (strcmp(field->string, "roles") != 0 && !same(a, b, field->string))
			return false;
	}
	return true;
}

bool rules_of_app(const cJSON *was, const cJSON *is, struct refusal *why)
{
	const cJSON *spec = json_get(is, "spec"), *roles = json_get(spec, "roles"), *item;
	bool selected = true, pictured = true;
	size_t before = why->count;

	cJSON_ArrayForEach(item, json_get(json_get(spec, "config"), "selectedRoles"))
		selected = selected && role_of(roles, cJSON_GetStringValue(item) ? item->valuestring : "");
	cJSON_ArrayForEach(item, roles)
		pictured = pictured && json_str(item, "imageRepoTag");
	if (was && !same_app(json_get(was, "spec"), spec))
		refusal_add(why, "spec", "an App is immutable: make a new App for a new version");
	if (!selected)
		refusal_add(why, "spec.config.selectedRoles", "config.selectedRoles names a role that is not in roles");
	if (!pictured && !json_str(spec, "defaultImageRepoTag"))
		refusal_add(why, "spec", "a role without imageRepoTag needs defaultImageRepoTag");
	return why->count == before;
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
	return json_get(status, "roles");
}

/* U1 and N1, as the API server holds them against a faulty operator. */
bool rules_of_status(const cJSON *was, const cJSON *is, struct refusal *why)
{
	const cJSON *old = json_get(was, "status"), *status = json_get(is, "status");
	size_t before = why->count;

	if (json_get(old, "upgradeInfo") && !json_get(status, "upgradeInfo") && !queues_are_empty(status))
		refusal_add(why, WHOLE, "U1: upgradeInfo may not be removed while a queue is not empty");
	if (json_get(old, "lastNotifyID") &&
	    (!json_get(status, "lastNotifyID") || json_int(status, "lastNotifyID", 0) < json_int(old, "lastNotifyID", 0)))
		refusal_add(why, WHOLE, "N1: lastNotifyID may not go back");
	return why->count == before;
}
