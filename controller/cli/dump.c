#include "dump.h"

#include "crd/base/die.h"
#include "crd/base/yaml.h"

#include <string.h>
#include <yaml.h>

#define INDENT 4

static void new_line(struct strbuf *out, size_t depth)
{
	strbuf_addf(out, "\n%*s", (int)(depth * INDENT), "");
}

static void put_json(const cJSON *tree, size_t depth, struct strbuf *out)
{
	bool is_object = cJSON_IsObject(tree);
	const cJSON *item;

	if (!tree->child) {
		json_print(tree, out);
		return;
	}
	strbuf_addc(out, is_object ? '{' : '[');
	cJSON_ArrayForEach(item, tree) {
		new_line(out, depth + 1);
		if (is_object) {
			strbuf_add_json(out, item->string);
			strbuf_adds(out, ": ");
		}
		put_json(item, depth + 1, out);
		if (item->next)
			strbuf_addc(out, ',');
	}
	new_line(out, depth);
	strbuf_addc(out, is_object ? '}' : ']');
}

void dump_json(const cJSON *tree, struct strbuf *out)
{
	put_json(tree, 0, out);
	strbuf_addc(out, '\n');
}

/* libyaml fails when memory has run out, or when it is used wrongly. */
static void check(int ok, const yaml_emitter_t *emitter)
{
	if (!ok)
		die("yaml", emitter->problem ? emitter->problem : "cannot write", 0);
}

static void emit(yaml_emitter_t *emitter, yaml_event_t *event, int made)
{
	check(made, emitter);
	check(yaml_emitter_emit(emitter, event), emitter);
}

static void emit_scalar(yaml_emitter_t *emitter, const char *text, bool plain, yaml_scalar_style_t style)
{
	yaml_event_t event;

	emit(emitter, &event,
	     yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), plain, 1,
	                                  style));
}

/*
 * Whether TEXT can stand without quotes: it must be read back as the same text, also by readers that know more of YAML
 * 1.1 than ours: times ("2026-01-01"), numbers of base 60 ("12:30"), merge keys.
 */
static bool can_be_plain(const char *text)
{
	cleanup_json cJSON *again = yaml_parse(text, strlen(text), NULL);
	const char *same = cJSON_GetStringValue(again);

	return same && strcmp(same, text) == 0 && text[strspn(text, "0123456789+-.:_TtZz <=")] != '\0';
}

/* A text of several lines is a block. */
static void emit_text(yaml_emitter_t *emitter, const char *text)
{
	if (strchr(text, '\n')) {
		emit_scalar(emitter, text, true, YAML_LITERAL_SCALAR_STYLE);
		return;
	}
	emit_scalar(emitter, text, true,
	            can_be_plain(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

static void emit_value(yaml_emitter_t *emitter, const cJSON *value)
{
	cleanup_strbuf struct strbuf text = { 0 };

	if (cJSON_IsString(value)) {
		emit_text(emitter, value->valuestring);
		return;
	}
	json_print(value, &text);
	emit_scalar(emitter, strbuf_str(&text), true, YAML_PLAIN_SCALAR_STYLE);
}

static void emit_tree(yaml_emitter_t *emitter, const cJSON *tree)
{
	yaml_event_t event;
	const cJSON *item;
	bool flow = !tree->child; /* "{}" and "[]" */

	if (cJSON_IsObject(tree)) {
		emit(emitter, &event,
		     yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
		                                         flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE));
		cJSON_ArrayForEach(item, tree) {
			emit_text(emitter, item->string);
			emit_tree(emitter, item);
		}
		emit(emitter, &event, yaml_mapping_end_event_initialize(&event));
	} else if (cJSON_IsArray(tree)) {
		emit(emitter, &event,
		     yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
		                                          flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE));
		cJSON_ArrayForEach(item, tree)
			emit_tree(emitter, item);
		emit(emitter, &event, yaml_sequence_end_event_initialize(&event));
	} else {
		emit_value(emitter, tree);
	}
}

static int write_out(void *ctx, unsigned char *data, size_t len)
{
	strbuf_add(ctx, (const char *)data, len);
	return 1;
}

void dump_yaml(const cJSON *tree, struct strbuf *out)
{
	yaml_emitter_t emitter;
	yaml_event_t event;

	check(yaml_emitter_initialize(&emitter), &emitter);
	yaml_emitter_set_output(&emitter, write_out, out);
	yaml_emitter_set_unicode(&emitter, 1);
	yaml_emitter_set_width(&emitter, -1);
	emit(&emitter, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	emit(&emitter, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
	emit_tree(&emitter, tree);
	emit(&emitter, &event, yaml_document_end_event_initialize(&event, 1));
	emit(&emitter, &event, yaml_stream_end_event_initialize(&event));
	check(yaml_emitter_flush(&emitter), &emitter);
	yaml_emitter_delete(&emitter);
}
