/* Every file of tests/samples/kubeconfig does what the table of its README says; broken ones do no harm. */
#include "tests/unit/unit.h"

#include "controller/auth/base64.h"
#include "controller/auth/file.h"
#include "controller/auth/kubeconfig.h"
#include "controller/auth/plugin.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLES "tests/samples/kubeconfig/"

/* Changed samples are written here; the samples' own neighbours are linked in. */
static char dir[] = "/tmp/kubeconfig_samples_test.XXXXXX";
static const char *const neighbours[] = { "ca.crt", "certs", "bin" };

enum proof { CERTIFICATE, TOKEN, PASSWORD, PLUGIN };

struct row {
	const char *name, *sample;
	const char *from, *to;  /* a text of the sample and what takes its place; NULL: as it is */
	const char *context;
	const char *server;     /* NULL: it fails, with the words below */
	enum proof proof;
	const char *text;       /* of the token or the certificate; of a plugin's argv, an item a line */
	const char *namespace, *tls_server_name, *proxy_url, *ca, *impersonate;
	bool insecure;
	const char *words[4];
};

#define FAKE_CA "-----BEGIN CERTIFICATE-----\nMIIBfakeCAfakeCAfakeCA\n-----END CERTIFICATE-----\n"
#define FAKE_CERT "-----BEGIN CERTIFICATE-----\nMIIBfakeCLIENTfake\n-----END CERTIFICATE-----\n"
#define INSECURE_10 .server = "https://10.0.0.1:6443", .proof = PASSWORD, .insecure = true, \
	.impersonate = "Impersonate-User: system:serviceaccount:ops:bot\r\nImpersonate-Uid: 7\r\n" \
	               "Impersonate-Group: a\r\nImpersonate-Group: b\r\n"

static const struct row rows[] = {
	{ "01", "01-kubeadm-certdata.yaml", .server = "https://192.0.2.10:6443", .proof = CERTIFICATE, .text = FAKE_CERT,
	  .ca = FAKE_CA },
	{ "02", "02-minikube-paths-extensions.yaml", .server = "https://198.51.100.4:8443", .proof = CERTIFICATE,
	  .text = "what stands for certs/client.crt\n", .ca = "what stands for ca.crt\n", .namespace = "team-a" },
	{ "02, a file that is missing", "02-minikube-paths-extensions.yaml", "certs/client.crt", "certs/none.crt",
	  .words = { "certs/none.crt: No such file", "client-certificate", "user \"lab\"" } },
	{ "03", "03-hosted-token-path-prefix.yaml", .server = "https://manager.example/k8s/clusters/c-m-abc123",
	  .proof = TOKEN, .text = "kubeconfig-u-abc:0123456789abcdef" },
	{ "03, the node", "03-hosted-token-path-prefix.yaml", .context = "downstream-node1",
	  .server = "https://203.0.113.7:6443", .proof = TOKEN, .text = "kubeconfig-u-abc:0123456789abcdef", .ca = "ABCD" },
	{ "04", "04-exec-cloud-a.yaml", .server = "https://ABCDEF0123456789.gr7.region-1.cloud.example", .proof = PLUGIN,
	  .text = "cloudctl\n--region\nregion-1\nk8s\nget-token\n--cluster-name\nprod-1\n--output\njson\n", .ca = FAKE_CA },
	{ "05", "05-exec-cloud-b-clusterinfo.yaml", .server = "https://203.0.113.20", .proof = PLUGIN,
	  .text = SAMPLES "bin/b-auth-plugin\n", .ca = FAKE_CA },
	{ "06", "06-exec-shell-script.yaml", .server = "https://api.example:6443", .proof = PLUGIN,
	  .text = "bash\n-c\nset -e\nT=$(printf '%s' \"to'k\\\"en\")        # quotes, blanks, $(), newline: must arrive as one "
	          "argument\ncat <<EOF\n{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\n"
	          " \"status\":{\"token\":\"$T\",\"expirationTimestamp\":\"2030-01-01T00:00:00.123456+02:00\"}}\nEOF\n\n" },
	{ "07", "07-exec-returns-certs.yaml", .server = "https://proxy.example:443", .proof = PLUGIN,
	  .text = "/usr/local/bin/sso\nkube\ncredentials\n--kube-cluster=prod\n--proxy=proxy.example\n",
	  .tls_server_name = "kube-teleport-proxy-alpn.proxy.example" },
	{ "08", "08-tokenfile.yaml", "/var/run/secrets/kubernetes.io/serviceaccount/", "", .server =
	  "https://kubernetes.default.svc", .proof = TOKEN, .text = "from-file", .ca = "what stands for ca.crt\n",
	  .namespace = "ops" },
	{ "08, no file", "08-tokenfile.yaml", "/var/run/secrets/kubernetes.io/serviceaccount/", "certs/",
	  .words = { "certs/ca.crt: No such file", "cluster \"in\"" } },
	{ "10", "10-insecure-proxy.yaml", INSECURE_10, .proxy_url = "socks5h://127.0.0.1:1080" },
	{ "10, insecure with a CA", "10-insecure-proxy.yaml", "cluster: lab,", "cluster: lab-both,",
	  .words = { "cluster \"lab-both\"", "both a certificate authority and insecure-skip-tls-verify" } },
	{ "10, empty CA", "10-insecure-proxy.yaml", "cluster: lab,", "cluster: lab-empty-ca,", INSECURE_10 },
	{ "10, capital", "10-insecure-proxy.yaml", "cluster: lab,", "cluster: lab-capital,", INSECURE_10 },
	{ "10, quoted", "10-insecure-proxy.yaml", "cluster: lab,", "cluster: lab-quoted,",
	  .words = { "cluster \"lab-quoted\"", "insecure-skip-tls-verify must be true or false" } },
	{ "12", "12-anchors-merge.yaml", .server = "https://one.example:6443", .proof = TOKEN, .text = "t",
	  .tls_server_name = "one.internal" },
	{ "13", "13-json.json", .server = "https://j.example:6443", .proof = TOKEN, .text = "t\xC3\xA9" },
	{ "14", "14-folded-base64.yaml", .server = "https://f.example:6443", .proof = CERTIFICATE, .text = FAKE_CERT,
	  .ca = FAKE_CA },
	{ "15", "15-nulls-and-empties.yaml", .words = { "no current-context", "15-nulls", "--context", "there: none" } },
	{ "16", "16-legacy-auth-provider.yaml", .words = { "user \"o\"", "auth-provider oidc", "no longer supported" } },
	{ "17", "17-odd-bytes.yaml", .server = "https://c.example:6443", .proof = TOKEN, .text = "t" },
	{ "18", "18-wrong-references.yaml", .words = { "no context \"missing\"", "18-wrong", "contexts: \"c\"" } },
	{ "18, a name twice", "18-wrong-references.yaml", .context = "c", .words = { "two contexts", "\"c\"" } },
	{ "18, dangling", "18-wrong-references.yaml", "- {name: c, context: {cluster: c", "- {name: d, context: {cluster: c",
	  .context = "c", .words = { "context \"c\"", "no cluster \"nope\"", "clusters: \"c\"" } },
	{ "18, no scheme", "18-wrong-references.yaml", "{name: c, context: {cluster: nope", "{name: d, context: {cluster: d",
	  .context = "c", .words = { "cluster \"c\"", "\"api.example:6443\" must begin with https://" } },
	{ "18, bad base64", "18-wrong-references.yaml",
	  "\"api.example:6443\"}}]      # no scheme\ncontexts:\n- {name: c, context: {cluster: nope, user: nope}}",
	  "\"https://api.example:6443\"}}]\ncontexts:", .context = "c",
	  .words = { "client-certificate-data of user \"u\"", "not base64" } },
};

static const char *in_dir(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void write_file(const char *path, const char *text, size_t len)
{
	/* Some file systems wait for the disk when a file is cut to nothing and written anew. */
	unlink(path);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int make_dir(void **state)
{
	char here[PATH_MAX], target[PATH_MAX + 64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_non_null(getcwd(here, sizeof(here)));
	for (size_t i = 0; i < UNIT_COUNT(neighbours); i++) {
		snprintf(target, sizeof(target), "%s/" SAMPLES "%s", here, neighbours[i]);
		assert_int_equal(symlink(target, in_dir(neighbours[i])), 0);
	}
	write_file(in_dir("token"), "from-file\r\n", 11);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(neighbours); i++)
		unlink(in_dir(neighbours[i]));
	unlink(in_dir("token"));
	unlink(in_dir("config"));
	return rmdir(dir);
}

/* The sample with every FROM replaced, in a file of its own. */
static const char *changed(const struct row *row)
{
	cleanup_strbuf struct strbuf text = { 0 }, out = { 0 };
	const char *at, *hit;
	char path[PATH_MAX];
	struct err err;

	snprintf(path, sizeof(path), SAMPLES "%s", row->sample);
	if (file_read(path, &text, &err) < 0)
		fail_msg("%s", err.msg);
	for (at = text.data; (hit = strstr(at, row->from)); at = hit + strlen(row->from)) {
		strbuf_add(&out, at, (size_t)(hit - at));
		strbuf_adds(&out, row->to);
	}
	assert_ptr_not_equal(at, text.data);
	strbuf_adds(&out, at);
	write_file(in_dir("config"), out.data, out.len);
	return in_dir("config");
}

static void check_text(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void check_argv(const char **argv, const char *want)
{
	cleanup_strbuf struct strbuf lines = { 0 };

	for (; *argv; argv++)
		strbuf_addf(&lines, "%s\n", *argv);
	assert_string_equal(lines.data, want);
}

static void check_proof(const struct row *row, const struct credentials *c)
{
	assert_int_equal(c->cert.text.len > 0, row->proof == CERTIFICATE);
	assert_int_equal(c->key.text.len > 0, row->proof == CERTIFICATE);
	assert_int_equal(c->token.text.len > 0, row->proof == TOKEN);
	check_text(c->basic, row->proof == PASSWORD ? "YWRtaW46cDp3" : NULL);
	assert_int_equal(c->plugin != NULL, row->proof == PLUGIN);
	if (row->proof == PLUGIN)
		check_argv(c->plugin->config.argv, row->text);
	else if (row->text)
		assert_string_equal(row->proof == TOKEN ? c->token.text.data : c->cert.text.data, row->text);
	check_text(c->impersonate, row->impersonate);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), SAMPLES "%s", row->sample);
	int loaded = kubeconfig_load(row->from ? changed(row) : path, row->context, &c, &err);
	if (loaded < 0 && row->server)
		fail_msg("%s", err.msg);
	assert_int_equal(loaded, row->server ? 0 : -1);
	for (size_t i = 0; i < UNIT_COUNT(row->words) && row->words[i]; i++)
		if (!strstr(err.msg, row->words[i]))
			fail_msg("\"%s\" is not in: %s", row->words[i], err.msg);
	if (loaded < 0)
		return;
	check_text(c.server, row->server);
	check_text(c.namespace, row->namespace);
	check_text(c.tls_server_name, row->tls_server_name);
	check_text(c.proxy_url, row->proxy_url);
	check_text(c.ca.text.data, row->ca);
	assert_int_equal(c.insecure, row->insecure);
	check_proof(row, &c);
}

/* 11a and 11b: see the comment in the second. */
static void test_merge(void **state)
{
	cleanup_credentials struct credentials c = { 0 };
	struct err err;

	(void)state;
	setenv("KUBECONFIG", ":" SAMPLES "11a-merge-first.yaml:/does/not/exist:" SAMPLES "11b-merge-second.yaml", 1);
	if (kubeconfig_load(NULL, NULL, &c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(c.server, "https://first.example:6443");
	assert_string_equal(c.token.text.data, "first");
	assert_false(c.insecure);
	assert_int_equal(c.key.text.len, 0);
}

/* 04 and 05: what the plugins get. That of 05 answers with it. */
static void test_plugins(void **state)
{
	cleanup_credentials struct credentials cloud_a = { 0 }, cloud_b = { 0 };
	cleanup_strbuf struct strbuf told = { 0 };
	struct err err;

	(void)state;
	if (kubeconfig_load(SAMPLES "04-exec-cloud-a.yaml", NULL, &cloud_a, &err) < 0 ||
	    kubeconfig_load(SAMPLES "05-exec-cloud-b-clusterinfo.yaml", NULL, &cloud_b, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(cloud_a.plugin->config.env[0], "CLOUD_PROFILE=admin profile");
	assert_null(cloud_a.plugin->config.env[1]);
	assert_null(cloud_a.plugin->config.cluster);
	assert_int_equal(cloud_a.plugin->config.mode, PLUGIN_MAY_ASK);
	if (credentials_wait(&cloud_b, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(base64_decode(cloud_b.token.text.data, &told), 0);
	assert_non_null(strstr(told.data, "\"cluster\":{\"server\":\"https://203.0.113.20\",\"certificate-authority-data\":\"LS0t"));
	assert_non_null(strstr(told.data, "\"config\":{\"audience\":\"api-b\",\"nested\":{\"list\":[1,2,\"three\"]}}}"));
	assert_non_null(strstr(told.data, "\"interactive\":false"));
}

/* Loads TEXT, whatever comes of it: what it may not do is crash, hang, or fail without a word. */
static void try_text(const char *text, size_t len)
{
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	write_file(in_dir("config"), text, len);
	if (kubeconfig_load(in_dir("config"), NULL, &c, &err) < 0)
		assert_true(*err.msg != '\0');
	else
		assert_true(*c.server != '\0' && *c.who != '\0');
}

static void break_sample(const char *path)
{
	cleanup_strbuf struct strbuf text = { 0 };
	struct err err;

	if (file_read(path, &text, &err) < 0)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < text.len; i++) {
		char was = text.data[i];
		try_text(text.data, i);
		text.data[i] = (char)(was ^ (1 << i % 8));
		try_text(text.data, text.len);
		text.data[i] = was;
	}
}

static void test_broken(void **state)
{
	glob_t samples;

	(void)state;
	assert_int_equal(glob(SAMPLES "*.yaml", 0, NULL, &samples), 0);
	assert_int_equal(glob(SAMPLES "*.json", GLOB_APPEND, NULL, &samples), 0);
	assert_int_equal(samples.gl_pathc, 18);
	for (size_t i = 0; i < samples.gl_pathc; i++)
		break_sample(samples.gl_pathv[i]);
	globfree(&samples);
}

int main(void)
{
	const struct CMUnitTest fixed[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_plugins),
		cmocka_unit_test(test_broken),
	};
	struct CMUnitTest tests[UNIT_COUNT(rows) + UNIT_COUNT(fixed)];

	UNIT_ROWS(tests, rows, test_row);
	memcpy(tests + UNIT_COUNT(rows), fixed, sizeof(fixed));
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
