#include "openapi.h"

#include "resource.h"

#include <string.h>

#define ROOT "/openapi/v3"

static const struct {
	const char *path, *api_version;
} documents[] = {
	{"api/v1", "v1"},
	{"apis/apps/v1", "apps/v1"},
	{"apis/events.k8s.io/v1", "events.k8s.io/v1"},
	{"apis/rolecall.dev/v1alpha1", "rolecall.dev/v1alpha1"},
};
#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

static void add_index(struct strbuf *b)
{
	strbuf_adds(b, "{\"paths\":{");
	for (size_t i = 0; i < DOCUMENTS; i++)
		strbuf_addf(b, "%s\"%s\":{\"serverRelativeURL\":\"" ROOT "/%s\"}", i ? "," : "", documents[i].path,
		            documents[i].path);
	strbuf_adds(b, "}}");
}

static void add_kind(struct kubesim *k, struct strbuf *b, enum kind kind)
{
	const char *version = strrchr(kind_infos[kind].api_version, '/');

	strbuf_addf(b, "{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"}", api_group(&k->sim, kind),
	            version ? version + 1 : kind_infos[kind].api_version, kind_infos[kind].kind);
}

static void add_path(struct kubesim *k, struct strbuf *b, const char *root, enum kind kind)
{
	static const char *const parameters[] = {"dryRun", "fieldManager", "fieldValidation", "force"};

	strbuf_addf(b, "\"/%s%s/%s/{name}\":{\"patch\":{\"x-kubernetes-action\":\"patch\",\"x-kubernetes-group-version-kind\":",
	            root, kind_infos[kind].is_namespaced ? "/namespaces/{namespace}" : "", kind_infos[kind].plural);
	add_kind(k, b, kind);
	strbuf_adds(b, ",\"parameters\":[");
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		strbuf_addf(b, "%s{\"name\":\"%s\",\"in\":\"query\",\"schema\":{\"type\":\"string\"}}", i ? "," : "", parameters[i]);
	strbuf_adds(b, "],\"responses\":{\"200\":{\"description\":\"OK\"}}}}");
}

static void add_schema(struct kubesim *k, struct strbuf *b, enum kind kind)
{
	cleanup_json cJSON *schema = tree_copy(k->crds[kind].schema);
	cleanup_strbuf struct strbuf gvk = {0};

	add_kind(k, &gvk, kind);
	tree_put(schema, "x-kubernetes-group-version-kind", tree_parsef("[%s]", gvk.data));
	strbuf_addf(b, "\"dev.rolecall.v1alpha1.%s\":", kind_infos[kind].kind);
	json_print(schema, b);
}

static void add_document(struct kubesim *k, struct strbuf *b, const char *root, const char *api_version)
{
	const char *comma = "";

	strbuf_adds(b, "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"kubesim\",\"version\":\"1\"},\"paths\":{");
	for (int kind = 0; kind < KINDS; kind++) {
		if (strcmp(kind_infos[kind].api_version, api_version) != 0)
			continue;
		strbuf_adds(b, comma);
		add_path(k, b, root, (enum kind)kind);
		comma = ",";
	}
	strbuf_adds(b, "},\"components\":{\"schemas\":{");
	comma = "";
	for (int kind = 0; kind < KINDS; kind++) {
		if (!k->crds[kind].schema || strcmp(kind_infos[kind].api_version, api_version) != 0)
			continue;
		strbuf_adds(b, comma);
		add_schema(k, b, (enum kind)kind);
		comma = ",";
	}
	strbuf_adds(b, "}}}");
}

const char *openapi_answer(struct kubesim *k, const char *path)
{
	cleanup_strbuf struct strbuf b = {0};
	const char *plain = arena_strndup(&k->scratch, path, strcspn(path, "?"));

	if (strncmp(plain, ROOT, sizeof(ROOT) - 1) != 0)
		return NULL;
	plain += sizeof(ROOT) - 1;
	if (!*plain)
		add_index(&b);
	for (size_t i = 0; *plain == '/' && i < DOCUMENTS; i++) {
		if (strcmp(plain + 1, documents[i].path) == 0)
			add_document(k, &b, documents[i].path, documents[i].api_version);
	}
	return b.len ? arena_strdup(&k->scratch, b.data) : NULL;
}
