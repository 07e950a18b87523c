/* The codec on random values of every type: what is encoded, copied or packed is what was there. */
#include "tests/unit/unit.h"

#include "crd/gen/types.h"
#include "tests/unit/random.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 300

/* These reach every other type. */
struct type_row {
	const char *name;
	const struct crd_type *type;
};
static const struct type_row types[] = {
	{ "App", &app_type },
	{ "Cluster", &cluster_type },
	{ "StatefulSet", &statefulset_type },
	{ "Service", &service_type },
	{ "Pod", &pod_type },
	{ "Event", &event_type },
	{ "Status", &api_status_type },
};

static const char *any_string(const char *in, const char *key)
{
	static const char *const strings[] = { "", "web-0", "a\"b\\c/d", "\xf0\x9f\x98\x80 \xe2\x82\xac", "line\nline\t\x1b[0m",
		                               "null", "0", "a much longer text than the others, so that sizes differ" };
	(void)in, (void)key;
	return strings[random_below(UNIT_COUNT(strings))];
}

static int64_t any_time(void)
{
	return (int64_t)random_below(4102444800000) + 1;
}

static size_t any_count(const char *key)
{
	(void)key;
	return random_below(4);
}

static const struct random_taste anything = { any_string, any_time, any_count };

static void *random_object(const struct crd_type *type, struct arena *a)
{
	void *object = arena_alloc(a, type->size);
	random_fill(type, object, a, &anything);
	return object;
}

static void round_trip(void **state)
{
	const struct crd_type *type = ((const struct type_row *)*state)->type;
	cleanup_arena struct arena a = { 0 };
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		random_state = seed << 32 | seed;
		void *object = random_object(type, &a), *back = arena_alloc(&a, type->size);
		const char *text = crd_text(type, object, &a);
		struct err err = { 0 };
		if (crd_decode_text(type, text, strlen(text), back, &a, &err) < 0)
			fail_msg("seed %d: %s in %s", (int)seed, err.msg, text);
		assert_true(crd_equal(type, object, back));
		assert_string_equal(text, crd_text(type, back, &a));
		arena_reset(&a);
	}
}

/* A copy lives on when what it was made from is gone, which the address sanitizer watches here. */
static void copy_and_pack(void **state)
{
	const struct crd_type *type = ((const struct type_row *)*state)->type;
	cleanup_arena struct arena a = { 0 }, other = { 0 };
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		random_state = seed << 32 | seed;
		void *object = random_object(type, &a);
		void *copy = crd_copy(type, object, &other);
		size_t size = 0;
		void *pack = crd_pack(type, object, NULL, &size);
		assert_true(crd_equal(type, object, copy));
		assert_true(crd_equal(type, object, pack));
		assert_true(size >= type->size);
		cleanup_strbuf struct strbuf text = { 0 };
		crd_encode(type, object, &text);
		arena_release(&a);
		assert_string_equal(strbuf_str(&text), crd_text(type, copy, &other));
		assert_string_equal(strbuf_str(&text), crd_text(type, pack, &other));
		free(pack);
		arena_reset(&other);
	}
}

/* Two values are equal exactly when they are written alike. */
static void equal_is_what_the_text_says(void **state)
{
	const struct crd_type *type = ((const struct type_row *)*state)->type;
	cleanup_arena struct arena a = { 0 };
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		random_state = seed << 32 | seed;
		void *one = random_object(type, &a), *two = random_object(type, &a);
		int same = strcmp(crd_text(type, one, &a), crd_text(type, two, &a)) == 0;
		assert_int_equal(crd_equal(type, one, two), same);
		assert_true(crd_equal(type, one, one));
		arena_reset(&a);
	}
}

/* Where the value of field F stands in two objects of its type: takes it away in one of them. */
static void forget(const struct crd_field *f, void *object)
{
	static const char zero[sizeof(int64_t)];
	size_t size = f->kind == CRD_BOOL ? sizeof(bool) : f->kind == CRD_ENUM ? sizeof(unsigned int) : sizeof(int64_t);
	memcpy((char *)object + f->offset, zero, size);
	if (f->has)
		memcpy((char *)object + f->aux, zero, sizeof(bool));
}

static void every_field_counts(const struct crd_type *type, const void *object, struct arena *a, size_t *ret_checked)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct crd_field *f = &type->fields[i];
		void *less = crd_copy(type, object, a);
		forget(f, less);
		const char *before = crd_text(type, object, a), *after = crd_text(type, less, a);
		int same = strcmp(before, after) == 0;
		if (!f->required)
			assert_int_equal(crd_equal(type, object, less), same);
		*ret_checked += !same;
		const void *inner = f->kind == CRD_OBJECT ? slot_pointer(object, f->offset) : NULL;
		if (inner)
			every_field_counts(f->type, inner, a, ret_checked);
	}
}

static void every_field_counts_in_equal(void **state)
{
	const struct crd_type *type = ((const struct type_row *)*state)->type;
	cleanup_arena struct arena a = { 0 };
	size_t checked = 0;
	random_state = 7;
	for (int i = 0; i < 20; i++) {
		every_field_counts(type, random_object(type, &a), &a, &checked);
		arena_reset(&a);
	}
	assert_true(checked > 20);
}

int main(void)
{
	static void (*const runs[])(void **) = { round_trip, copy_and_pack, equal_is_what_the_text_says,
		                                 every_field_counts_in_equal };
	static const char *const names[] = { "round trip", "copy and pack", "equal", "every field counts" };
	int failed = 0;
	for (size_t i = 0; i < UNIT_COUNT(runs); i++) {
		struct CMUnitTest tests[UNIT_COUNT(types)];
		UNIT_ROWS(tests, types, runs[i]);
		failed += _cmocka_run_group_tests(names[i], tests, UNIT_COUNT(tests), NULL, NULL);
	}
	return failed;
}
