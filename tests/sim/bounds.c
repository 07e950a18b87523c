#include "rules.h"

#include <stdio.h>
#include <string.h>

/*
 * The bounds of status in crd/cluster.yaml and crd/app.yaml. IN is the key of the list or object that holds the field,
 * NULL where the field's name says enough.
 */
static const struct bound {
	const char *in, *key;
	int max_length, max_items;
} bounds[] = {
	{"status", "app", 63, 0},
	{"status", "readyMembers", 16, 0},
	{"status", "clusterService", 63, 0},
	{"status", "conditions", 0, 16},
	{"status", "lastPlans", 0, 5},
	{"status", "notifications", 0, 2048},
	{"status", "roles", 0, 32},
	{"status", "usedBy", 0, 1000},
	{"status", "handledCommands", 0, 4},
	{"upgradeInfo", "prevApp", 63, 0},
	{"rolledBack", "app", 63, 0},
	{"conditions", "type", 64, 0},
	{"conditions", "reason", 64, 0},
	{"conditions", "message", 1024, 0},
	{NULL, "fromApp", 63, 0},
	{NULL, "toApp", 63, 0},
	{"plan", "reason", 64, 0},
	{"lastPlans", "reason", 64, 0},
	{NULL, "steps", 0, 40},
	{NULL, "warnings", 0, 32},
	{"steps", "name", 96, 0},
	{"steps", "message", 256, 0},
	{"warnings", "step", 96, 0},
	{"warnings", "message", 256, 0},
	{"notifications", "role", 63, 0},
	{"notifications", "fqdns", 0, 1000},
	{"roles", "id", 63, 0},
	{"roles", "statefulSet", 63, 0},
	{"roles", "waitingFor", 256, 0},
	{"roles", "members", 0, 1000},
	{"members", "pod", 63, 0},
	{NULL, "configErrorDetail", 256, 0},
	{NULL, "lastConfiguredContainer", 128, 0},
	{NULL, "downReason", 256, 0},
	{NULL, "pendingNotifyCmds", 0, 32},
	{NULL, "lastError", 128, 0},
};

static const struct bound *bound_of(const char *in, const char *key)
{
	for (size_t i = 0; key && i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		if (bounds[i].key[0] == key[0] && strcmp(bounds[i].key, key) == 0 && (!bounds[i].in || strcmp(bounds[i].in, in) == 0))
			return &bounds[i];
	}
	return NULL;
}

/* maxLength counts characters, not bytes. */
static int characters(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80;
	return n;
}

static bool field_holds(const cJSON *field, const char *in, struct refusal *why)
{
	const struct bound *b = cJSON_IsString(field) || cJSON_IsArray(field) ? bound_of(in, field->string) : NULL;
	int max, is;

	if (!b)
		return true;
	max = cJSON_IsString(field) ? b->max_length : b->max_items;
	is = cJSON_IsString(field) ? characters(field->valuestring) : cJSON_GetArraySize(field);
	if (max && is > max)
		refusal_add_as(why, CAUSE_TOO_LONG, b->key, "Too long: %d, may not be more than %d (in %s)", is, max, in);
	return !max || is <= max;
}

/* IN is the nearest key above: a list's items are judged by the list's key. */
static bool hold_within(const cJSON *tree, const char *in, struct refusal *why)
{
	const cJSON *field;

	cJSON_ArrayForEach(field, tree) {
		if (field->string && !field_holds(field, in, why))
			return false;
		if (!hold_within(field, field->string ? field->string : in, why))
			return false;
	}
	return true;
}

bool bounds_hold(const cJSON *status, struct refusal *why)
{
	return hold_within(status, "status", why);
}
