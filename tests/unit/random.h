/* Random values of any type that the schemas know, walked through the same tables as the codec. The same sequence everywhere. */
#pragma once

#include "tests/unit/unit.h"

#include "crd/codec_slot.h"

/* What a test wants where the schema leaves it open. IN is the name of the type that has the field. */
struct random_taste {
	const char *(*string)(const char *in, const char *key);
	int64_t (*time)(void);
	size_t (*count)(const char *key); /* of a list */
};

/* xorshift64: the same sequence everywhere. */
static uint64_t random_state;

static inline uint64_t random_below(uint64_t bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % bound;
}

static inline const char *random_raw(void)
{
	static const char *const texts[] = { "{}", "[]", "\"x\"", "false", "9007199254740991", "-0.5",
		                             "{\"spec\":{\"containers\":[{\"name\":\"app\",\"args\":[\"\\u0001\"]}]}}" };
	return texts[random_below(UNIT_COUNT(texts))];
}

static inline int64_t random_int(void)
{
	int64_t value = (int64_t)random_below((uint64_t)1 << (1 + random_below(53))) + 1;
	return random_below(2) ? value : -value;
}

static inline void random_fill(const struct crd_type *type, void *object, struct arena *a, const struct random_taste *taste);

static inline void random_list(const struct crd_type *in, const struct crd_field *f, void *object, struct arena *a,
                               const struct random_taste *taste)
{
	size_t count = taste->count(f->key);
	size_t size = f->kind == CRD_OBJLIST ? f->type->size : f->kind == CRD_STRMAP ? sizeof(struct crd_pair) : sizeof(char *);
	char *items = arena_array(a, count, size);
	for (size_t i = 0; i < count; i++) {
		if (f->kind == CRD_OBJLIST)
			random_fill(f->type, items + i * size, a, taste);
		else if (f->kind == CRD_STRLIST)
			slot_set_pointer(items, i * size, taste->string(in->name, f->key));
		else
			((struct crd_pair *)items)[i] = (struct crd_pair){ arena_printf(a, "k%zu", i), taste->string(in->name, f->key) };
	}
	slot_set_pointer(object, f->offset, items);
	memcpy((char *)object + f->aux, &count, sizeof(count));
}

static inline void random_int_field(const struct crd_field *f, void *object)
{
	int64_t value = f->has && random_below(4) == 0 ? 0 : random_int();
	memcpy((char *)object + f->offset, &value, sizeof(value));
	if (f->has)
		memcpy((char *)object + f->aux, &(bool){ true }, sizeof(bool));
}

static inline void random_field(const struct crd_type *in, const struct crd_field *f, void *object, struct arena *a,
                                const struct random_taste *taste)
{
	char *slot = (char *)object + f->offset;
	unsigned int word;
	int64_t time;
	switch (f->kind) {
	case CRD_STRING:
		slot_set_pointer(slot, 0, taste->string(in->name, f->key));
		return;
	case CRD_RAW:
		slot_set_pointer(slot, 0, random_raw());
		return;
	case CRD_ENUM:
		word = 1 + (unsigned int)random_below(f->word_count - 1);
		memcpy(slot, &word, sizeof(word));
		return;
	case CRD_TIME:
	case CRD_MICROTIME:
		time = taste->time();
		memcpy(slot, &time, sizeof(time));
		return;
	case CRD_INT:
		random_int_field(f, object);
		return;
	case CRD_BOOL:
		memcpy(slot, &(bool){ true }, sizeof(bool));
		return;
	case CRD_OBJECT:
		slot_set_pointer(slot, 0, arena_alloc(a, f->type->size));
		random_fill(f->type, slot_pointer(slot, 0), a, taste);
		return;
	case CRD_OBJLIST:
	case CRD_STRLIST:
	case CRD_STRMAP:
		random_list(in, f, object, a, taste);
		return;
	}
	fail_msg("field %s has an unknown kind", f->key);
}

static inline void random_fill(const struct crd_type *type, void *object, struct arena *a, const struct random_taste *taste)
{
	for (size_t i = 0; i < type->count; i++)
		if (type->fields[i].required || random_below(3) > 0)
			random_field(type, &type->fields[i], object, a, taste);
}
