#include "incluster.h"

#include "file.h"

#include <stdlib.h>
#include <string.h>

bool incluster_is_here(void)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");

	return host && *host;
}

static const char *server(struct arena *memory)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");

	if (!host || !*host)
		return NULL;
	if (!port || !*port)
		port = "443";
	return arena_printf(memory, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host, port);
}

/* The file is there in every pod, but nothing here depends on it. */
static const char *namespace_of(const char *file, struct arena *memory)
{
	cleanup_strbuf struct strbuf text = { 0 };

	if (file_read(file, &text, NULL) < 0)
		return NULL;
	return arena_strndup(memory, strbuf_str(&text), strcspn(strbuf_str(&text), " \r\n"));
}

int incluster_load(const char *dir, struct credentials *ret, struct err *err)
{
	struct credentials c = { .who = "the pod's service account" };

	c.server = server(&c.memory);
	const char *token = arena_printf(&c.memory, "%s/token", dir);
	const char *ca = arena_printf(&c.memory, "%s/ca.crt", dir);
	c.namespace = namespace_of(arena_printf(&c.memory, "%s/namespace", dir), &c.memory);
	if (c.server && token_load(&c.token, token, "service account token", err) == 0 &&
	    material_load(&c.ca, ca, arena_printf(&c.memory, "CA in %s", ca), err) == 0) {
		*ret = c;
		return 0;
	}
	if (!c.server)
		err_set(err, ERR_INVALID, "not in a pod: KUBERNETES_SERVICE_HOST is not set");
	credentials_release(&c);
	return -1;
}
