#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/auth/base64.h"
#include "controller/auth/incluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

/* The tests run in an empty folder of their own. */
static char dir[] = "/tmp/credentials_test.XXXXXX";

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int enter_dir(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	return chdir(dir);
}

static int leave_dir(void **state)
{
	(void)state;
	unlink("token");
	unlink("ca.crt");
	unlink("namespace");
	assert_int_equal(chdir("/"), 0);
	return rmdir(dir);
}

static void check_material(const struct material *m, const char *want)
{
	assert_string_equal(strbuf_str(&m->text), want);
}

static void load_token(struct credentials *c)
{
	struct err err = { 0 };

	c->who = "a test";
	assert_int_equal(token_load(&c->token, "token", "tokenFile", &err), 0);
}

static void test_refresh(void **state)
{
	cleanup_credentials struct credentials c = { 0 };

	(void)state;
	write_file("token", "one\n");
	load_token(&c);
	assert_false(credentials_refresh(&c, CREDENTIALS_REREAD_MS, false));
	write_file("token", "two\n");
	assert_false(credentials_refresh(&c, CREDENTIALS_REREAD_MS * 2 - 1, false));
	assert_true(credentials_refresh(&c, CREDENTIALS_REREAD_MS * 2, false));
	check_material(&c.token, "two");
	assert_false(credentials_refresh(&c, CREDENTIALS_REREAD_MS * 2, true));
	write_file("token", "three\n");
	assert_true(credentials_refresh(&c, CREDENTIALS_REREAD_MS * 2, true));
	check_material(&c.token, "three");
}

static void test_refresh_keeps_what_it_has(void **state)
{
	cleanup_credentials struct credentials c = { 0 };

	(void)state;
	write_file("token", "one\n");
	load_token(&c);
	assert_int_equal(unlink("token"), 0);
	assert_false(credentials_refresh(&c, 0, true));
	check_material(&c.token, "one");
	write_file("token", "\n");
	assert_false(credentials_refresh(&c, 0, true));
	check_material(&c.token, "one");
}

static void test_incluster(void **state)
{
	cleanup_credentials struct credentials c = { 0 }, v6 = { 0 };
	struct err err = { 0 };

	(void)state;
	write_file("token", "t\n");
	write_file("ca.crt", "CA");
	write_file("namespace", "ops\n");
	unsetenv("KUBERNETES_SERVICE_HOST");
	assert_false(incluster_is_here());
	assert_int_equal(incluster_load(dir, &c, &err), -1);
	assert_non_null(strstr(err.msg, "KUBERNETES_SERVICE_HOST"));

	setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
	setenv("KUBERNETES_SERVICE_PORT", "6443", 1);
	assert_true(incluster_is_here());
	assert_int_equal(incluster_load(dir, &c, &err), 0);
	assert_string_equal(c.server, "https://10.0.0.1:6443");
	assert_string_equal(c.namespace, "ops");
	check_material(&c.token, "t");
	check_material(&c.ca, "CA");

	setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
	unsetenv("KUBERNETES_SERVICE_PORT");
	assert_int_equal(incluster_load(dir, &v6, &err), 0);
	assert_string_equal(v6.server, "https://[fd00::1]:443");
	unlink("ca.crt");
	assert_int_equal(incluster_load(dir, &v6, &err), -1);
	assert_non_null(strstr(err.msg, "ca.crt"));
}

static void test_check(void **state)
{
	struct credentials c = { .ca.source = "the CA", .cert.source = "the cert", .key.source = "the key" };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(credentials_check(&c, &err), 0);
	strbuf_adds(&c.ca.text, "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
	assert_int_equal(credentials_check(&c, &err), -1);
	assert_non_null(strstr(err.msg, "the CA"));
	strbuf_release(&c.ca.text);
	strbuf_adds(&c.cert.text, "nothing");
	strbuf_adds(&c.key.text, "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n");
	assert_int_equal(credentials_check(&c, &err), -1);
	assert_non_null(strstr(err.msg, "the cert holds no PEM certificate"));
	credentials_release(&c);
}

static void test_base64(void **state)
{
	static const struct {
		const char *text, *want; /* NULL: refused */
	} rows[] = {
		{ "", "" },         { "YQ==", "a" },      { "YWI=", "ab" },  { "YWJj", "abc" },
		{ " Y Q\n=\t=\r\n", "a" }, { "YWJjZA==", "abcd" }, { "YQ", NULL },    { "YQ=", NULL },
		{ "YQ===", NULL },  { "=", NULL },        { "====", NULL },  { "Y=Q=", NULL },
		{ "YQ==YQ==", NULL }, { "YW-_", NULL },   { "-----BEGIN", NULL },
	};

	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		cleanup_strbuf struct strbuf out = { 0 };
		assert_int_equal(base64_decode(rows[i].text, &out), rows[i].want ? 0 : -1);
		assert_string_equal(strbuf_str(&out), rows[i].want ? rows[i].want : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_refresh_keeps_what_it_has),
		cmocka_unit_test(test_incluster),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_base64),
	};

	return cmocka_run_group_tests(tests, enter_dir, leave_dir);
}
