#include "form.h"

#include <stdlib.h>
#include <string.h>

static void rename_field(cJSON *object, const char *from, const char *to)
{
	cJSON *value = cJSON_DetachItemFromObjectCaseSensitive(object, from);

	if (value)
		tree_put(object, to, value);
}

static const struct {
	const char *core, *new;
} event_fields[] = {
	{"involvedObject", "regarding"}, {"message", "note"}, {"reportingComponent", "reportingController"},
	{"source", "deprecatedSource"}, {"firstTimestamp", "deprecatedFirstTimestamp"},
	{"lastTimestamp", "deprecatedLastTimestamp"}, {"count", "deprecatedCount"},
};
#define EVENT_FIELDS (sizeof(event_fields) / sizeof(event_fields[0]))

void form_event_to_core(cJSON *event)
{
	for (size_t i = 0; i < EVENT_FIELDS; i++)
		rename_field(event, event_fields[i].new, event_fields[i].core);
	if (json_get(event, "apiVersion"))
		tree_put_str(event, "apiVersion", kind_infos[KIND_SETBACK].api_version);
}

void form_event_from_core(cJSON *event)
{
	for (size_t i = 0; i < EVENT_FIELDS; i++)
		rename_field(event, event_fields[i].core, event_fields[i].new);
	if (json_get(event, "apiVersion"))
		tree_put_str(event, "apiVersion", kind_infos[KIND_EVENT].api_version);
}

static const char *option(struct kubesim *k, const char *query, const char *key)
{
	const char *at = strstr(query, key);

	return at ? arena_strndup(&k->scratch, at + strlen(key), strcspn(at + strlen(key), "&")) : NULL;
}

struct form form_of(struct kubesim *k, const char *accept, struct api_target *t)
{
	struct form f = {.is_table = strstr(accept, "as=Table"), .is_new_event = t->kind == KIND_EVENT};

	f.include = option(k, t->query, "includeObject=");
	if (!f.include)
		f.include = "Metadata";
	if (t->kind == KIND_EVENT)
		t->kind = KIND_SETBACK;
	return f;
}

static void add_table_of_one(struct kubesim *k, const struct form *f, enum kind kind, const cJSON *object,
                             struct strbuf *b)
{
	const char *version = json_str(json_get(object, "metadata"), "resourceVersion");
	struct api_page page = {.version = version ? strtoll(version, NULL, 10) : 0};

	table_add_head(k, kind, &page, b);
	table_add_row(k, f, kind, object, b);
	strbuf_adds(b, "]}");
}

void form_add_object(struct kubesim *k, const struct form *f, enum kind kind, const char *text, size_t len,
                     struct strbuf *b)
{
	cleanup_json cJSON *tree = NULL;

	if (!f->is_table && !f->is_new_event) {
		strbuf_add(b, text, len);
		return;
	}
	tree = cJSON_ParseWithLength(text, len);
	if (f->is_table) {
		add_table_of_one(k, f, kind, tree, b);
		return;
	}
	form_event_from_core(tree);
	json_print(tree, b);
}

static struct reply list_of_new_events(struct kubesim *k, const struct api_page *page)
{
	cleanup_strbuf struct strbuf b = {.cap = LIST_MAX};

	api_add_list_head(&b, "EventList", kind_infos[KIND_EVENT].api_version, page);
	strbuf_adds(&b, ",\"items\":[");
	for (size_t i = 0; i < page->count; i++) {
		cleanup_json cJSON *event = tree_copy(page->objects[i]->tree);

		form_event_from_core(event);
		strbuf_adds(&b, i ? "," : "");
		json_print(event, &b);
	}
	strbuf_adds(&b, "]}");
	return api_text(&k->sim, 200, &b);
}

struct reply form_list(struct kubesim *k, const struct form *f, const struct api_target *t, const struct api_page *page)
{
	cleanup_strbuf struct strbuf b = {.cap = LIST_MAX};

	if (!f->is_table)
		return f->is_new_event ? list_of_new_events(k, page) : api_list(&k->sim, t, page);
	table_add_head(k, t->kind, page, &b);
	for (size_t i = 0; i < page->count; i++) {
		strbuf_adds(&b, i ? "," : "");
		table_add_row(k, f, t->kind, page->objects[i]->tree, &b);
	}
	strbuf_adds(&b, "]}");
	return api_text(&k->sim, 200, &b);
}

struct reply form_reply(struct kubesim *k, const struct form *f, enum kind kind, const struct reply *reply)
{
	static const char status[] = "{\"kind\":\"Status\"";
	cleanup_strbuf struct strbuf b = {0};

	if ((!f->is_table && !f->is_new_event) || strncmp(reply->body, status, sizeof(status) - 1) == 0)
		return *reply;
	form_add_object(k, f, kind, reply->body, reply->len, &b);
	return api_text(&k->sim, reply->http, &b);
}
