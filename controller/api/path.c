#include "controller/api/path.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *word, *lower, *group, *api_version, *plural, *resource;
} kinds[OBJECT_KINDS] = {
	[OBJECT_APP] = { "App", "app", "apis/rolecall.dev/v1alpha1", KIND_API_VERSION, "apps", "apps.rolecall.dev" },
	[OBJECT_CLUSTER] = { "Cluster", "cluster", "apis/rolecall.dev/v1alpha1", KIND_API_VERSION, "clusters",
	                     "clusters.rolecall.dev" },
	[OBJECT_STATEFULSET] = { "StatefulSet", "statefulset", "apis/apps/v1", "apps/v1", "statefulsets",
	                         "statefulsets.apps" },
	[OBJECT_SERVICE] = { "Service", "service", "api/v1", "v1", "services", "services" },
	[OBJECT_POD] = { "Pod", "pod", "api/v1", "v1", "pods", "pods" },
	[OBJECT_SETBACK] = { "Event", "event", "api/v1", "v1", "events", "events" },
};

const char *kind_word(enum object_kind kind)
{
	return kinds[kind].word;
}

const char *kind_lower(enum object_kind kind)
{
	return kinds[kind].lower;
}

const char *kind_resource(enum object_kind kind)
{
	return kinds[kind].resource;
}

const char *kind_api_version(enum object_kind kind)
{
	return kinds[kind].api_version;
}

bool kind_is_ours(enum object_kind kind)
{
	return kind == OBJECT_APP || kind == OBJECT_CLUSTER;
}

/* RFC 3986, 2.3: everything but the unreserved characters is encoded. */
static void add_escaped(struct strbuf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x80 && (isalnum(c) || strchr("-._~", c)))
			strbuf_addc(out, *p);
		else
			strbuf_addf(out, "%%%02X", c);
	}
}

static void add_collection(struct strbuf *out, const char *group, const char *namespace, const char *plural)
{
	strbuf_addf(out, "/%s", group);
	if (namespace) {
		strbuf_adds(out, "/namespaces/");
		add_escaped(out, namespace);
	}
	strbuf_addf(out, "/%s", plural);
}

void path_object(struct strbuf *out, enum object_kind kind, const char *namespace, const char *name,
                 const char *subresource)
{
	add_collection(out, kinds[kind].group, namespace, kinds[kind].plural);
	strbuf_addc(out, '/');
	add_escaped(out, name);
	if (subresource)
		strbuf_addf(out, "/%s", subresource);
}

void path_apply(struct strbuf *out, enum object_kind kind, const char *namespace, const char *name)
{
	path_object(out, kind, namespace, name, NULL);
	strbuf_adds(out, "?fieldManager=" PATH_FIELD_MANAGER "&force=true");
}

/*
 * Of the children only those of Clusters are looked at: in a busy namespace most pods are somebody else's. Events have no
 * labels; those that say why a StatefulSet's pod could not be made are few.
 */
static void add_selector(struct strbuf *out, enum object_kind kind)
{
	if (kind_is_ours(kind))
		return;
	if (kind == OBJECT_SETBACK) {
		strbuf_adds(out, "&fieldSelector=");
		add_escaped(out, "involvedObject.kind=StatefulSet,reason=FailedCreate");
		return;
	}
	strbuf_adds(out, "&labelSelector=");
	add_escaped(out, LABEL_CLUSTER);
}

void path_list(struct strbuf *out, enum object_kind kind, const char *namespace, const char *token)
{
	add_collection(out, kinds[kind].group, namespace, kinds[kind].plural);
	strbuf_addf(out, "?limit=%d", PATH_LIST_LIMIT);
	add_selector(out, kind);
	if (!token)
		return;
	strbuf_adds(out, "&continue=");
	add_escaped(out, token);
}

void path_watch(struct strbuf *out, enum object_kind kind, const char *namespace, const char *version, int timeout_s)
{
	add_collection(out, kinds[kind].group, namespace, kinds[kind].plural);
	strbuf_adds(out, "?watch=1&allowWatchBookmarks=true&resourceVersion=");
	add_escaped(out, version);
	strbuf_addf(out, "&timeoutSeconds=%d", timeout_s);
	add_selector(out, kind);
}

void path_events(struct strbuf *out, const char *namespace)
{
	add_collection(out, "apis/events.k8s.io/v1", namespace, "events");
}
