#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The byte at I of a string, which began before: an odd number of backslashes in front belongs to it. */
static bool is_escaped(const char *text, size_t i)
{
	bool escaped = false;
	while (text[--i] == '\\')
		escaped = !escaped;
	return escaped;
}

/* Where the string that begins at I ends: at its closing quote, or at LEN. */
static size_t string_end(const char *text, size_t len, size_t i)
{
	do {
		const char *quote = memchr(text + i + 1, '"', len - i - 1);
		if (!quote)
			return len;
		i = (size_t)(quote - text);
	} while (is_escaped(text, i));
	return i;
}

/* cJSON stops at CJSON_NESTING_LIMIT (1000) by itself, which is deeper than our recursions should go. */
static bool is_too_deep(const char *text, size_t len)
{
	int depth = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			i = string_end(text, len, i);
		else if (text[i] == '{' || text[i] == '[')
			depth++;
		else if (text[i] == '}' || text[i] == ']')
			depth--;
		if (depth > JSON_DEPTH_MAX)
			return true;
	}
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

cJSON *json_parse(const char *text, size_t len, struct err *err)
{
	if (is_too_deep(text, len)) {
		err_set(err, ERR_LIMIT, "JSON nested deeper than %d", JSON_DEPTH_MAX);
		return NULL;
	}
	const char *end = text;
	cJSON *tree = cJSON_ParseWithLengthOpts(text, len, &end, false);
	if (!tree) {
		err_set(err, ERR_INVALID, "not JSON: error at byte %td", end - text);
		return NULL;
	}
	while (end < text + len && is_space(*end))
		end++;
	if (end == text + len)
		return tree;
	cJSON_Delete(tree);
	err_set(err, ERR_INVALID, "not JSON: something follows its end at byte %td", end - text);
	return NULL;
}

const cJSON *json_get(const cJSON *obj, const char *key)
{
	const cJSON *item = cJSON_IsObject(obj) ? cJSON_GetObjectItemCaseSensitive(obj, key) : NULL;
	return cJSON_IsNull(item) ? NULL : item;
}

const char *json_str(const cJSON *obj, const char *key)
{
	return cJSON_GetStringValue(json_get(obj, key));
}

static bool is_integer(double value)
{
	return fabs(value) <= 0x1p53 && value == (double)(int64_t)value;
}

int64_t json_int(const cJSON *obj, const char *key, int64_t fallback)
{
	const cJSON *item = json_get(obj, key);
	return cJSON_IsNumber(item) && is_integer(item->valuedouble) ? (int64_t)item->valuedouble : fallback;
}

bool json_bool(const cJSON *obj, const char *key)
{
	return cJSON_IsTrue(json_get(obj, key));
}

static void print_number(double value, struct strbuf *out)
{
	if (is_integer(value)) {
		strbuf_add_int(out, (int64_t)value);
		return;
	}
	if (!isfinite(value)) { /* "1e999"; JSON has no word for what became of it */
		strbuf_adds(out, "null");
		return;
	}
	char text[32];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	strbuf_adds(out, text);
}

static void print_members(const cJSON *tree, struct strbuf *out)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, tree) {
		if (item != tree->child)
			strbuf_addc(out, ',');
		if (cJSON_IsObject(tree)) {
			strbuf_add_json(out, item->string);
			strbuf_addc(out, ':');
		}
		json_print(item, out);
	}
}

void json_print(const cJSON *tree, struct strbuf *out)
{
	if (cJSON_IsObject(tree) || cJSON_IsArray(tree)) {
		strbuf_addc(out, cJSON_IsObject(tree) ? '{' : '[');
		print_members(tree, out);
		strbuf_addc(out, cJSON_IsObject(tree) ? '}' : ']');
	} else if (cJSON_IsString(tree)) {
		strbuf_add_json(out, tree->valuestring);
	} else if (cJSON_IsNumber(tree)) {
		print_number(tree->valuedouble, out);
	} else {
		strbuf_adds(out, cJSON_IsTrue(tree) ? "true" : cJSON_IsFalse(tree) ? "false" : "null");
	}
}
