#include "codec.h"

#include "crd/base/json.h"
#include "crd/base/time.h"
#include "codec_slot.h"

#include <math.h>
#include <stdio.h>

/* The way to a value, from the value upwards. Turned into text only when there is an error to report. */
struct place {
	const struct place *up;
	const char *key; /* NULL: item .index of a list */
	size_t index;
};

struct decoder {
	struct arena *arena;
	struct err *err;
};

#define PATH_MAX_LEN 256

static void print_place(const struct place *at, char *out, size_t size)
{
	if (at->up)
		print_place(at->up, out, size);
	size_t len = strlen(out);
	if (at->key)
		snprintf(out + len, size - len, "%s%s", len ? "." : "", at->key);
	else if (at->up)
		snprintf(out + len, size - len, "[%zu]", at->index);
}

static int fail(const struct decoder *d, const struct place *at, const char *what)
{
	char path[PATH_MAX_LEN] = "";
	print_place(at, path, sizeof(path));
	return err_set(d->err, ERR_INVALID, "%s: %s", path[0] ? path : ".", what);
}

static int decode_object(struct decoder *d, const struct place *at, const struct crd_type *type, const cJSON *v,
                         void *dst);

static int decode_string(struct decoder *d, const struct place *at, const cJSON *v, void *slot)
{
	if (!cJSON_IsString(v))
		return fail(d, at, "expected a string");
	slot_set_pointer(slot, 0, arena_strdup(d->arena, v->valuestring));
	return 0;
}

static int decode_enum(struct decoder *d, const struct place *at, const struct crd_field *f, const cJSON *v, void *slot)
{
	if (!cJSON_IsString(v))
		return fail(d, at, "expected a string");
	for (unsigned int i = 1; i < f->word_count; i++) {
		if (strcmp(f->words[i], v->valuestring) == 0) {
			memcpy(slot, &i, sizeof(i));
			return 0;
		}
	}
	char what[128];
	snprintf(what, sizeof(what), "unknown word \"%.80s\"", v->valuestring);
	return fail(d, at, what);
}

static int decode_time(struct decoder *d, const struct place *at, const cJSON *v, void *slot)
{
	int64_t ms;
	if (!cJSON_IsString(v) || time_parse(v->valuestring, &ms) < 0)
		return fail(d, at, "expected an RFC 3339 time");
	memcpy(slot, &ms, sizeof(ms));
	return 0;
}

static int decode_int(struct decoder *d, const struct place *at, const struct crd_field *f, const cJSON *v, void *dst)
{
	/* cJSON keeps numbers as double: beyond 2^53 the value is already lost. */
	if (!cJSON_IsNumber(v) || fabs(v->valuedouble) > 0x1p53 || v->valuedouble != (double)(int64_t)v->valuedouble)
		return fail(d, at, "expected an integer within 2^53");
	int64_t value = (int64_t)v->valuedouble;
	memcpy((char *)dst + f->offset, &value, sizeof(value));
	if (f->has)
		memcpy((char *)dst + f->aux, &(bool){ true }, sizeof(bool));
	return 0;
}

static int decode_bool(struct decoder *d, const struct place *at, const cJSON *v, void *slot)
{
	if (!cJSON_IsBool(v))
		return fail(d, at, "expected true or false");
	memcpy(slot, &(bool){ cJSON_IsTrue(v) }, sizeof(bool));
	return 0;
}

/* Room for the items of V in the list field F of DST. */
static char *make_list(struct decoder *d, const struct crd_field *f, const cJSON *v, size_t item_size, void *dst)
{
	size_t count = (size_t)cJSON_GetArraySize(v);
	char *items = arena_array(d->arena, count, item_size);
	slot_set_pointer(dst, f->offset, items);
	memcpy((char *)dst + f->aux, &count, sizeof(count));
	return items;
}

static int decode_list(struct decoder *d, const struct place *at, const struct crd_field *f, const cJSON *v, void *dst)
{
	if (!cJSON_IsArray(v))
		return fail(d, at, "expected a list");
	size_t size = f->kind == CRD_OBJLIST ? f->type->size : sizeof(char *);
	char *item = make_list(d, f, v, size, dst);
	struct place here = { .up = at };
	for (const cJSON *i = v->child; i; i = i->next, item += size, here.index++) {
		int rc = f->kind == CRD_OBJLIST ? decode_object(d, &here, f->type, i, item)
		                                : decode_string(d, &here, i, item);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int decode_map(struct decoder *d, const struct place *at, const struct crd_field *f, const cJSON *v, void *dst)
{
	if (!cJSON_IsObject(v))
		return fail(d, at, "expected an object");
	struct crd_pair *pair = (struct crd_pair *)make_list(d, f, v, sizeof(*pair), dst);
	for (const cJSON *i = v->child; i; i = i->next, pair++) {
		struct place here = { .up = at, .key = i->string };
		pair->key = arena_strdup(d->arena, i->string);
		if (decode_string(d, &here, i, &pair->value) < 0)
			return -1;
	}
	return 0;
}

static int decode_field(struct decoder *d, const struct place *at, const struct crd_field *f, const cJSON *v, void *dst)
{
	char *slot = (char *)dst + f->offset;
	switch (f->kind) {
	case CRD_STRING:
		return decode_string(d, at, v, slot);
	case CRD_ENUM:
		return decode_enum(d, at, f, v, slot);
	case CRD_TIME:
	case CRD_MICROTIME:
		return decode_time(d, at, v, slot);
	case CRD_INT:
		return decode_int(d, at, f, v, dst);
	case CRD_BOOL:
		return decode_bool(d, at, v, slot);
	case CRD_OBJECT:
		slot_set_pointer(slot, 0, arena_alloc(d->arena, f->type->size));
		return decode_object(d, at, f->type, v, slot_pointer(slot, 0));
	case CRD_OBJLIST:
	case CRD_STRLIST:
		return decode_list(d, at, f, v, dst);
	case CRD_STRMAP:
		return decode_map(d, at, f, v, dst);
	case CRD_RAW: {
		struct strbuf text = { .arena = d->arena };
		json_print(v, &text);
		slot_set_pointer(slot, 0, strbuf_str(&text));
		return 0;
	}
	}
	return fail(d, at, "a field of unknown kind");
}

static int decode_object(struct decoder *d, const struct place *at, const struct crd_type *type, const cJSON *v,
                         void *dst)
{
	if (!cJSON_IsObject(v))
		return fail(d, at, "expected an object");
	for (size_t i = 0; i < type->count; i++) {
		const struct crd_field *f = &type->fields[i];
		struct place here = { .up = at, .key = f->key };
		const cJSON *value = json_get(v, f->key);
		if (!value && f->required)
			return fail(d, &here, "required, but missing");
		if (value && decode_field(d, &here, f, value, dst) < 0)
			return -1;
	}
	return 0;
}

int crd_decode(const struct crd_type *type, const cJSON *obj, void *dst, struct arena *a, struct err *err)
{
	struct decoder d = { .arena = a, .err = err };
	return decode_object(&d, &(struct place){ .up = NULL }, type, obj, dst);
}

int crd_decode_text(const struct crd_type *type, const char *text, size_t len, void *dst, struct arena *a,
                    struct err *err)
{
	cleanup_json cJSON *tree = json_parse(text, len, err);
	return tree ? crd_decode(type, tree, dst, a, err) : -1;
}
