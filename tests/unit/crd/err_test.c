#include "tests/unit/unit.h"

#include "crd/base/err.h"
#include "crd/base/sha256.h"

#include <string.h>

static void set_and_wrap(void **state)
{
	(void)state;
	struct err err = { .http = 500 };
	assert_int_equal(err_set(&err, ERR_CONFLICT, "version %d", 7), -1);
	assert_int_equal(err.kind, ERR_CONFLICT);
	assert_int_equal(err.http, 0);
	assert_int_equal(err_wrap(&err, "apply %s", "pod/web-0"), -1);
	assert_string_equal(err.msg, "apply pod/web-0: version 7");
	assert_int_equal(err.kind, ERR_CONFLICT);
	assert_int_equal(err_set(NULL, ERR_LIMIT, "x"), -1);
	assert_int_equal(err_wrap(NULL, "x"), -1);
}

static void long_messages_are_cut(void **state)
{
	(void)state;
	struct err err = { 0 };
	err_set(&err, ERR_INVALID, "%0600d", 1);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	err_wrap(&err, "front");
	assert_memory_equal(err.msg, "front: 000", 10);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	err_wrap(&err, "%0600d", 2);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
}

static void every_kind_has_a_name(void **state)
{
	(void)state;
	for (int kind = ERR_NONE; kind <= ERR_LIMIT; kind++)
		assert_string_not_equal(err_kind_name((enum err_kind)kind), "unknown");
	assert_string_equal(err_kind_name((enum err_kind)99), "unknown");
}

/* The examples of FIPS 180-4. */
static void sha256(void **state)
{
	(void)state;
	char hex[SHA256_HEX + 1];
	sha256_hex("abc", 3, hex, SHA256_HEX);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex("", 0, hex, 5);
	assert_string_equal(hex, "e3b0c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_and_wrap),
		cmocka_unit_test(long_messages_are_cut),
		cmocka_unit_test(every_kind_has_a_name),
		cmocka_unit_test(sha256),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
