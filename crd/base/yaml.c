#include "yaml.h"

#include "strbuf.h"
#include "strmap.h"
#include "yaml_scalar.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>

/* What a tree takes: an alias of a long text grows as well as one of many values. */
struct weight {
	size_t nodes, bytes;
};

struct reader {
	yaml_parser_t parser;
	const char *text;
	struct err *err;
	struct strmap anchors; /* name -> a copy of the node; the map owns it */
	struct weight weight; /* of all values so far, and of the copies for anchors */
	int depth;
};

static void release_event(yaml_event_t *event)
{
	yaml_event_delete(event);
}
#define cleanup_event __attribute__((cleanup(release_event)))

__attribute__((format(printf, 3, 4))) static void *fail(struct reader *r, size_t line, const char *fmt, ...)
{
	char what[256];
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	err_set(r->err, ERR_INVALID, "line %zu: %s", line, what);
	return NULL;
}

static size_t line_of(const yaml_event_t *event)
{
	return event->start_mark.line + 1;
}

/* An error of the encoding comes with an offset instead of a line. */
static size_t problem_line(const struct reader *r)
{
	if (r->parser.error != YAML_READER_ERROR)
		return r->parser.problem_mark.line + 1;
	size_t line = 1;
	for (size_t i = 0; i < r->parser.problem_offset; i++)
		line += r->text[i] == '\n';
	return line;
}

static bool next_event(struct reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return true;
	memset(event, 0, sizeof(*event));
	fail(r, problem_line(r), "%s", r->parser.problem ? r->parser.problem : "not YAML");
	return false;
}

static void weigh(const cJSON *tree, struct weight *w)
{
	w->nodes++;
	w->bytes += (tree->valuestring ? strlen(tree->valuestring) : 0) + (tree->string ? strlen(tree->string) : 0);
	for (const cJSON *item = tree->child; item; item = item->next)
		weigh(item, w);
}

/* Whether TREE may be added to what there is. */
static bool has_room(struct reader *r, size_t line, const cJSON *tree, struct weight *ret_sum)
{
	struct weight sum = r->weight;
	weigh(tree, &sum);
	*ret_sum = sum;
	if (sum.nodes > YAML_NODES_MAX)
		fail(r, line, "more than %d values, aliases expanded", YAML_NODES_MAX);
	else if (sum.bytes > YAML_TEXT_MAX)
		fail(r, line, "more than %zu bytes of text, aliases expanded", YAML_TEXT_MAX);
	return sum.nodes <= YAML_NODES_MAX && sum.bytes <= YAML_TEXT_MAX;
}

/* False, with TREE gone, when it makes the input too large. */
static cJSON *add_nodes(struct reader *r, size_t line, cJSON *tree)
{
	if (has_room(r, line, tree, &r->weight))
		return tree;
	cJSON_Delete(tree);
	return NULL;
}

/* A copy with a check before the copying: aliases of aliases grow without bound. */
static cJSON *duplicate(struct reader *r, size_t line, const cJSON *tree)
{
	struct weight sum;
	if (!has_room(r, line, tree, &sum))
		return NULL;
	r->weight = sum;
	return cJSON_Duplicate(tree, true);
}

static bool is_tag(const yaml_char_t *tag, const char *name)
{
	return !tag || strcmp((const char *)tag, name) == 0 || strcmp((const char *)tag, "!") == 0;
}

static cJSON *read_scalar(struct reader *r, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	if (!is_tag(event->data.scalar.tag, YAML_STR_TAG))
		return fail(r, line_of(event), "tag %s is not supported", event->data.scalar.tag);
	if (strlen(text) != event->data.scalar.length)
		return fail(r, line_of(event), "a NUL in text");
	if (!event->data.scalar.plain_implicit)
		return add_nodes(r, line_of(event), cJSON_CreateString(text));

	const char *why = NULL;
	cJSON *value = yaml_scalar(text, &why);
	/* The text stays out of the message: in a kubeconfig it may be a token. */
	return value ? add_nodes(r, line_of(event), value) : fail(r, line_of(event), "%s", why);
}

static cJSON *read_alias(struct reader *r, const yaml_event_t *event)
{
	const char *name = (const char *)event->data.alias.anchor;
	const cJSON *node = strmap_get(&r->anchors, name);
	return node ? duplicate(r, line_of(event), node) : fail(r, line_of(event), "unknown alias *%s", name);
}

static cJSON *read_node(struct reader *r, const yaml_event_t *event);

static bool read_items(struct reader *r, cJSON *list)
{
	for (;;) {
		cleanup_event yaml_event_t event;
		if (!next_event(r, &event))
			return false;
		if (event.type == YAML_SEQUENCE_END_EVENT)
			return true;
		cJSON *item = read_node(r, &event);
		if (!item)
			return false;
		cJSON_AddItemToArray(list, item);
	}
}

static cJSON *read_sequence(struct reader *r, const yaml_event_t *event)
{
	if (!is_tag(event->data.sequence_start.tag, YAML_SEQ_TAG))
		return fail(r, line_of(event), "tag %s is not supported", event->data.sequence_start.tag);
	cJSON *list = add_nodes(r, line_of(event), cJSON_CreateArray());
	if (list && read_items(r, list))
		return list;
	cJSON_Delete(list);
	return NULL;
}

/* A mapping under construction. */
struct mapping {
	cJSON *object;
	cJSON *merges;       /* what stood behind "<<", in order */
	struct strmap keys;
};

static void mapping_release(struct mapping *m)
{
	cJSON_Delete(m->object);
	cJSON_Delete(m->merges);
	strmap_release(&m->keys);
}
#define cleanup_mapping __attribute__((cleanup(mapping_release)))

static bool add_merge(struct reader *r, struct mapping *m, cJSON *value, size_t line)
{
	cJSON *list = cJSON_IsArray(value) ? value : cJSON_CreateArray();
	if (list != value)
		cJSON_AddItemToArray(list, value);
	while (list->child) {
		cJSON *source = cJSON_DetachItemViaPointer(list, list->child);
		cJSON_AddItemToArray(m->merges, source);
		if (!cJSON_IsObject(source)) {
			cJSON_Delete(list);
			return fail(r, line, "\"<<\" takes mappings only");
		}
	}
	cJSON_Delete(list);
	return true;
}

/* The key as written, or what its alias stands for: a copy, for the value behind it may take over the anchor. */
static bool read_key(const struct reader *r, const yaml_event_t *key, struct strbuf *out)
{
	const char *text = NULL;
	if (key->type == YAML_ALIAS_EVENT)
		text = cJSON_GetStringValue(strmap_get(&r->anchors, (const char *)key->data.alias.anchor));
	else if (key->type == YAML_SCALAR_EVENT && strlen((const char *)key->data.scalar.value) == key->data.scalar.length)
		text = (const char *)key->data.scalar.value;
	if (text)
		strbuf_adds(out, text);
	return text;
}

static bool add_member(struct reader *r, struct mapping *m, const yaml_event_t *key)
{
	cleanup_strbuf struct strbuf copy = { 0 };
	if (!read_key(r, key, &copy))
		return fail(r, line_of(key), "a key must be text, without a NUL");
	const char *name = strbuf_str(&copy);
	bool is_merge = key->type == YAML_SCALAR_EVENT && key->data.scalar.plain_implicit && strcmp(name, "<<") == 0;
	if (!is_merge && strmap_set(&m->keys, name, m))
		return fail(r, line_of(key), "key \"%s\" occurs twice", name);

	cleanup_event yaml_event_t event;
	if (!next_event(r, &event))
		return false;
	cJSON *value = read_node(r, &event);
	if (value && is_merge)
		return add_merge(r, m, value, line_of(key));
	if (value)
		cJSON_AddItemToObject(m->object, name, value);
	return value;
}

/* Keys that the mapping has itself win, and of several sources the first. */
static void apply_merges(struct mapping *m)
{
	for (cJSON *source = m->merges->child; source; source = source->next) {
		for (cJSON *item = source->child, *next; item; item = next) {
			next = item->next;
			if (!strmap_set(&m->keys, item->string, m))
				cJSON_AddItemToObject(m->object, item->string, cJSON_DetachItemViaPointer(source, item));
		}
	}
}

static cJSON *read_mapping(struct reader *r, const yaml_event_t *event)
{
	if (!is_tag(event->data.mapping_start.tag, YAML_MAP_TAG))
		return fail(r, line_of(event), "tag %s is not supported", event->data.mapping_start.tag);
	cleanup_mapping struct mapping m = { .merges = cJSON_CreateArray() };
	m.object = add_nodes(r, line_of(event), cJSON_CreateObject());
	while (m.object) {
		cleanup_event yaml_event_t key;
		if (!next_event(r, &key))
			return NULL;
		if (key.type == YAML_MAPPING_END_EVENT)
			break;
		if (!add_member(r, &m, &key))
			return NULL;
	}
	apply_merges(&m);
	cJSON *object = m.object;
	m.object = NULL;
	return object;
}

static const char *anchor_of(const yaml_event_t *event)
{
	const yaml_char_t *anchor = event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
	                            : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
	                            : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
	                                                                       : NULL;
	return (const char *)anchor;
}

static cJSON *read_any(struct reader *r, const yaml_event_t *event)
{
	if (event->type == YAML_ALIAS_EVENT)
		return read_alias(r, event);
	if (event->type == YAML_SCALAR_EVENT)
		return read_scalar(r, event);
	if (event->type == YAML_SEQUENCE_START_EVENT)
		return read_sequence(r, event);
	return read_mapping(r, event);
}

/* The node that EVENT begins. Its anchor is known only from its end on, so that no node can hold itself. */
static cJSON *read_node(struct reader *r, const yaml_event_t *event)
{
	if (r->depth == YAML_DEPTH_MAX)
		return fail(r, line_of(event), "nested deeper than %d", YAML_DEPTH_MAX);
	r->depth++;
	cJSON *node = read_any(r, event);
	r->depth--;

	const char *anchor = anchor_of(event);
	if (!node || !anchor)
		return node;
	cJSON *copy = duplicate(r, line_of(event), node);
	if (copy) {
		cJSON_Delete(strmap_set(&r->anchors, anchor, copy));
		return node;
	}
	cJSON_Delete(node);
	return NULL;
}

static void forget_anchors(struct reader *r)
{
	struct strmap_iter it = { 0 };
	while (strmap_next(&r->anchors, &it))
		cJSON_Delete(it.value);
	strmap_release(&r->anchors);
}

static bool read_documents(struct reader *r, cJSON *documents)
{
	for (;;) {
		cleanup_event yaml_event_t event;
		if (!next_event(r, &event))
			return false;
		if (event.type == YAML_STREAM_END_EVENT)
			return true;
		if (event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_END_EVENT)
			continue;
		if (event.type == YAML_DOCUMENT_START_EVENT) {
			forget_anchors(r);
			continue;
		}
		cJSON *document = read_node(r, &event);
		if (!document)
			return false;
		if (cJSON_IsNull(document))
			cJSON_Delete(document);
		else
			cJSON_AddItemToArray(documents, document);
	}
}

cJSON *yaml_parse_all(const char *text, size_t len, struct err *err)
{
	struct reader r = { .text = text, .err = err };
	if (len > YAML_SIZE_MAX) {
		err_set(err, ERR_LIMIT, "YAML of more than %zu bytes", YAML_SIZE_MAX);
		return NULL;
	}
	if (!yaml_parser_initialize(&r.parser)) {
		err_set(err, ERR_LIMIT, "out of memory");
		return NULL;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	cJSON *documents = cJSON_CreateArray();
	bool ok = read_documents(&r, documents);
	forget_anchors(&r);
	yaml_parser_delete(&r.parser);
	if (ok)
		return documents;
	cJSON_Delete(documents);
	return NULL;
}

cJSON *yaml_parse(const char *text, size_t len, struct err *err)
{
	cJSON *documents = yaml_parse_all(text, len, err);
	if (!documents)
		return NULL;
	cJSON *only = NULL;
	if (cJSON_GetArraySize(documents) > 1)
		err_set(err, ERR_INVALID, "more than one document");
	else
		only = documents->child ? cJSON_DetachItemFromArray(documents, 0) : cJSON_CreateNull();
	cJSON_Delete(documents);
	return only;
}
