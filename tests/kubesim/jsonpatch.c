#include "write.h"

#include <stdlib.h>
#include <string.h>

#define POINTER_MAX 512

/* One reference token of a JSON pointer (RFC 6901), without its escapes. */
static void read_token(const char *from, size_t len, char token[POINTER_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < POINTER_MAX; i++) {
		bool escaped = from[i] == '~' && i + 1 < len;

		token[n++] = !escaped ? from[i] : from[++i] == '1' ? '/' : '~';
	}
	token[n] = '\0';
}

static cJSON *child_of(const cJSON *parent, const char *token)
{
	char *end;
	long index = strtol(token, &end, 10);

	if (cJSON_IsArray(parent))
		return *token && !*end && index >= 0 ? cJSON_GetArrayItem(parent, (int)index) : NULL;
	return cJSON_IsObject(parent) ? cJSON_GetObjectItemCaseSensitive(parent, token) : NULL;
}

/* The container that PATH's last token is in; NULL: there is none. */
static cJSON *find_parent(cJSON *tree, const char *path, char last[POINTER_MAX])
{
	if (*path != '/')
		return NULL;
	for (;;) {
		size_t len = strcspn(++path, "/");

		read_token(path, len, last);
		path += len;
		if (!*path)
			return tree;
		tree = child_of(tree, last);
		if (!tree)
			return NULL;
	}
}

/* Appends VALUE and turns what is behind it round: cJSON_InsertItemInArray() of Debian 12 refuses to insert in the middle. */
static void insert(cJSON *list, int index, cJSON *value)
{
	int behind = cJSON_GetArraySize(list) - index;

	cJSON_AddItemToArray(list, value);
	for (; behind > 0; behind--)
		cJSON_AddItemToArray(list, cJSON_DetachItemFromArray(list, index));
}

static bool add(cJSON *parent, const char *token, cJSON *value)
{
	char *end;
	long index = strtol(token, &end, 10);

	if (cJSON_IsObject(parent))
		tree_put(parent, token, value);
	else if (!cJSON_IsArray(parent) || (strcmp(token, "-") != 0 && (*end || index < 0 || index > cJSON_GetArraySize(parent))))
		return false;
	else
		insert(parent, strcmp(token, "-") == 0 ? cJSON_GetArraySize(parent) : (int)index, value);
	return true;
}

static bool apply_value(cJSON *parent, const char *token, const cJSON *value, bool must_exist)
{
	cJSON *old = child_of(parent, token), *copy = tree_copy(value);

	if (!copy || (must_exist && !old)) {
		cJSON_Delete(copy);
		return false;
	}
	if (must_exist && cJSON_IsArray(parent))
		return cJSON_ReplaceItemViaPointer(parent, old, copy);
	if (add(parent, token, copy))
		return true;
	cJSON_Delete(copy);
	return false;
}

static bool remove_at(cJSON *parent, const char *token)
{
	cJSON *old = child_of(parent, token);

	if (old)
		cJSON_Delete(cJSON_DetachItemViaPointer(parent, old));
	return old;
}

static bool copy_from(cJSON *tree, cJSON *parent, const char *token, const char *from, bool moves)
{
	char last[POINTER_MAX];
	cJSON *source = from ? find_parent(tree, from, last) : NULL;
	cleanup_json cJSON *value = source ? tree_copy(child_of(source, last)) : NULL;

	if (value && moves)
		remove_at(source, last);
	return value && apply_value(parent, token, value, false);
}

static bool apply_one(cJSON *tree, const cJSON *operation)
{
	const char *op = json_str(operation, "op"), *path = json_str(operation, "path");
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(operation, "value");
	char last[POINTER_MAX];
	cJSON *parent = op && path ? find_parent(tree, path, last) : NULL;

	if (!parent)
		return false;
	if (strcmp(op, "add") == 0)
		return apply_value(parent, last, value, false);
	if (strcmp(op, "replace") == 0)
		return apply_value(parent, last, value, true);
	if (strcmp(op, "remove") == 0)
		return remove_at(parent, last);
	if (strcmp(op, "test") == 0)
		return tree_equal(child_of(parent, last), value);
	if (strcmp(op, "copy") == 0 || strcmp(op, "move") == 0)
		return copy_from(tree, parent, last, json_str(operation, "from"), *op == 'm');
	return false;
}

bool jsonpatch_apply(cJSON *tree, const cJSON *patch)
{
	const cJSON *operation;

	if (!cJSON_IsArray(patch))
		return false;
	cJSON_ArrayForEach(operation, patch) {
		if (!apply_one(tree, operation))
			return false;
	}
	return true;
}
