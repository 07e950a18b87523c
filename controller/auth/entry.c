#include "entry.h"

#include "base64.h"
#include "crd/base/json.h"

#include <string.h>

int entry_text(const struct entry *e, const char *key, const char **ret, struct err *err)
{
	const cJSON *item = json_get(e->body, key);
	const char *text = cJSON_GetStringValue(item);

	if (item && !text)
		return err_set(err, ERR_INVALID, "%s: %s must be text; put it into quotes", e->who, key);
	*ret = text && *text ? text : NULL;
	return 0;
}

int entry_bool(const struct entry *e, const char *key, bool *ret, struct err *err)
{
	const cJSON *item = json_get(e->body, key);

	if (item && !cJSON_IsBool(item))
		return err_set(err, ERR_INVALID, "%s: %s must be true or false, without quotes", e->who, key);
	*ret = cJSON_IsTrue(item);
	return 0;
}

int entry_list(const struct entry *e, const char *key, const cJSON **ret, struct err *err)
{
	const cJSON *list = json_get(e->body, key);

	if (list && !cJSON_IsArray(list))
		return err_set(err, ERR_INVALID, "%s: %s must be a list", e->who, key);
	if (cJSON_GetArraySize(list) > ENTRY_LIST_MAX)
		return err_set(err, ERR_LIMIT, "%s: %s has more than %d items", e->who, key, ENTRY_LIST_MAX);
	*ret = list;
	return 0;
}

int entry_texts(const struct entry *e, const char *key, struct texts *ret, struct err *err)
{
	const cJSON *list, *item;
	struct texts texts = { 0 };

	if (entry_list(e, key, &list, err) < 0)
		return -1;
	texts.items = arena_array(e->memory, (size_t)cJSON_GetArraySize(list) + 1, sizeof(*texts.items));
	cJSON_ArrayForEach(item, list) {
		texts.items[texts.count] = cJSON_GetStringValue(item);
		if (!texts.items[texts.count])
			return err_set(err, ERR_INVALID, "%s: item %zu of %s must be text; put it into quotes", e->who,
			               texts.count + 1, key);
		texts.count++;
	}
	*ret = texts;
	return 0;
}

const char *entry_path(const struct entry *e, const char *path)
{
	const char *slash = strrchr(e->file, '/');

	if (*path == '/' || !slash)
		return arena_strdup(e->memory, path);
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	return arena_printf(e->memory, "%.*s/%s", (int)(slash - e->file), e->file, path);
}

int entry_material(const struct entry *e, const char *key, struct material *m, struct err *err)
{
	const char *data_key = arena_printf(e->memory, "%s-data", key), *data, *file;

	if (entry_text(e, data_key, &data, err) < 0 || entry_text(e, key, &file, err) < 0)
		return -1;
	if (data) {
		m->source = arena_printf(e->memory, "%s of %s", data_key, e->who);
		if (base64_decode(data, &m->text) < 0 || m->text.len == 0)
			return err_set(err, ERR_INVALID, "%s is not base64", m->source);
		return 0;
	}
	if (!file)
		return 0;
	file = entry_path(e, file);
	return material_load(m, file, arena_printf(e->memory, "%s %s of %s", key, file, e->who), err);
}
