#include "resource.h"

#include <stdio.h>
#include <string.h>

#define ALL_VERBS "create delete get list patch update watch"

const struct resource resources[RESOURCES_MAX] = {
	{KIND_NAMESPACE, "namespace", "ns", "", ALL_VERBS, "status"},
	{KIND_POD, "pod", "po", "all", "delete get list patch update watch", "exec log status"},
	{KIND_SERVICE, "service", "svc", "all", ALL_VERBS, "status"},
	{KIND_SETBACK, "event", "ev", "", ALL_VERBS, ""},
	{KIND_SET, "statefulset", "sts", "all", ALL_VERBS, "status"},
	{KIND_EVENT, "event", "ev", "", ALL_VERBS, ""},
	{KIND_APP, NULL, NULL, NULL, ALL_VERBS, "status"},
	{KIND_CLUSTER, NULL, NULL, NULL, ALL_VERBS, "status"},
};

static const char *const groups[] = {"apps/v1", "events.k8s.io/v1", "rolecall.dev/v1alpha1"};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

/* "a b" as "a","b". */
static void add_words(struct strbuf *b, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " ");

		strbuf_addf(b, "\"%.*s\"%s", (int)len, words, words[len] ? "," : "");
		words += len + (words[len] == ' ');
	}
}

static void add_list(struct strbuf *b, const char *key, const cJSON *names, const char *words)
{
	cleanup_strbuf struct strbuf list = {0};
	const cJSON *name;

	cJSON_ArrayForEach(name, names)
		strbuf_addf(&list, "%s\"%s\"", list.len ? "," : "", name->valuestring);
	add_words(&list, names || !words ? "" : words);
	if (list.len)
		strbuf_addf(b, ",\"%s\":[%s]", key, list.data);
}

static void add_head(struct strbuf *b, const struct kind_info *info, const char *subresource, const char *singular)
{
	strbuf_addf(b, "{\"name\":\"%s%s%s\",\"singularName\":\"%s\",\"namespaced\":%s,\"kind\":\"%s\",\"verbs\":[",
	            info->plural, *subresource ? "/" : "", subresource, singular, info->is_namespaced ? "true" : "false",
	            info->kind);
}

static void add_subresources(struct strbuf *b, const struct resource *r)
{
	const char *word = r->subresources;

	while (*word) {
		size_t len = strcspn(word, " ");
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)len, word);
		strbuf_addc(b, ',');
		add_head(b, &kind_infos[r->kind], name, "");
		add_words(b, strcmp(name, "exec") == 0 ? "create get" : strcmp(name, "log") == 0 ? "get" : "get patch update");
		strbuf_adds(b, "]}");
		word += len + (word[len] == ' ');
	}
}

static void add_resource(struct kubesim *k, struct strbuf *b, const struct resource *r)
{
	const cJSON *names = k->crds[r->kind].names;

	add_head(b, &kind_infos[r->kind], "", r->singular ? r->singular : json_str(names, "singular"));
	add_words(b, r->verbs);
	strbuf_addc(b, ']');
	add_list(b, "shortNames", json_get(names, "shortNames"), r->short_names);
	add_list(b, "categories", json_get(names, "categories"), r->categories);
	strbuf_addc(b, '}');
	add_subresources(b, r);
}

static void add_resources(struct kubesim *k, struct strbuf *b, const char *group_version)
{
	const char *comma = "";

	strbuf_addf(b, "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"%s\",\"resources\":[", group_version);
	for (size_t i = 0; i < RESOURCES_MAX; i++) {
		if (strcmp(kind_infos[resources[i].kind].api_version, group_version) != 0)
			continue;
		strbuf_adds(b, comma);
		add_resource(k, b, &resources[i]);
		comma = ",";
	}
	strbuf_adds(b, "]}");
}

static void add_group(struct strbuf *b, const char *head, const char *group_version)
{
	size_t len = strcspn(group_version, "/");

	strbuf_addf(b, "{%s\"name\":\"%.*s\",\"versions\":[{\"groupVersion\":\"%s\",\"version\":\"%s\"}],\"preferredVersion\":"
	            "{\"groupVersion\":\"%s\",\"version\":\"%s\"}}", head, (int)len, group_version, group_version,
	            group_version + len + 1, group_version, group_version + len + 1);
}

static void add_group_list(struct strbuf *b)
{
	strbuf_adds(b, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
	for (size_t i = 0; i < GROUPS; i++) {
		strbuf_adds(b, i ? "," : "");
		add_group(b, "", groups[i]);
	}
	strbuf_adds(b, "]}");
}

/* PATH is what comes after "/apis/". */
static void add_below_apis(struct kubesim *k, struct strbuf *b, const char *path)
{
	for (size_t i = 0; i < GROUPS; i++) {
		if (strcmp(path, groups[i]) == 0)
			add_resources(k, b, path);
		else if (strlen(path) == strcspn(groups[i], "/") && strncmp(path, groups[i], strlen(path)) == 0)
			add_group(b, "\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",", groups[i]);
	}
}

const char *discovery_answer(struct kubesim *k, const char *path)
{
	cleanup_strbuf struct strbuf b = {0};
	const char *plain = arena_strndup(&k->scratch, path, strcspn(path, "?"));

	if (strcmp(plain, "/api") == 0)
		strbuf_adds(&b, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[]}");
	else if (strcmp(plain, "/apis") == 0)
		add_group_list(&b);
	else if (strcmp(plain, "/api/v1") == 0)
		add_resources(k, &b, "v1");
	else if (strncmp(plain, "/apis/", 6) == 0)
		add_below_apis(k, &b, plain + 6);
	else if (strcmp(plain, "/version") == 0)
		strbuf_adds(&b, "{\"major\":\"1\",\"minor\":\"36\",\"gitVersion\":\"v1.36.0+kubesim\",\"platform\":\"kubesim\"}");
	return b.len ? arena_strdup(&k->scratch, b.data) : NULL;
}

static bool has_word(const char *words, const char *word)
{
	const char *at = strstr(words, word);
	size_t len = strlen(word);

	return at && (at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]);
}

static const char *verb_of(const struct api_target *t, const char *method)
{
	static const struct {
		const char *method, *verb;
	} verbs[] = {{"POST", "create"}, {"PUT", "update"}, {"PATCH", "patch"}, {"DELETE", "delete"}};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].method, method) == 0)
			return verbs[i].verb;
	}
	return t->name ? "get" : t->watch ? "watch" : "list";
}

bool resource_takes(const struct api_target *t, const char *method)
{
	const char *verb = verb_of(t, method);
	bool has_name = t->name;

	if (strcmp(verb, "create") == 0 && !t->subresource)
		has_name = !has_name;
	for (size_t i = 0; i < RESOURCES_MAX; i++) {
		if (resources[i].kind != t->kind)
			continue;
		if (t->subresource)
			return has_word(resources[i].subresources, t->subresource);
		return has_word(resources[i].verbs, verb) && (has_name || strcmp(method, "GET") == 0);
	}
	return false;
}
