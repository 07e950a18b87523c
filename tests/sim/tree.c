#include "tree.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cJSON *tree_child(cJSON *obj, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(obj, key);
}

cJSON *tree_object(cJSON *obj, const char *key)
{
	cJSON *child = tree_child(obj, key);

	return child ? child : cJSON_AddObjectToObject(obj, key);
}

void tree_put(cJSON *obj, const char *key, cJSON *value)
{
	if (tree_child(obj, key))
		cJSON_ReplaceItemInObjectCaseSensitive(obj, key, value);
	else
		cJSON_AddItemToObject(obj, key, value);
}

void tree_put_str(cJSON *obj, const char *key, const char *value)
{
	tree_put(obj, key, cJSON_CreateString(value));
}

void tree_put_int(cJSON *obj, const char *key, int64_t value)
{
	tree_put(obj, key, cJSON_CreateNumber((double)value));
}

void tree_drop(cJSON *obj, const char *key)
{
	cJSON_DeleteItemFromObjectCaseSensitive(obj, key);
}

cJSON *tree_copy(const cJSON *src)
{
	return src ? cJSON_Duplicate(src, true) : NULL;
}

static bool same_fields(const cJSON *a, const cJSON *b)
{
	const cJSON *field;

	if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
		return false;
	cJSON_ArrayForEach(field, a) {
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(b, field->string);

		if (!other || !tree_equal(field, other))
			return false;
	}
	return true;
}

static bool same_items(const cJSON *a, const cJSON *b)
{
	for (a = a->child, b = b->child; a && b; a = a->next, b = b->next) {
		if (!tree_equal(a, b))
			return false;
	}
	return !a && !b;
}

/* cJSON_Compare() looks at objects from both sides, at each level: that doubles with every level of nesting. */
bool tree_equal(const cJSON *a, const cJSON *b)
{
	if (!a || !b)
		return !a && !b;
	if (cJSON_IsObject(a) && cJSON_IsObject(b))
		return same_fields(a, b);
	if (cJSON_IsArray(a) && cJSON_IsArray(b))
		return same_items(a, b);
	return cJSON_Compare(a, b, true);
}

cJSON *tree_parsef(const char *fmt, ...)
{
	char *text = NULL;
	cJSON *tree;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	assert(len >= 0);
	tree = cJSON_Parse(text);
	if (!tree) {
		fprintf(stderr, "not JSON: %s\n", text);
		abort();
	}
	free(text);
	return tree;
}

const char *tree_label(const cJSON *object, const char *key)
{
	return json_str(json_get(json_get(object, "metadata"), "labels"), key);
}

void tree_merge_patch(cJSON *base, const cJSON *patch)
{
	const cJSON *field;

	cJSON_ArrayForEach(field, patch) {
		if (cJSON_IsNull(field))
			tree_drop(base, field->string);
		else if (cJSON_IsObject(field))
			tree_merge_patch(tree_object(base, field->string), field);
		else
			tree_put(base, field->string, tree_copy(field));
	}
}

static void remove_given_up(cJSON *base, const cJSON *before, const cJSON *now)
{
	const cJSON *field;

	cJSON_ArrayForEach(field, before) {
		const cJSON *kept = json_get(now, field->string);

		if (!kept)
			tree_drop(base, field->string);
		else if (cJSON_IsObject(kept) && cJSON_IsObject(field))
			remove_given_up(tree_child(base, field->string), field, kept);
	}
}

static void lay_over(cJSON *base, const cJSON *now)
{
	const cJSON *field;

	cJSON_ArrayForEach(field, now) {
		if (cJSON_IsObject(field))
			lay_over(tree_object(base, field->string), field);
		else
			tree_put(base, field->string, tree_copy(field));
	}
}

void tree_apply(cJSON *base, const cJSON *before, const cJSON *now)
{
	remove_given_up(base, before, now);
	lay_over(base, now);
}
