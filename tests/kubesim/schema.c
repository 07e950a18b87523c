#include "schema.h"

#include "crd/base/time.h"
#include "tests/sim/tree.h"

#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PATH_MAX_LENGTH 192
#define PATTERN_MAX 256

struct walk {
	struct refusal *why;
	struct strbuf *unknown;     /* NULL while an alternative is tried: nothing is changed then */
	char path[PATH_MAX_LENGTH];
	size_t shown_from;          /* a status is validated by itself: "state in body", not "status.state" */
};

/* Makes the path longer; returns what it is to be cut to afterwards. */
static size_t enter(struct walk *w, const char *key)
{
	size_t len = strlen(w->path);

	snprintf(w->path + len, sizeof(w->path) - len, "%s%s", len ? "." : "", key);
	return len;
}

static size_t enter_item(struct walk *w, int index)
{
	size_t len = strlen(w->path);

	snprintf(w->path + len, sizeof(w->path) - len, "[%d]", index);
	return len;
}

static void leave(struct walk *w, size_t len)
{
	w->path[len] = '\0';
}

static const char *shown(const struct walk *w)
{
	return strlen(w->path) > w->shown_from ? w->path + w->shown_from : w->shown_from ? "" : w->path;
}

static const char *type_of(const cJSON *value)
{
	if (cJSON_IsObject(value))
		return "object";
	if (cJSON_IsArray(value))
		return "array";
	if (cJSON_IsString(value))
		return "string";
	if (cJSON_IsBool(value))
		return "boolean";
	if (cJSON_IsNumber(value))
		return value->valuedouble == (double)(int64_t)value->valuedouble ? "integer" : "number";
	return "null";
}

static bool has_type(struct walk *w, const cJSON *schema, const cJSON *value)
{
	bool either = json_bool(schema, "x-kubernetes-int-or-string");
	const char *want = either ? "integer,string" : json_str(schema, "type"), *is = type_of(value);
	bool good = !want || strcmp(want, is) == 0 || (strcmp(want, "number") == 0 && cJSON_IsNumber(value));

	if (either)
		good = cJSON_IsString(value) || strcmp(is, "integer") == 0;
	if (!good)
		refusal_add_as(w->why, CAUSE_TYPE, w->path, "Invalid value: \"%s\": %s in body must be of type %s: \"%s\"",
		               is, shown(w), want, is);
	return good;
}

static void check_enum(struct walk *w, const cJSON *schema, const cJSON *value)
{
	cleanup_strbuf struct strbuf all = {0}, is = {0};
	const cJSON *one, *allowed = json_get(schema, "enum");

	cJSON_ArrayForEach(one, allowed) {
		if (tree_equal(one, value))
			return;
		strbuf_addf(&all, "%s\"%s\"", all.len ? ", " : "", cJSON_GetStringValue(one));
	}
	json_print(value, &is);
	if (allowed)
		refusal_add_as(w->why, CAUSE_UNSUPPORTED, w->path, "Unsupported value: %s: supported values: %s",
		               strbuf_str(&is), strbuf_str(&all));
}

/* ECMA's \d is not in POSIX. */
static bool matches(const char *pattern, const char *text)
{
	char posix[PATTERN_MAX];
	size_t n = 0;
	regex_t re;
	bool good;

	for (; *pattern && n + 8 < sizeof(posix); pattern++) {
		bool digit = pattern[0] == '\\' && pattern[1] == 'd';

		n += (size_t)snprintf(posix + n, sizeof(posix) - n, "%.*s", digit ? 5 : 1, digit ? "[0-9]" : pattern);
		pattern += digit;
	}
	if (regcomp(&re, posix, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	good = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return good;
}

static int64_t characters(const char *s)
{
	int64_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80;
	return n;
}

static void check_string(struct walk *w, const cJSON *schema, const char *text)
{
	const char *pattern = json_str(schema, "pattern"), *format = json_str(schema, "format");
	int64_t length = characters(text), max = json_int(schema, "maxLength", -1), min = json_int(schema, "minLength", 0);
	int64_t time;

	if (max >= 0 && length > max)
		refusal_add_as(w->why, CAUSE_TOO_LONG, w->path, "Too long: may not be more than %lld bytes", (long long)max);
	else if (length < min)
		refusal_add(w->why, w->path, "\"%s\": %s in body should be at least %lld chars long", text, shown(w),
		            (long long)min);
	else if (pattern && !matches(pattern, text))
		refusal_add(w->why, w->path, "\"%s\": %s in body should match '%s'", text, shown(w), pattern);
	if (format && strcmp(format, "date-time") == 0 && time_parse(text, &time) < 0)
		refusal_add_as(w->why, CAUSE_TYPE, w->path,
		               "Invalid value: \"%s\": %s in body must be of type date-time: \"%s\"", text, shown(w), text);
}

static void check_number(struct walk *w, const cJSON *schema, double value)
{
	const cJSON *min = json_get(schema, "minimum"), *max = json_get(schema, "maximum");

	if (min && value < min->valuedouble)
		refusal_add(w->why, w->path, "%.15g: %s in body should be greater than or equal to %.15g", value, shown(w),
		            min->valuedouble);
	if (max && value > max->valuedouble)
		refusal_add(w->why, w->path, "%.15g: %s in body should be less than or equal to %.15g", value, shown(w),
		            max->valuedouble);
}

static void check_value(struct walk *w, const cJSON *schema, cJSON *value);

/* A list by keys: no two items may have the same. One key is all that crd/ uses. */
static void check_keys(struct walk *w, const cJSON *schema, const cJSON *list)
{
	const cJSON *keys = json_get(schema, "x-kubernetes-list-map-keys"), *item, *other;
	const char *key = keys ? cJSON_GetStringValue(keys->child) : NULL;
	int index = 0;

	cJSON_ArrayForEach(item, list) {
		size_t len = enter_item(w, index++);

		for (other = list->child; key && other != item; other = other->next) {
			if (json_str(item, key) && tree_equal(json_get(item, key), json_get(other, key)))
				refusal_add_as(w->why, CAUSE_DUPLICATE, w->path, "Duplicate value: {\"%s\":\"%s\"}", key,
				               json_str(item, key));
		}
		leave(w, len);
	}
}

static void check_list(struct walk *w, const cJSON *schema, const cJSON *list)
{
	int64_t count = cJSON_GetArraySize(list), max = json_int(schema, "maxItems", -1);
	int64_t min = json_int(schema, "minItems", 0);
	cJSON *item;
	int index = 0;

	if (max >= 0 && count > max)
		refusal_add_as(w->why, CAUSE_TOO_MANY, w->path, "Too many: %lld: must have at most %lld items",
		               (long long)count, (long long)max);
	if (count < min)
		refusal_add(w->why, w->path, "%lld: %s in body should have at least %lld items", (long long)count, shown(w),
		            (long long)min);
	cJSON_ArrayForEach(item, list) {
		size_t len = enter_item(w, index++);

		check_value(w, json_get(schema, "items"), item);
		leave(w, len);
	}
	check_keys(w, schema, list);
}

static void drop_unknown(struct walk *w, const cJSON *known, cJSON *object)
{
	cJSON *field, *next;

	for (field = object->child; field; field = next) {
		size_t len = enter(w, field->string);

		next = field->next;
		if (!cJSON_GetObjectItemCaseSensitive(known, field->string)) {
			strbuf_addf(w->unknown, "%sunknown field \"%s\"", w->unknown->len ? ", " : "", w->path);
			cJSON_Delete(cJSON_DetachItemViaPointer(object, field));
		}
		leave(w, len);
	}
}

/* null where the schema does not allow it counts as absent. */
static void drop_nulls(const cJSON *properties, bool has_others, cJSON *object)
{
	cJSON *field, *next;

	for (field = object->child; field; field = next) {
		next = field->next;
		if (cJSON_IsNull(field) && (has_others || cJSON_GetObjectItemCaseSensitive(properties, field->string)))
			cJSON_Delete(cJSON_DetachItemViaPointer(object, field));
	}
}

static void put_defaults(const cJSON *properties, cJSON *object)
{
	const cJSON *p;

	cJSON_ArrayForEach(p, properties) {
		if (json_get(p, "default") && !json_get(object, p->string))
			tree_put(object, p->string, tree_copy(json_get(p, "default")));
	}
}

static void check_required(struct walk *w, const cJSON *schema, const cJSON *object)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, json_get(schema, "required")) {
		size_t len = enter(w, name->valuestring);

		if (!cJSON_GetObjectItemCaseSensitive(object, name->valuestring))
			refusal_add_as(w->why, CAUSE_REQUIRED, w->path, "Required value");
		leave(w, len);
	}
}

static void check_object(struct walk *w, const cJSON *schema, cJSON *object)
{
	const cJSON *properties = json_get(schema, "properties"), *others = json_get(schema, "additionalProperties");
	int64_t count, max = json_int(schema, "maxProperties", -1);
	cJSON *field;

	if (w->unknown && !others && !json_bool(schema, "x-kubernetes-preserve-unknown-fields"))
		drop_unknown(w, properties, object);
	if (w->unknown) {
		drop_nulls(properties, others, object);
		put_defaults(properties, object);
	}
	count = cJSON_GetArraySize(object);
	check_required(w, schema, object);
	if (max >= 0 && count > max)
		refusal_add_as(w->why, CAUSE_TOO_MANY, w->path, "Too many: %lld: must have at most %lld items",
		               (long long)count, (long long)max);
	cJSON_ArrayForEach(field, object) {
		const cJSON *p = json_get(properties, field->string);
		size_t len = enter(w, field->string);

		if (p || others)
			check_value(w, p ? p : others, field);
		leave(w, len);
	}
}

/* One of the alternatives has to hold; if none does, what is wrong with the first is told. */
static void check_any(struct walk *w, const cJSON *schema, cJSON *value)
{
	const cJSON *alternatives = json_get(schema, "anyOf"), *one;
	struct refusal first = {0};
	struct walk trial = *w;

	trial.unknown = NULL;
	cJSON_ArrayForEach(one, alternatives) {
		struct refusal r = {0};

		trial.why = one == alternatives->child ? &first : &r;
		check_value(&trial, one, value);
		if (trial.why->count == 0)
			return;
	}
	if (!alternatives)
		return;
	refusal_add(w->why, "<nil>", "\"\": \"%s\" must validate at least one schema (anyOf)", shown(w));
	for (size_t i = 0; i < first.count; i++)
		refusal_add_as(w->why, first.causes[i].kind, first.causes[i].field, "%s", first.causes[i].message);
}

static void check_value(struct walk *w, const cJSON *schema, cJSON *value)
{
	bool good = has_type(w, schema, value);

	if (good || json_bool(schema, "x-kubernetes-int-or-string"))
		check_any(w, schema, value);
	if (!good) {
		check_enum(w, schema, value);
		return;
	}
	if (cJSON_IsString(value))
		check_string(w, schema, value->valuestring);
	else if (cJSON_IsNumber(value))
		check_number(w, schema, value->valuedouble);
	else if (cJSON_IsArray(value))
		check_list(w, schema, value);
	else if (cJSON_IsObject(value))
		check_object(w, schema, value);
	check_enum(w, schema, value);
}

/* metadata is Kubernetes' own in every kind. */
static void check_meta(struct walk *w, cJSON *meta)
{
	cleanup_json cJSON *known = tree_parsef("{\"name\":1,\"generateName\":1,\"namespace\":1,\"selfLink\":1,\"uid\":1,"
		"\"resourceVersion\":1,\"generation\":1,\"creationTimestamp\":1,\"deletionTimestamp\":1,"
		"\"deletionGracePeriodSeconds\":1,\"labels\":1,\"annotations\":1,\"ownerReferences\":1,\"finalizers\":1,"
		"\"managedFields\":1}");
	size_t len = enter(w, "metadata");

	drop_unknown(w, known, meta);
	leave(w, len);
}

void schema_check(const cJSON *schema, cJSON *tree, const char *only, struct refusal *why, struct strbuf *unknown)
{
	struct walk w = {.why = why, .unknown = unknown};
	const cJSON *properties = json_get(schema, "properties"), *p;
	cJSON *meta = tree_child(tree, "metadata");

	if (!only)
		drop_unknown(&w, properties, tree);
	if (!only && meta)
		check_meta(&w, meta);
	drop_nulls(properties, false, tree);
	if (!only)
		check_required(&w, schema, tree);
	w.shown_from = only ? strlen(only) + 1 : 0;
	cJSON_ArrayForEach(p, properties) {
		cJSON *value = tree_child(tree, p->string);
		size_t len = enter(&w, p->string);

		if (value && value != meta && (!only || strcmp(only, p->string) == 0))
			check_value(&w, p, value);
		leave(&w, len);
	}
}
