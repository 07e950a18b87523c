#include "execcredential.h"

#include "crd/base/json.h"
#include "crd/base/time.h"
#include "file.h"

#include <string.h>

static int check_type(const cJSON *tree, const char *api_version, struct err *err)
{
	const char *kind = json_str(tree, "kind"), *version = json_str(tree, "apiVersion");

	if (!kind || strcmp(kind, "ExecCredential") != 0)
		return err_set(err, ERR_PROTOCOL, "its answer is no ExecCredential");
	/* Only well-known words may be quoted of a text that may hold anything. */
	if (!version || strcmp(version, api_version) != 0)
		return err_set(err, ERR_PROTOCOL, "its answer is not of apiVersion %s, which was asked for", api_version);
	if (!json_get(tree, "status"))
		return err_set(err, ERR_PROTOCOL, "its answer has no status");
	return 0;
}

static int read_text(const cJSON *status, const char *key, struct strbuf *out, struct err *err)
{
	const cJSON *item = json_get(status, key);

	if (item && !cJSON_IsString(item))
		return err_set(err, ERR_PROTOCOL, "status.%s of its answer must be text", key);
	if (item)
		strbuf_adds(out, item->valuestring);
	return 0;
}

static int read_expiry(const cJSON *status, int64_t *ret_ms, struct err *err)
{
	const cJSON *item = json_get(status, "expirationTimestamp");
	const char *text = cJSON_GetStringValue(item);

	if (item && (!text || time_parse(text, ret_ms) < 0))
		return err_set(err, ERR_PROTOCOL, "status.expirationTimestamp of its answer is no time (RFC 3339)");
	return 0;
}

static int read_status(const cJSON *status, struct execcredential *e, struct err *err)
{
	if (read_text(status, "token", &e->token, err) < 0 ||
	    read_text(status, "clientCertificateData", &e->cert, err) < 0 ||
	    read_text(status, "clientKeyData", &e->key, err) < 0 || read_expiry(status, &e->expires_ms, err) < 0)
		return -1;
	if ((e->cert.len > 0) != (e->key.len > 0))
		return err_set(err, ERR_PROTOCOL, "its answer has a client certificate or a key, and not both");
	if (e->token.len == 0 && e->cert.len == 0)
		return err_set(err, ERR_PROTOCOL, "its answer has neither a token nor a client certificate");
	return 0;
}

int execcredential_read(const char *text, size_t len, const char *api_version, struct execcredential *ret,
                        struct err *err)
{
	cleanup_json cJSON *tree = file_parse(text, len, NULL);
	struct execcredential e = { 0 };

	if (!tree)
		return err_set(err, ERR_PROTOCOL, "its answer is neither JSON nor YAML");
	if (check_type(tree, api_version, err) < 0)
		return -1;
	if (read_status(json_get(tree, "status"), &e, err) < 0) {
		execcredential_release(&e);
		return -1;
	}
	*ret = e;
	return 0;
}

void execcredential_write(const char *api_version, const char *cluster, bool interactive, struct strbuf *out)
{
	strbuf_adds(out, "{\"apiVersion\":");
	strbuf_add_json(out, api_version);
	strbuf_adds(out, ",\"kind\":\"ExecCredential\",\"spec\":{");
	if (cluster)
		strbuf_addf(out, "\"cluster\":%s,", cluster);
	strbuf_addf(out, "\"interactive\":%s}}", interactive ? "true" : "false");
}

void execcredential_release(struct execcredential *e)
{
	strbuf_release(&e->token);
	strbuf_release(&e->cert);
	strbuf_release(&e->key);
	*e = (struct execcredential){ 0 };
}
