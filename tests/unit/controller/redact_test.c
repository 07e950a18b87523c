#include "tests/unit/unit.h"

#include "controller/auth/redact.h"

#include <string.h>

struct row {
	const char *name, *text, *want;
};

static const struct row rows[] = {
	{ "nothing", "", "" },
	{ "plain words", "profile \"prod\" could not be found", "profile \"prod\" could not be found" },
	{ "one line", "  a\n\n\tb\r\nc\x1b[1m\n", "a b c [1m" },
	{ "bytes beyond ASCII", "caf\xC3\xA9 na", "caf\xC3\xA9 na" },
	{ "paths stay", "cannot open /usr/local/google-cloud-sdk-450/lib/tool7.py", "cannot open "
	  "/usr/local/google-cloud-sdk-450/lib/tool7.py" },
	{ "hosts stay", "no route to manager.region-1.cloud.example:443", "no route to manager.region-1.cloud.example:443" },
	{ "a JWT", "got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl0123456789abc", "got ***.***.***" },
	{ "a key in base64", "using wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY now", "using *** now" },
	{ "a hash", "session 0123456789abcdef0123456789abcdef ended", "session *** ended" },
	{ "a long word without digits", "internationalization-of-everything", "internationalization-of-everything" },
	{ "bearer", "sent Authorization: Bearer abc to x", "sent Authorization: Bearer *** to x" },
	{ "basic", "basic Zm9v!", "basic ***!" },
	{ "token:", "token: hunter2 refused", "token: *** refused" },
	{ "token of a sentence", "the token has expired", "the token has expired" },
	{ "password=", "bad password=hunter2, sorry", "bad ***, sorry" },
	{ "password in quotes", "{\"client_secret\": \"hunter2\"}", "{\"client_secret\": \"***\"}" },
	{ "an option", "--access-token=x7 --verbose", "*** --verbose" },
};

static void test_row(void **state)
{
	const struct row *row = *state;
	char out[256];

	redact(row->text, out, sizeof(out));
	assert_string_equal(out, row->want);
}

static void test_size(void **state)
{
	char out[5] = "xxxx";

	(void)state;
	redact("abcdefgh", out, sizeof(out));
	assert_string_equal(out, "abcd");
	redact("abcdefgh", out, 1);
	assert_string_equal(out, "");
	assert_int_equal(strlen(out), 0);
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + 1];

	UNIT_ROWS(tests, rows, test_row);
	tests[UNIT_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(test_size);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
