#include "tests/cases/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects are laid over each other key by key; everything else, lists too, takes the place of what was there. */
static void merge(cJSON *base, const cJSON *over)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, over) {
		cJSON *was = cJSON_GetObjectItemCaseSensitive(base, item->string);
		if (cJSON_IsObject(was) && cJSON_IsObject(item)) {
			merge(was, item);
			continue;
		}
		cJSON_DeleteItemFromObjectCaseSensitive(base, item->string);
		if (!cJSON_IsNull(item))
			cJSON_AddItemToObject(base, item->string, cJSON_Duplicate(item, true));
	}
}

void *case_lay(const struct crd_type *type, void *object, const cJSON *over, struct arena *arena)
{
	if (!over)
		return object;
	struct err err = { .kind = ERR_NONE };
	cleanup_json cJSON *tree = cJSON_Parse(crd_text(type, object, arena));
	merge(tree, over);
	char *text = cJSON_PrintUnformatted(tree);
	const char *copy = arena_strdup(arena, text);
	free(text);
	void *laid = arena_alloc(arena, type->size);
	if (crd_decode_text(type, copy, strlen(copy), laid, arena, &err) < 0) {
		fprintf(stderr, "a case is wrong: %s\n", err.msg);
		abort();
	}
	return laid;
}
