#include "json.h"

#include <string.h>

/* A list that Kubernetes would merge by "name", as containers, ports with names, volumes and env. */
static bool is_named_list(const cJSON *list)
{
	if (!cJSON_IsArray(list))
		return false;
	const cJSON *item;
	cJSON_ArrayForEach(item, list)
		if (!json_str(item, "name"))
			return false;
	return true;
}

static cJSON *find_named(const cJSON *list, const char *name)
{
	cJSON *item;
	cJSON_ArrayForEach(item, list)
		if (strcmp(json_str(item, "name"), name) == 0)
			return item;
	return NULL;
}

static void lay_over(cJSON *parent, cJSON *old, cJSON *over);

static void lay_over_object(cJSON *base, cJSON *over)
{
	while (over->child) {
		cJSON *item = cJSON_DetachItemViaPointer(over, over->child);
		cJSON *old = cJSON_GetObjectItemCaseSensitive(base, item->string);
		if (old)
			lay_over(base, old, item);
		else
			cJSON_AddItemToObject(base, item->string, item);
	}
}

static void lay_over_list(cJSON *base, cJSON *over)
{
	while (over->child) {
		cJSON *item = cJSON_DetachItemViaPointer(over, over->child);
		cJSON *old = find_named(base, json_str(item, "name"));
		if (old)
			lay_over(base, old, item);
		else
			cJSON_AddItemToArray(base, item);
	}
}

/* OVER meets OLD, a member of PARENT. Takes OVER, which has no parent. */
static void lay_over(cJSON *parent, cJSON *old, cJSON *over)
{
	if (cJSON_IsObject(old) && cJSON_IsObject(over)) {
		lay_over_object(old, over);
	} else if (is_named_list(old) && is_named_list(over)) {
		lay_over_list(old, over);
	} else {
		cJSON_ReplaceItemViaPointer(parent, old, over);
		return;
	}
	cJSON_Delete(over);
}

static cJSON *parse(const char *text, const char *which, struct err *err)
{
	cJSON *tree = json_parse(text, strlen(text), err);
	if (!tree)
		err_wrap(err, "%s", which);
	return tree;
}

int json_overlay(const char *base, const char *over, struct strbuf *out, struct err *err)
{
	/* The root has a parent too, so that a root that is no object is replaced like any other value. */
	cleanup_json cJSON *holder = cJSON_CreateArray();
	cJSON *lower = parse(base, "base", err);
	if (!lower)
		return -1;
	cJSON_AddItemToArray(holder, lower);
	if (over) {
		cJSON *upper = parse(over, "overlay", err);
		if (!upper)
			return -1;
		lay_over(holder, lower, upper);
	}
	json_print(holder->child, out);
	return 0;
}
