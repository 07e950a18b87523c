#include "kubeuser.h"

#include "base64.h"
#include "crd/base/json.h"
#include "execconfig.h"

#include <ctype.h>
#include <string.h>

/* The file wins over the text, as in client-go: it is the one that is kept fresh. */
static int read_token(const struct entry *e, struct material *m, struct err *err)
{
	const char *token, *file;

	if (entry_text(e, "token", &token, err) < 0 || entry_text(e, "tokenFile", &file, err) < 0)
		return -1;
	if (file) {
		file = entry_path(e, file);
		return token_load(m, file, arena_printf(e->memory, "tokenFile %s of %s", file, e->who), err);
	}
	if (!token)
		return 0;
	m->source = arena_printf(e->memory, "token of %s", e->who);
	strbuf_adds(&m->text, token);
	return token_clean(m, err);
}

static int read_certificate(const struct entry *e, struct credentials *c, struct err *err)
{
	if (entry_material(e, "client-certificate", &c->cert, err) < 0 ||
	    entry_material(e, "client-key", &c->key, err) < 0)
		return -1;
	if ((c->cert.text.len > 0) != (c->key.text.len > 0))
		return err_set(err, ERR_INVALID, "%s: client-certificate and client-key go together; one is missing",
		               e->who);
	return 0;
}

/* RFC 7617: the name ends at the first colon, the password does not. */
static int read_password(const struct entry *e, struct credentials *c, struct err *err)
{
	cleanup_strbuf struct strbuf pair = { 0 }, packed = { 0 };
	const char *name, *password;

	if (entry_text(e, "username", &name, err) < 0 || entry_text(e, "password", &password, err) < 0)
		return -1;
	if (!name && !password)
		return 0;
	if (!name || strchr(name, ':'))
		return err_set(err, ERR_INVALID, "%s: %s", e->who,
		               name ? "a username has no colon in it" : "a password goes with a username");
	strbuf_addf(&pair, "%s:%s", name, password ? password : "");
	base64_encode(pair.data, pair.len, &packed);
	c->basic = arena_strdup(e->memory, packed.data);
	return 0;
}

/* A line end in a header would begin another one. */
static bool is_header_value(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static int add_headers(const struct entry *e, const char *key, const char *header, struct texts values,
                       struct strbuf *out, struct err *err)
{
	for (size_t i = 0; i < values.count; i++) {
		if (!is_header_value(values.items[i]))
			return err_set(err, ERR_INVALID, "%s: %s is empty, or has a character that no name has", e->who,
			               key);
		strbuf_addf(out, "%s: %s\r\n", header, values.items[i]);
	}
	return 0;
}

/* The key is part of a header's name: what may not stand there is percent-encoded, as in client-go. */
static int add_extra(const struct entry *e, const char *key, struct strbuf *out, struct err *err)
{
	cleanup_strbuf struct strbuf header = { 0 };
	struct texts values;

	if (entry_texts(e, key, &values, err) < 0)
		return -1;
	strbuf_adds(&header, "Impersonate-Extra-");
	for (const char *c = key; *c; c++)
		strbuf_addf(&header, isalnum((unsigned char)*c) || strchr("-_.~", *c) ? "%c" : "%%%02X", (unsigned char)*c);
	return add_headers(e, key, header.data, values, out, err);
}

static int add_extras(const struct entry *e, struct strbuf *out, struct err *err)
{
	static const char key[] = "as-user-extra";
	struct entry extras = { .body = json_get(e->body, key), .memory = e->memory };
	const cJSON *item;

	extras.who = arena_printf(e->memory, "%s: %s", e->who, key);
	if (extras.body && !cJSON_IsObject(extras.body))
		return err_set(err, ERR_INVALID, "%s must be a mapping", extras.who);
	if (cJSON_GetArraySize(extras.body) > ENTRY_LIST_MAX)
		return err_set(err, ERR_LIMIT, "%s has more than %d keys", extras.who, ENTRY_LIST_MAX);
	cJSON_ArrayForEach(item, extras.body)
		if (add_extra(&extras, item->string, out, err) < 0)
			return -1;
	return 0;
}

/* https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
static int read_impersonation(const struct entry *e, struct credentials *c, struct err *err)
{
	cleanup_strbuf struct strbuf lines = { 0 };
	const char *as, *uid;
	struct texts groups;

	if (entry_text(e, "as", &as, err) < 0 || entry_text(e, "as-uid", &uid, err) < 0 ||
	    entry_texts(e, "as-groups", &groups, err) < 0 ||
	    add_headers(e, "as", "Impersonate-User", (struct texts){ &as, as ? 1 : 0 }, &lines, err) < 0 ||
	    add_headers(e, "as-uid", "Impersonate-Uid", (struct texts){ &uid, uid ? 1 : 0 }, &lines, err) < 0 ||
	    add_headers(e, "as-groups", "Impersonate-Group", groups, &lines, err) < 0 ||
	    add_extras(e, &lines, err) < 0)
		return -1;
	if (lines.len == 0)
		return 0;
	if (!as)
		return err_set(err, ERR_INVALID, "%s: as-uid, as-groups and as-user-extra go with \"as\"", e->who);
	c->impersonate = arena_strdup(e->memory, lines.data);
	c->who = arena_printf(e->memory, "%s, as \"%.100s\"", c->who, as);
	return 0;
}

static int refuse_auth_provider(const struct entry *e, struct err *err)
{
	const cJSON *provider = json_get(e->body, "auth-provider");
	const char *name = json_str(provider, "name");

	if (!provider)
		return 0;
	return err_set(err, ERR_INVALID,
	               "%s: auth-provider%s%.60s is no longer supported, nor is it by kubectl since 1.26; use its credential "
	               "plugin (exec), a client certificate or a token, or choose another context with --context",
	               e->who, name ? " " : "", name ? name : "");
}

static int read_plugin(const struct entry *e, const struct entry *cluster, struct credentials *c, struct err *err)
{
	struct plugin_config config;
	int read = execconfig_read(e, cluster, &c->ca, &config, err);

	if (read <= 0 || c->token.text.len > 0 || c->basic)
		return read < 0 ? -1 : 0;
	c->plugin = arena_alloc(e->memory, sizeof(*c->plugin));
	c->plugin->config = config;
	return 0;
}

int kubeuser_read(const struct entry *user, const struct entry *cluster, struct credentials *c, struct err *err)
{
	c->who = user->who;
	if (refuse_auth_provider(user, err) < 0 || read_certificate(user, c, err) < 0 ||
	    read_token(user, &c->token, err) < 0 || read_password(user, c, err) < 0 ||
	    read_impersonation(user, c, err) < 0 || read_plugin(user, cluster, c, err) < 0)
		return -1;
	if (c->token.text.len > 0 && c->basic)
		return err_set(err, ERR_INVALID, "%s has both a token and a password; remove one of them", user->who);
	if (c->cert.text.len == 0 && c->token.text.len == 0 && !c->basic && !c->plugin)
		return err_set(err, ERR_INVALID,
		               "%s has no credentials: give a client certificate, token, tokenFile or exec", user->who);
	return 0;
}
