#include "world.h"

/* https://kubernetes.io/docs/reference/using-api/api-concepts/: verbs, and the types of patches. */
static const struct {
	const char *name, *method, *content_type;
} verbs[VERBS] = {
	[VERB_GET] = { "get", "GET", NULL },
	[VERB_LIST] = { "list", "GET", NULL },
	[VERB_WATCH] = { "watch", "GET", NULL },
	[VERB_CREATE] = { "create", "POST", "application/json" },
	[VERB_UPDATE] = { "update", "PUT", "application/json" },
	[VERB_APPLY] = { "apply", "PATCH", "application/apply-patch+yaml" },
	[VERB_PATCH] = { "patch", "PATCH", "application/merge-patch+json" },
	[VERB_DELETE] = { "delete", "DELETE", "application/json" },
};

const char *verb_method(enum verb v)
{
	return verbs[v].method;
}

const char *verb_content_type(enum verb v)
{
	return verbs[v].content_type;
}

const char *verb_name(enum verb v)
{
	return verbs[v].name;
}
