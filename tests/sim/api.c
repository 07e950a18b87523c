#include "sim.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reply api_ok(int http, const struct object *o)
{
	return (struct reply){.http = http, .body = o->text, .len = o->len};
}

struct reply api_fail(struct sim *sim, int http, const char *reason, const char *fmt, ...)
{
	cleanup_strbuf struct strbuf b = {0};
	char message[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	strbuf_adds(&b, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",");
	strbuf_adds(&b, "\"message\":");
	strbuf_add_json(&b, message);
	strbuf_addf(&b, ",\"reason\":\"%s\",\"code\":%d}", reason, http);
	return (struct reply){.http = http, .body = arena_strndup(&sim->arena, b.data, b.len), .len = b.len};
}

bool api_selected(const struct api_target *t, const char *cluster_label)
{
	return !t->labelled || (cluster_label && (!*t->cluster || strcmp(cluster_label, t->cluster) == 0));
}

struct reply api_other_uid(struct sim *sim, const struct object *o, const char *uid)
{
	return api_fail(sim, 409, "Conflict", "Precondition failed: UID in precondition: %s, UID in object meta: %s",
	                uid, o->uid);
}

bool api_is_stale(struct sim *sim, const struct object *o, const cJSON *body, struct reply *ret_reply)
{
	const cJSON *meta = json_get(body, "metadata");
	const char *version = json_str(meta, "resourceVersion"), *uid = json_str(meta, "uid");

	if (version && *version && strtoll(version, NULL, 10) != o->version) {
		*ret_reply = api_fail(sim, 409, "Conflict",
		                      "Operation cannot be fulfilled on %s \"%s\": the object has been modified",
		                      kind_infos[o->kind].plural, o->name);
		return true;
	}
	if (uid && *uid && strcmp(uid, o->uid) != 0) {
		*ret_reply = api_other_uid(sim, o, uid);
		return true;
	}
	return false;
}

static int hex_digit(char c)
{
	if (!isxdigit((unsigned char)c))
		return -1;
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static const char *unescaped(struct sim *sim, const char *text, size_t len)
{
	char *copy = arena_strndup(&sim->arena, text, len), *out = copy;

	for (const char *in = copy; *in; in++) {
		if (in[0] == '%' && hex_digit(in[1]) >= 0 && hex_digit(in[2]) >= 0) {
			*out++ = (char)(hex_digit(in[1]) * 16 + hex_digit(in[2]));
			in += 2;
		} else {
			*out++ = *in;
		}
	}
	*out = '\0';
	return copy;
}

/* A continue token is "VERSION.NAME": the list's version and the last name given. */
static void read_continue(struct api_target *t, const char *value)
{
	char *dot;

	t->version = strtoll(value, &dot, 10);
	t->after = *dot == '.' ? dot + 1 : dot;
}

static bool read_selector(struct api_target *t, const char *value)
{
	static const char key[] = "rolecall.dev/cluster";
	size_t n = sizeof(key) - 1;

	t->labelled = true;
	t->cluster = "";
	if (strncmp(value, key, n) != 0)
		return false;
	if (value[n] == '=')
		t->cluster = value + n + (value[n + 1] == '=' ? 2 : 1);
	return value[n] == '=' || value[n] == '\0';
}

static bool read_option(struct api_target *t, const char *key, const char *value)
{
	bool known = true;

	if (strcmp(key, "limit") == 0)
		t->limit = strtoll(value, NULL, 10);
	else if (strcmp(key, "resourceVersion") == 0)
		t->version = strtoll(value, NULL, 10);
	else if (strcmp(key, "timeoutSeconds") == 0)
		t->timeout_s = strtoll(value, NULL, 10);
	else if (strcmp(key, "allowWatchBookmarks") == 0)
		t->bookmarks = strcmp(value, "true") == 0;
	else if (strcmp(key, "continue") == 0)
		read_continue(t, value);
	else if (strcmp(key, "labelSelector") == 0)
		known = read_selector(t, value);
	else if (strcmp(key, "fieldSelector") == 0)
		known = strcmp(value, "involvedObject.kind=StatefulSet,reason=FailedCreate") == 0;
	else
		known = strcmp(key, "watch") == 0 || strcmp(key, "fieldManager") == 0 || strcmp(key, "force") == 0 ||
		        strcmp(key, "resourceVersionMatch") == 0 || strcmp(key, "fieldValidation") == 0;
	return known;
}

static bool read_query(struct sim *sim, const char *query, struct api_target *t, struct reply *ret_reply)
{
	while (*query) {
		size_t len = strcspn(query, "&"), key_len = strcspn(query, "=&");
		const char *key = unescaped(sim, query, key_len);
		const char *value = key_len < len ? unescaped(sim, query + key_len + 1, len - key_len - 1) : "";

		if (!read_option(t, key, value)) {
			*ret_reply = api_fail(sim, 400, "BadRequest", "the simulation does not know %s=%s", key, value);
			return false;
		}
		query += len + (query[len] == '&');
	}
	return true;
}

/* "plural[/name[/status]]" after the group and, where there is one, the namespace. */
static bool read_resource(struct sim *sim, const char *group, const char *rest, struct api_target *t)
{
	size_t len = strcspn(rest, "/");

	for (int kind = 0; kind < KINDS; kind++) {
		const struct kind_info *info = &kind_infos[kind];
		const char *name = rest[len] ? rest + len + 1 : NULL;

		if (strcmp(info->api_version, group) != 0 || strlen(info->plural) != len ||
		    strncmp(info->plural, rest, len) != 0)
			continue;
		t->kind = (enum kind)kind;
		t->status = name && strcmp(name + strcspn(name, "/"), "/status") == 0;
		t->name = name ? arena_strndup(&sim->arena, name, strcspn(name, "/")) : NULL;
		return !name || t->status || !strchr(name, '/');
	}
	return false;
}

bool api_parse(struct sim *sim, const char *path, struct api_target *ret_target, struct reply *ret_reply)
{
	static const char in_namespace[] = "/namespaces/" SIM_NAMESPACE "/";
	const char *query = strchr(path, '?');
	const char *plain = unescaped(sim, path, query ? (size_t)(query - path) : strlen(path));
	bool is_api = strncmp(plain, "/api", 4) == 0 && strlen(plain) > strlen("/apis/");
	const char *group = !is_api ? "" : strncmp(plain, "/apis/", 6) == 0 ? plain + 6 : plain + strlen("/api/");
	const char *within = strstr(group, in_namespace);
	const char *end = within ? within : strrchr(group, '/');

	*ret_target = (struct api_target){0};
	if (is_api && end && read_resource(sim, arena_strndup(&sim->arena, group, (size_t)(end - group)),
	                         within ? within + sizeof(in_namespace) - 1 : end + 1, ret_target))
		return read_query(sim, query ? query + 1 : "", ret_target, ret_reply);
	*ret_reply = api_fail(sim, 404, "NotFound", "the server could not find the requested resource: %s", path);
	return false;
}

/* Items of built-in kinds come without kind and apiVersion, as from a real server. */
static void add_item(struct strbuf *b, const struct object *o)
{
	size_t skip = 0;

	if (!kind_infos[o->kind].custom)
		skip = (size_t)(strstr(o->text, "\"metadata\"") - o->text) - 1;
	strbuf_addc(b, '{');
	strbuf_add(b, o->text + skip + 1, o->len - skip - 1);
}

static struct reply list(struct sim *sim, const struct api_target *t)
{
	cleanup_strbuf struct strbuf items = {0}, b = {0};
	const struct etcd *s = &sim->etcd;
	const char *last = NULL;
	int64_t count = 0, version = t->after ? t->version : s->last;
	size_t i;

	if (t->after && t->version <= s->compacted)
		return api_fail(sim, 410, "Expired", "The provided continue parameter is too old");
	for (i = 0; i < s->count[t->kind] && !(t->limit && count == t->limit); i++) {
		const struct object *o = s->objects[t->kind][i];

		if ((t->after && strcmp(o->name, t->after) <= 0) ||
		    !api_selected(t, tree_label(o->tree, "rolecall.dev/cluster")))
			continue;
		if (count++)
			strbuf_addc(&items, ',');
		add_item(&items, o);
		last = o->name;
	}
	strbuf_addf(&b, "{\"kind\":\"%sList\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%lld\"",
	            kind_infos[t->kind].kind, kind_infos[t->kind].api_version, (long long)version);
	if (i < s->count[t->kind] && last)
		strbuf_addf(&b, ",\"continue\":\"%lld.%s\"", (long long)version, last);
	strbuf_addf(&b, "},\"items\":[%s]}", strbuf_str(&items));
	return (struct reply){.http = 200, .body = arena_strndup(&sim->arena, b.data, b.len), .len = b.len};
}

static struct reply change(struct sim *sim, enum verb verb, const struct api_target *t, const cJSON *body)
{
	struct object *o = t->name ? etcd_find(&sim->etcd, t->kind, t->name) : NULL;

	if (verb == VERB_APPLY && t->name && !t->status)
		return api_apply(sim, t, body);
	if (verb == VERB_CREATE && !t->name)
		return api_create(sim, t, body);
	if (!t->name)
		return api_fail(sim, 405, "MethodNotAllowed", "%s of a collection", verb_name(verb));
	if (!o)
		return api_fail(sim, 404, "NotFound", "%s \"%s\" not found", kind_infos[t->kind].plural, t->name);
	if (verb == VERB_GET)
		return api_ok(200, o);
	if (verb == VERB_UPDATE && t->status)
		return api_update_status(sim, o, body);
	if (verb == VERB_PATCH && !t->status)
		return api_patch(sim, o, body);
	if (verb == VERB_DELETE && !t->status)
		return api_delete(sim, o, body);
	return api_fail(sim, 405, "MethodNotAllowed", "the simulation does not take %s of this", verb_name(verb));
}

struct reply api_handle(struct sim *sim, enum verb verb, const char *path, const char *body)
{
	struct api_target t;
	struct reply reply;
	cleanup_json cJSON *tree = NULL;
	struct err err = {0};

	if (!api_parse(sim, path, &t, &reply))
		return reply;
	if (verb == VERB_LIST)
		return list(sim, &t);
	if (body && !(tree = json_parse(body, strlen(body), &err)))
		return api_fail(sim, 400, "BadRequest", "%s", err.msg);
	if (!tree && verb != VERB_GET && verb != VERB_DELETE)
		return api_fail(sim, 400, "BadRequest", "a body is needed");
	return change(sim, verb, &t, tree);
}
