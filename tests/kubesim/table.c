#include "form.h"

#include <string.h>

/* First of a list whose field KEY is VALUE: the "[?(@.KEY=="VALUE")]" of a JSONPath. */
static const cJSON *choose(const cJSON *list, const char *key, const char *value)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		const char *is = json_str(item, key);

		if (is && strcmp(is, value) == 0)
			return item;
	}
	return NULL;
}

/* As much of JSONPath as crd/ has in its printer columns: ".a.b" and ".a[?(@.k=="v")].b". */
static const cJSON *follow(struct arena *a, const cJSON *value, const char *path)
{
	while (value && *path == '.') {
		size_t len = strcspn(++path, ".[");

		value = json_get(value, arena_strndup(a, path, len));
		path += len;
		if (strncmp(path, "[?(@.", 5) == 0) {
			const char *key = path + 5, *quote = strstr(key, "==\""), *end = quote ? strstr(quote, "\")]") : NULL;

			if (!end)
				return NULL;
			value = choose(value, arena_strndup(a, key, (size_t)(quote - key)),
			               arena_strndup(a, quote + 3, (size_t)(end - quote - 3)));
			path = end + 3;
		}
	}
	return value;
}

static void add_printed_cell(struct kubesim *k, const cJSON *column, const cJSON *object, struct strbuf *b)
{
	const cJSON *value = follow(&k->scratch, object, json_str(column, "jsonPath"));
	const char *type = json_str(column, "type");
	cleanup_strbuf struct strbuf text = {0};

	if (!value)
		strbuf_adds(b, "null");
	else if (strcmp(type, "date") == 0)
		strbuf_add_json(b, columns_age(k, cJSON_GetStringValue(value)));
	else if (strcmp(type, "string") != 0 || cJSON_IsString(value))
		json_print(value, b);
	else {
		json_print(value, &text);
		strbuf_add_json(b, text.data);
	}
}

static void add_cell(struct kubesim *k, const struct column *c, const cJSON *object, struct strbuf *b)
{
	const char *text = c->path ? cJSON_GetStringValue(follow(&k->scratch, object, c->path)) : NULL;

	if (c->add)
		c->add(k, object, b);
	else
		strbuf_add_json(b, text ? text : c->absent);
}

static void add_definition(struct strbuf *b, const char *name, const char *type, const char *description, int priority)
{
	bool is_name = strcmp(name, "Name") == 0;

	strbuf_addf(b, "{\"name\":\"%s\",\"type\":\"%s\",\"format\":\"%s\",\"description\":", name, type, is_name ? "name" : "");
	strbuf_add_json(b, description);
	strbuf_addf(b, ",\"priority\":%d}", priority);
}

static const char *described(struct kubesim *k, const cJSON *column)
{
	const char *own = json_str(column, "description");

	return own ? own : arena_printf(&k->scratch, "Custom resource definition column (in JSONPath format): %s",
	                                json_str(column, "jsonPath"));
}

void table_add_head(struct kubesim *k, enum kind kind, const struct api_page *page, struct strbuf *b)
{
	const struct column *own = columns_of(kind);
	const cJSON *c;

	api_add_list_head(b, "Table", "meta.k8s.io/v1", page);
	strbuf_adds(b, ",\"columnDefinitions\":[");
	for (size_t i = 0; own[i].name; i++) {
		strbuf_adds(b, i ? "," : "");
		add_definition(b, own[i].name, "string", "", own[i].priority);
	}
	cJSON_ArrayForEach(c, k->crds[kind].columns) {
		strbuf_addc(b, ',');
		add_definition(b, json_str(c, "name"), json_str(c, "type"), described(k, c), (int)json_int(c, "priority", 0));
	}
	strbuf_adds(b, "],\"rows\":[");
}

static void add_row_object(const struct form *f, const cJSON *object, struct strbuf *b)
{
	strbuf_adds(b, ",\"object\":");
	if (strcmp(f->include, "None") == 0) {
		strbuf_adds(b, "null");
		return;
	}
	if (strcmp(f->include, "Object") == 0) {
		json_print(object, b);
		return;
	}
	strbuf_adds(b, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":");
	json_print(json_get(object, "metadata"), b);
	strbuf_addc(b, '}');
}

void table_add_row(struct kubesim *k, const struct form *f, enum kind kind, const cJSON *object, struct strbuf *b)
{
	const struct column *own = columns_of(kind);
	const cJSON *c;

	strbuf_adds(b, "{\"cells\":[");
	for (size_t i = 0; own[i].name; i++) {
		strbuf_adds(b, i ? "," : "");
		add_cell(k, &own[i], object, b);
	}
	cJSON_ArrayForEach(c, k->crds[kind].columns) {
		strbuf_addc(b, ',');
		add_printed_cell(k, c, object, b);
	}
	strbuf_addc(b, ']');
	add_row_object(f, object, b);
	strbuf_addc(b, '}');
}
