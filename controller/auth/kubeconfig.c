#include "kubeconfig.h"

#include "crd/base/json.h"
#include "crd/base/yaml.h"
#include "base64.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the functions below need to know of the file that is being read. */
struct reading {
	const char *path;
	struct arena *memory;
	struct err *err;
};

/* One entry of the file, and how to call it in messages: "user x in FILE". */
struct entry {
	const cJSON *body;
	const char *who;
};

bool kubeconfig_is_named(const char *option)
{
	const char *list = getenv("KUBECONFIG");

	return option || (list && *list);
}

static const char *first_existing(const char *list, struct arena *memory)
{
	while (*list) {
		size_t len = strcspn(list, ":");
		const char *path = arena_strndup(memory, list, len);
		if (len > 0 && access(path, F_OK) == 0)
			return path;
		list += len + (list[len] == ':');
	}
	return NULL;
}

int kubeconfig_find(const char *option, struct arena *memory, const char **ret_path, struct err *err)
{
	const char *list = getenv("KUBECONFIG"), *home = getenv("HOME");
	const char *path = option;

	if (!path && list && *list) {
		path = first_existing(list, memory);
		if (!path)
			return err_set(err, ERR_NOT_FOUND, "$KUBECONFIG is \"%s\", and no such file exists", list);
	} else if (!path) {
		if (!home || !*home)
			return err_set(err, ERR_NOT_FOUND, "no kubeconfig: name one with --kubeconfig or $KUBECONFIG");
		path = arena_printf(memory, "%s/.kube/config", home);
	}
	*ret_path = path;
	return 0;
}

/* Text of KEY; NULL when it is absent or empty. Anything but text is an error: who writes a number means text. */
static int get_text(const struct reading *r, const struct entry *e, const char *key, const char **ret_text)
{
	const cJSON *item = json_get(e->body, key);
	const char *text = cJSON_GetStringValue(item);

	if (item && !text)
		return err_set(r->err, ERR_INVALID, "%s: %s must be text; put it into quotes", e->who, key);
	*ret_text = text && *text ? text : NULL;
	return 0;
}

static const char *names_in(const struct reading *r, const cJSON *list)
{
	const char *names = "";
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		const char *name = json_str(item, "name");
		if (name && strlen(names) < 200)
			names = arena_printf(r->memory, "%s%s\"%s\"", names, *names ? ", " : "", name);
	}
	return *names ? names : "none";
}

/* Finds the entry NAME of list LIST ("users") and its BODY ("user"). The first of a name counts, as in kubectl. */
static int find_entry(const struct reading *r, const cJSON *tree, const char *list, const char *body, const char *name,
                      struct entry *ret)
{
	const cJSON *entries = json_get(tree, list), *item;

	cJSON_ArrayForEach(item, entries) {
		const char *its_name = json_str(item, "name");
		if (!its_name || strcmp(its_name, name) != 0)
			continue;
		ret->body = json_get(item, body);
		ret->who = arena_printf(r->memory, "%s \"%s\" in %s", body, name, r->path);
		if (!cJSON_IsObject(ret->body))
			return err_set(r->err, ERR_INVALID, "%s is empty", ret->who);
		return 0;
	}
	return err_set(r->err, ERR_INVALID, "%s has no %s \"%s\"; its %s: %s", r->path, body, name, list,
	               names_in(r, entries));
}

/* Paths are relative to the file that holds them. */
static const char *resolve(const struct reading *r, const char *path)
{
	const char *slash = strrchr(r->path, '/');

	if (*path == '/' || !slash)
		return arena_strdup(r->memory, path);
	return arena_printf(r->memory, "%.*s/%s", (int)(slash - r->path), r->path, path);
}

/* Fills M from KEY-data or from the file KEY; the former wins, as in kubectl. Without either M stays empty. */
static int get_material(const struct reading *r, const struct entry *e, const char *key, struct material *m)
{
	const char *data_key = arena_printf(r->memory, "%s-data", key), *data, *file;

	if (get_text(r, e, data_key, &data) < 0 || get_text(r, e, key, &file) < 0)
		return -1;
	if (data) {
		m->source = arena_printf(r->memory, "%s of %s", data_key, e->who);
		if (base64_decode(data, &m->text) < 0 || m->text.len == 0)
			return err_set(r->err, ERR_INVALID, "%s is not base64", m->source);
		return 0;
	}
	if (!file)
		return 0;
	file = resolve(r, file);
	return material_load(m, file, arena_printf(r->memory, "%s %s of %s", key, file, e->who), r->err);
}

/* The file wins over the text, as in client-go: it is the one that is kept fresh. */
static int get_token(const struct reading *r, const struct entry *e, struct material *m)
{
	const char *token, *file;

	if (get_text(r, e, "token", &token) < 0 || get_text(r, e, "tokenFile", &file) < 0)
		return -1;
	if (file) {
		file = resolve(r, file);
		return token_load(m, file, arena_printf(r->memory, "tokenFile %s of %s", file, e->who), r->err);
	}
	if (!token)
		return 0;
	m->source = arena_printf(r->memory, "token of %s", e->who);
	strbuf_adds(&m->text, token);
	return token_clean(m, r->err);
}

static int read_server(const struct reading *r, const struct entry *e, struct credentials *c)
{
	const char *server, *name, *proxy;

	if (get_text(r, e, "server", &server) < 0 || get_text(r, e, "tls-server-name", &name) < 0 ||
	    get_text(r, e, "proxy-url", &proxy) < 0)
		return -1;
	if (!server)
		return err_set(r->err, ERR_INVALID, "%s has no server", e->who);
	if (strncmp(server, "https://", 8) != 0 && strncmp(server, "http://", 7) != 0)
		return err_set(r->err, ERR_INVALID, "%s: server \"%s\" must begin with https://", e->who, server);
	size_t len = strlen(server);
	while (server[len - 1] == '/')
		len--;
	c->server = arena_strndup(r->memory, server, len);
	c->tls_server_name = arena_strdup(r->memory, name);
	c->proxy_url = arena_strdup(r->memory, proxy);
	return 0;
}

static int read_cluster(const struct reading *r, const struct entry *e, struct credentials *c)
{
	static const char skip[] = "insecure-skip-tls-verify";
	const cJSON *insecure = json_get(e->body, skip);

	if (read_server(r, e, c) < 0 || get_material(r, e, "certificate-authority", &c->ca) < 0)
		return -1;
	if (insecure && !cJSON_IsBool(insecure))
		return err_set(r->err, ERR_INVALID, "%s: %s must be true or false, without quotes", e->who, skip);
	c->insecure = cJSON_IsTrue(insecure);
	if (c->insecure && c->ca.text.len > 0)
		return err_set(r->err, ERR_INVALID, "%s has both a certificate authority and %s; remove one of them",
		               e->who, skip);
	return 0;
}

/* Using the rest of such an entry without these would be acting as somebody else. */
static int refuse_unsupported(const struct reading *r, const struct entry *e)
{
	static const struct {
		const char *key, *what;
	} refused[] = {
		{ "exec", "credential plugins (exec)" },
		{ "auth-provider", "auth-provider" },
		{ "username", "username and password" },
		{ "password", "username and password" },
		{ "as", "impersonation (as)" },
		{ "as-uid", "impersonation (as-uid)" },
		{ "as-groups", "impersonation (as-groups)" },
		{ "as-user-extra", "impersonation (as-user-extra)" },
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (json_get(e->body, refused[i].key))
			return err_set(r->err, ERR_INVALID,
			               "%s: %s cannot be used here; use a client certificate, token or tokenFile, "
			               "or choose another context with --context",
			               e->who, refused[i].what);
	return 0;
}

static int read_user(const struct reading *r, const struct entry *e, struct credentials *c)
{
	if (refuse_unsupported(r, e) < 0 || get_material(r, e, "client-certificate", &c->cert) < 0 ||
	    get_material(r, e, "client-key", &c->key) < 0 || get_token(r, e, &c->token) < 0)
		return -1;
	c->who = e->who;
	if ((c->cert.text.len > 0) != (c->key.text.len > 0))
		return err_set(r->err, ERR_INVALID, "%s: client-certificate and client-key go together; one is missing",
		               e->who);
	if (c->cert.text.len == 0 && c->token.text.len == 0)
		return err_set(r->err, ERR_INVALID, "%s has no credentials: give a client certificate, token or tokenFile",
		               e->who);
	return 0;
}

static int choose_context(const struct reading *r, const cJSON *tree, const char *context, struct entry *ret)
{
	if (!context)
		context = json_str(tree, "current-context");
	if (!context || !*context)
		return err_set(r->err, ERR_INVALID, "%s has no current-context; choose one with --context (there: %s)",
		               r->path, names_in(r, json_get(tree, "contexts")));
	return find_entry(r, tree, "contexts", "context", context, ret);
}

static int read_tree(const struct reading *r, const cJSON *tree, const char *context, struct credentials *c)
{
	const char *cluster_name, *user_name, *namespace;
	struct entry chosen, cluster, user;

	if (choose_context(r, tree, context, &chosen) < 0 || get_text(r, &chosen, "cluster", &cluster_name) < 0 ||
	    get_text(r, &chosen, "user", &user_name) < 0 || get_text(r, &chosen, "namespace", &namespace) < 0)
		return -1;
	if (!cluster_name || !user_name)
		return err_set(r->err, ERR_INVALID, "%s names no %s", chosen.who, cluster_name ? "user" : "cluster");
	if (find_entry(r, tree, "clusters", "cluster", cluster_name, &cluster) < 0 ||
	    find_entry(r, tree, "users", "user", user_name, &user) < 0)
		return err_wrap(r->err, "%s", chosen.who);
	c->namespace = arena_strdup(r->memory, namespace);
	return read_cluster(r, &cluster, c) < 0 || read_user(r, &user, c) < 0 ? -1 : 0;
}

int kubeconfig_load(const char *path, const char *context, struct credentials *ret, struct err *err)
{
	cleanup_strbuf struct strbuf text = { 0 };
	struct credentials c = { 0 };
	struct reading r = { .memory = &c.memory, .err = err };

	if (file_read(path, &text, err) < 0)
		return err_wrap(err, "kubeconfig");
	r.path = arena_strdup(r.memory, path);
	cleanup_json cJSON *tree = yaml_parse(strbuf_str(&text), text.len, err);
	if (!tree)
		err_wrap(err, "kubeconfig %s", path);
	if (!tree || read_tree(&r, tree, context, &c) < 0) {
		credentials_release(&c);
		return -1;
	}
	*ret = c;
	return 0;
}
