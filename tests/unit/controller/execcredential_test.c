#include "tests/unit/unit.h"

#include "controller/auth/execcredential.h"

#include <string.h>

#define V1 "client.authentication.k8s.io/v1"
#define HEAD "\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\""
#define ANSWER(status) "{" HEAD ",\"status\":{" status "}}"
/* 2030-01-01T00:00:00Z */
#define NEW_YEAR_MS 1893456000000

struct row {
	const char *name, *text;
	const char *token, *cert, *key; /* NULL: not given */
	int64_t expires_ms;
	const char *words;              /* NULL: it is taken */
};

static const struct row rows[] = {
	{ "a token", ANSWER("\"token\":\"t\""), .token = "t" },
	{ "fields that nobody knows", "{" HEAD ",\"x\":[1],\"spec\":{},\"status\":{\"token\":\"t\",\"y\":{}}}", .token = "t" },
	{ "certificate and key", ANSWER("\"clientCertificateData\":\"c\\nd\",\"clientKeyData\":\"k\\n\""), .cert = "c\nd",
	  .key = "k\n" },
	{ "all three", ANSWER("\"token\":\"t\",\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\""), .token = "t",
	  .cert = "c", .key = "k" },
	{ "YAML", "apiVersion: " V1 "\nkind: ExecCredential\nstatus:\n  token: t\n  expirationTimestamp: 2030-01-01T00:00:00Z\n",
	  .token = "t", .expires_ms = NEW_YEAR_MS },
	{ "white space around it", "\n\t " ANSWER("\"token\":\"t\"") "\r\n\n", .token = "t" },
	{ "nulls", ANSWER("\"token\":\"t\",\"clientKeyData\":null,\"expirationTimestamp\":null"), .token = "t" },
	{ "it expires", ANSWER("\"token\":\"t\",\"expirationTimestamp\":\"2030-01-01T00:00:00Z\""), .token = "t",
	  .expires_ms = NEW_YEAR_MS },
	{ "with offset and fraction", ANSWER("\"token\":\"t\",\"expirationTimestamp\":\"2030-01-01T02:00:00.123456+02:00\""),
	  .token = "t", .expires_ms = NEW_YEAR_MS + 123 },
	{ "nothing", "", .words = "no ExecCredential" },
	{ "words", "please log in first: S3CRET", .words = "no ExecCredential" },
	{ "a warning before it", "WARNING: S3CRET\n" ANSWER("\"token\":\"S3CRET\""), .words = "neither JSON nor YAML" },
	{ "cut", "{" HEAD ",\"status\":{\"token\":\"S3CR", .words = "neither JSON nor YAML" },
	{ "a list", "[]", .words = "no ExecCredential" },
	{ "another kind", "{\"kind\":\"TokenReview\",\"status\":{\"token\":\"S3CRET\"}}", .words = "no ExecCredential" },
	{ "another version", "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\"}",
	  .words = "not of apiVersion " V1 },
	{ "no version", "{\"kind\":\"ExecCredential\",\"status\":{}}", .words = "not of apiVersion " V1 },
	{ "no status", "{" HEAD "}", .words = "has no status" },
	{ "status null", "{" HEAD ",\"status\":null}", .words = "has no status" },
	{ "an empty status", ANSWER(""), .words = "neither a token nor a client certificate" },
	{ "an empty token", ANSWER("\"token\":\"\""), .words = "neither a token nor a client certificate" },
	{ "a token that is a number", ANSWER("\"token\":12"), .words = "status.token of its answer must be text" },
	{ "certificate alone", ANSWER("\"token\":\"t\",\"clientCertificateData\":\"S3CRET\""), .words = "and not both" },
	{ "key alone", ANSWER("\"clientKeyData\":\"S3CRET\""), .words = "and not both" },
	{ "no time", ANSWER("\"token\":\"t\",\"expirationTimestamp\":\"S3CRET\""), .words = "no time (RFC 3339)" },
	{ "a time that is a number", ANSWER("\"token\":\"t\",\"expirationTimestamp\":1893456000"), .words = "no time" },
};

static void check_text(const struct strbuf *got, const char *want)
{
	assert_string_equal(strbuf_str(got), want ? want : "");
}

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_execcredential struct execcredential e = { 0 };
	struct err err = { 0 };
	int read = execcredential_read(row->text, strlen(row->text), V1, &e, &err);

	if (read < 0 && !row->words)
		fail_msg("%s", err.msg);
	assert_int_equal(read, row->words ? -1 : 0);
	check_text(&e.token, row->token);
	check_text(&e.cert, row->cert);
	check_text(&e.key, row->key);
	assert_int_equal(e.expires_ms, row->expires_ms);
	if (row->words && !strstr(err.msg, row->words))
		fail_msg("\"%s\" is not in: %s", row->words, err.msg);
	assert_null(strstr(err.msg, "S3CR"));
}

static void test_write(void **state)
{
	cleanup_strbuf struct strbuf out = { 0 }, with = { 0 };

	(void)state;
	execcredential_write(V1, NULL, false, &out);
	assert_string_equal(out.data, "{\"apiVersion\":\"" V1 "\",\"kind\":\"ExecCredential\",\"spec\":{\"interactive\":false}}");
	execcredential_write(V1, "{\"server\":\"s\"}", true, &with);
	assert_non_null(strstr(with.data, "\"spec\":{\"cluster\":{\"server\":\"s\"},\"interactive\":true}}"));
}

static void try_text(const char *text, size_t len)
{
	cleanup_execcredential struct execcredential e = { 0 };
	struct err err = { 0 };

	if (execcredential_read(text, len, V1, &e, &err) < 0)
		assert_true(*err.msg != '\0');
	else
		assert_true(e.token.len > 0 || (e.cert.len > 0 && e.key.len > 0));
}

/* Every answer cut at each byte, and with each byte changed. */
static void test_broken(void **state)
{
	(void)state;
	for (size_t r = 0; r < UNIT_COUNT(rows); r++) {
		cleanup_strbuf struct strbuf text = { 0 };
		strbuf_adds(&text, rows[r].text);
		for (size_t i = 0; i < text.len; i++) {
			char was = text.data[i];
			try_text(rows[r].text, i);
			text.data[i] = (char)(was ^ (1 << i % 8));
			try_text(text.data, text.len);
			text.data[i] = was;
		}
	}
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + 2];

	UNIT_ROWS(tests, rows, test_row);
	tests[UNIT_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(test_write);
	tests[UNIT_COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(test_broken);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
