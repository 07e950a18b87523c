#include "kubeconfig.h"

#include "kubefiles.h"
#include "kubeuser.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool kubeconfig_is_named(const char *path)
{
	const char *list = getenv("KUBECONFIG");

	return path || (list && *list);
}

static bool has_scheme(const char *url, const char *scheme)
{
	size_t len = strlen(scheme);

	return strncasecmp(url, scheme, len) == 0 && strncmp(url + len, "://", 3) == 0;
}

static int read_server(const struct entry *e, struct credentials *c, struct err *err)
{
	const char *server;

	if (entry_text(e, "server", &server, err) < 0)
		return -1;
	if (!server)
		return err_set(err, ERR_INVALID, "%s has no server", e->who);
	if (!has_scheme(server, "https") && !has_scheme(server, "http"))
		return err_set(err, ERR_INVALID, "%s: server \"%.200s\" must begin with https://", e->who, server);
	size_t len = strlen(server);
	while (server[len - 1] == '/')
		len--;
	c->server = arena_strndup(e->memory, server, len);
	return 0;
}

/*
 * The URL may hold a password and is in no message. In Go, socks5 leaves looking up names to the proxy; libcurl has
 * another word for that.
 */
static int read_proxy(const struct entry *e, struct credentials *c, struct err *err)
{
	static const char *const schemes[] = { "http", "https", "socks5h" };
	static const char socks5[] = "socks5";
	const char *proxy;

	if (entry_text(e, "proxy-url", &proxy, err) < 0)
		return -1;
	if (!proxy)
		return 0;
	if (has_scheme(proxy, socks5))
		proxy = arena_printf(e->memory, "socks5h%s", proxy + strlen(socks5));
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (has_scheme(proxy, schemes[i]))
			c->proxy_url = arena_strdup(e->memory, proxy);
	return c->proxy_url ? 0 : err_set(err, ERR_INVALID, "%s: proxy-url must begin with http://, https:// or socks5://",
	                                  e->who);
}

static int read_cluster(const struct entry *e, struct credentials *c, struct err *err)
{
	static const char skip[] = "insecure-skip-tls-verify";
	const char *name;

	if (read_server(e, c, err) < 0 || read_proxy(e, c, err) < 0 ||
	    entry_text(e, "tls-server-name", &name, err) < 0 ||
	    entry_material(e, "certificate-authority", &c->ca, err) < 0 ||
	    entry_bool(e, skip, &c->insecure, err) < 0)
		return -1;
	c->tls_server_name = arena_strdup(e->memory, name);
	if (c->insecure && c->ca.text.len > 0)
		return err_set(err, ERR_INVALID, "%s has both a certificate authority and %s; remove one of them",
		               e->who, skip);
	return 0;
}

static int choose_context(const struct kubefiles *f, const char *name, struct entry *ret, struct err *err)
{
	if (!name && kubefiles_current(f, &name, err) < 0)
		return -1;
	if (!name || !*name)
		return err_set(err, ERR_INVALID, "no current-context in %s; choose one with --context (there: %s)", f->names,
		               kubefiles_names(f, KUBEFILES_CONTEXT));
	return kubefiles_find(f, KUBEFILES_CONTEXT, name, ret, err);
}

static int read_context(const struct kubefiles *f, const char *name, struct credentials *c, struct err *err)
{
	const char *cluster_name, *user_name, *namespace;
	struct entry context, cluster, user;

	if (choose_context(f, name, &context, err) < 0 || entry_text(&context, "cluster", &cluster_name, err) < 0 ||
	    entry_text(&context, "user", &user_name, err) < 0 || entry_text(&context, "namespace", &namespace, err) < 0)
		return -1;
	if (!cluster_name || !user_name)
		return err_set(err, ERR_INVALID, "%s names no %s", context.who, cluster_name ? "user" : "cluster");
	if (kubefiles_find(f, KUBEFILES_CLUSTER, cluster_name, &cluster, err) < 0 ||
	    kubefiles_find(f, KUBEFILES_USER, user_name, &user, err) < 0)
		return err_wrap(err, "%s", context.who);
	c->namespace = arena_strdup(f->memory, namespace);
	return read_cluster(&cluster, c, err) < 0 || kubeuser_read(&user, &cluster, c, err) < 0 ? -1 : 0;
}

int kubeconfig_load(const char *path, const char *context, struct credentials *ret, struct err *err)
{
	cleanup_kubefiles struct kubefiles files = { 0 };
	struct credentials c = { 0 };

	if (kubefiles_read(&files, path, &c.memory, err) < 0 || read_context(&files, context, &c, err) < 0) {
		credentials_release(&c);
		return -1;
	}
	*ret = c;
	return 0;
}
