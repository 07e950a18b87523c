#include "codec.h"

#include "codec_slot.h"
#include "crd/base/slabs.h"

#include <assert.h>
#include <stdalign.h>

/* Where copies go: to an arena, into one block, or nowhere, to find out how large the block has to be. */
struct target {
	struct arena *arena;
	char *block;
	size_t used;
};

/* A copy of SIZE bytes; NULL while measuring. */
static void *put(struct target *t, const void *data, size_t size, size_t align)
{
	if (t->arena)
		return memcpy(arena_alloc(t->arena, size), data, size);
	t->used = (t->used + align - 1) / align * align;
	char *piece = t->block ? t->block + t->used : NULL;
	t->used += size;
	return piece ? memcpy(piece, data, size) : NULL;
}

static const char *put_string(struct target *t, const char *s)
{
	return s ? put(t, s, strlen(s) + 1, 1) : NULL;
}

/* A list of strings, or of pairs of them. */
static void *put_strings(struct target *t, const void *list, size_t count)
{
	void *copy = put(t, list, count * sizeof(char *), alignof(char *));
	for (size_t i = 0; i < count; i++) {
		const char *s = put_string(t, slot_pointer(list, i * sizeof(char *)));
		if (copy)
			slot_set_pointer(copy, i * sizeof(char *), s);
	}
	return copy;
}

static void put_below(struct target *t, const struct crd_type *type, const void *src, void *dst);

static void *put_objects(struct target *t, const struct crd_type *type, const void *list, size_t count)
{
	char *copy = put(t, list, count * type->size, alignof(int64_t));
	for (size_t i = 0; i < count; i++)
		put_below(t, type, (const char *)list + i * type->size, copy ? copy + i * type->size : NULL);
	return copy;
}

static const void *put_value(struct target *t, const struct crd_field *f, const void *src, const void *value)
{
	switch (f->kind) {
	case CRD_STRING:
	case CRD_RAW:
		return put_string(t, value);
	case CRD_OBJECT:
		return put_objects(t, f->type, value, 1);
	case CRD_OBJLIST:
		return put_objects(t, f->type, value, slot_size(src, f->aux));
	case CRD_STRLIST:
		return put_strings(t, value, slot_size(src, f->aux));
	case CRD_STRMAP:
		return put_strings(t, value, 2 * slot_size(src, f->aux));
	case CRD_ENUM:
	case CRD_TIME:
	case CRD_MICROTIME:
	case CRD_INT:
	case CRD_BOOL:
		break;
	}
	return NULL;
}

static bool is_pointer(enum crd_kind kind)
{
	return kind != CRD_ENUM && kind != CRD_TIME && kind != CRD_MICROTIME && kind != CRD_INT && kind != CRD_BOOL;
}

/* DST is a flat copy of SRC: copies all that SRC points to, and lets DST point there. */
static void put_below(struct target *t, const struct crd_type *type, const void *src, void *dst)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct crd_field *f = &type->fields[i];
		const void *value = is_pointer(f->kind) ? slot_pointer(src, f->offset) : NULL;
		if (!value)
			continue;
		const void *copy = put_value(t, f, src, value);
		if (dst)
			slot_set_pointer(dst, f->offset, copy);
	}
}

void *crd_copy(const struct crd_type *type, const void *src, struct arena *a)
{
	struct target t = { .arena = a };
	return put_objects(&t, type, src, 1);
}

void *crd_pack(const struct crd_type *type, const void *src, struct slabs *slabs, size_t *ret_size)
{
	struct target measure = { 0 };
	put_objects(&measure, type, src, 1);
	struct target t = { .block = slabs_new(slabs, measure.used) };
	put_objects(&t, type, src, 1);
	assert(t.used == measure.used);
	if (ret_size)
		*ret_size = t.used;
	return t.block;
}

static bool equal_strings(const void *a, const void *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *s = slot_pointer(a, i * sizeof(char *)), *t = slot_pointer(b, i * sizeof(char *));
		if (s != t && (!s || !t || strcmp(s, t) != 0))
			return false;
	}
	return true;
}

static bool equal_objects(const struct crd_type *type, const void *a, const void *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!crd_equal(type, (const char *)a + i * type->size, (const char *)b + i * type->size))
			return false;
	return true;
}

static bool equal_lists(const struct crd_field *f, const void *a, const void *b)
{
	const void *list = slot_pointer(a, f->offset), *other = slot_pointer(b, f->offset);
	if (!list || !other)
		return list == other;
	size_t count = slot_size(a, f->aux);
	if (count != slot_size(b, f->aux))
		return false;
	if (f->kind == CRD_OBJLIST)
		return equal_objects(f->type, list, other, count);
	return equal_strings(list, other, f->kind == CRD_STRMAP ? 2 * count : count);
}

static bool equal_field(const struct crd_field *f, const void *a, const void *b)
{
	const void *object = NULL, *other = NULL;
	switch (f->kind) {
	case CRD_STRING:
	case CRD_RAW:
		return equal_strings((const char *)a + f->offset, (const char *)b + f->offset, 1);
	case CRD_ENUM:
		return slot_enum(a, f->offset) == slot_enum(b, f->offset);
	case CRD_TIME:
	case CRD_MICROTIME:
		return slot_int(a, f->offset) == slot_int(b, f->offset);
	case CRD_INT:
		return slot_int(a, f->offset) == slot_int(b, f->offset) &&
		       (!f->has || slot_bool(a, f->aux) == slot_bool(b, f->aux));
	case CRD_BOOL:
		return slot_bool(a, f->offset) == slot_bool(b, f->offset);
	case CRD_OBJECT:
		object = slot_pointer(a, f->offset), other = slot_pointer(b, f->offset);
		return object && other ? crd_equal(f->type, object, other) : object == other;
	case CRD_OBJLIST:
	case CRD_STRLIST:
	case CRD_STRMAP:
		return equal_lists(f, a, b);
	}
	return false;
}

bool crd_equal(const struct crd_type *type, const void *a, const void *b)
{
	for (size_t i = 0; i < type->count; i++)
		if (!equal_field(&type->fields[i], a, b))
			return false;
	return true;
}
