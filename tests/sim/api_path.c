#include "sim.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENTS_MAX 8

static int hex_digit(char c)
{
	if (!isxdigit((unsigned char)c))
		return -1;
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

const char *api_unescape(struct sim *sim, const char *text, size_t len)
{
	char *copy = arena_strndup(sim->scratch, text, len), *out = copy;

	for (const char *in = copy; *in; in++) {
		if (in[0] == '%' && hex_digit(in[1]) >= 0 && hex_digit(in[2]) >= 0) {
			*out++ = (char)(hex_digit(in[1]) * 16 + hex_digit(in[2]));
			in += 2;
		} else {
			*out++ = *in == '+' ? ' ' : *in;
		}
	}
	*out = '\0';
	return copy;
}

/* A continue token is "VERSION.NAMESPACE/NAME": the list's version and the last object given. "": from the beginning. */
static bool read_continue(struct api_target *t, const char *value)
{
	char *dot;

	if (!*value)
		return true;
	t->version = strtoll(value, &dot, 10);
	t->after = dot + (*dot == '.');
	return *dot == '.' && strchr(dot, '/');
}

/* A resourceVersion that stands with a continue token is that of the token, or no version at all. */
static bool read_version(struct api_target *t, const char *value)
{
	if (!t->after)
		t->version = strtoll(value, NULL, 10);
	return !value[strspn(value, "0123456789")];
}

static bool read_option(struct sim *sim, struct api_target *t, const char *key, const char *value)
{
	static const char *const ignored[] = {
		"force", "pretty", "includeObject", "timeout", "gracePeriodSeconds",
		"propagationPolicy", "orphanDependents",
	};
	bool known = true;

	if (strcmp(key, "limit") == 0)
		t->limit = strtoll(value, NULL, 10);
	else if (strcmp(key, "resourceVersion") == 0)
		known = read_version(t, value);
	else if (strcmp(key, "timeoutSeconds") == 0)
		t->timeout_s = strtoll(value, NULL, 10);
	else if (strcmp(key, "allowWatchBookmarks") == 0)
		t->bookmarks = strcmp(value, "true") == 0;
	else if (strcmp(key, "watch") == 0)
		t->watch = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
	else if (strcmp(key, "sendInitialEvents") == 0)
		t->initial = strcmp(value, "true") == 0;
	else if (strcmp(key, "resourceVersionMatch") == 0)
		t->match = value;
	else if (strcmp(key, "continue") == 0)
		known = read_continue(t, value);
	else if (strcmp(key, "labelSelector") == 0)
		known = selector_parse(sim->scratch, value, &t->labels);
	else if (strcmp(key, "fieldSelector") == 0)
		known = selector_parse(sim->scratch, value, &t->fields);
	else if (strcmp(key, "fieldManager") == 0)
		t->manager = value;
	else if (strcmp(key, "fieldValidation") == 0)
		t->validation = value;
	else if (strcmp(key, "dryRun") == 0)
		known = t->dry_run = strcmp(value, "All") == 0;
	else
		known = false;
	for (size_t i = 0; !known && i < sizeof(ignored) / sizeof(ignored[0]); i++)
		known = strcmp(key, ignored[i]) == 0;
	return known;
}

static bool read_query(struct sim *sim, struct api_target *t, struct reply *ret_reply)
{
	for (const char *query = t->query; *query;) {
		size_t len = strcspn(query, "&"), key_len = strcspn(query, "=&");
		const char *key = api_unescape(sim, query, key_len);
		const char *value = key_len < len ? api_unescape(sim, query + key_len + 1, len - key_len - 1) : "";

		if (!read_option(sim, t, key, value)) {
			*ret_reply = api_fail(sim, 400, "BadRequest", "the simulation does not know %s=%s", key, value);
			return false;
		}
		query += len + (query[len] == '&');
	}
	return true;
}

static size_t split(struct sim *sim, const char *path, const char *segments[SEGMENTS_MAX + 1])
{
	size_t n = 0;

	while (*path == '/' && path[1] && path[1] != '?' && n < SEGMENTS_MAX) {
		size_t len = strcspn(++path, "/?");

		segments[n++] = api_unescape(sim, path, len);
		path += len;
	}
	return n;
}

static bool find_kind(const char *api_version, const char *plural, enum kind *ret_kind)
{
	for (int kind = 0; kind < KINDS; kind++) {
		if (strcmp(kind_infos[kind].api_version, api_version) == 0 &&
		    strcmp(kind_infos[kind].plural, plural) == 0) {
			*ret_kind = (enum kind)kind;
			return true;
		}
	}
	return false;
}

/* [namespaces/NAMESPACE/]PLURAL[/NAME[/SUBRESOURCE]] in S, which has NULLs behind its last segment. */
static bool read_resource(const char *api_version, const char *const *s, struct api_target *t)
{
	if (s[0] && s[1] && s[2] && strcmp(s[0], "namespaces") == 0 && strcmp(s[2], "status") != 0) {
		t->namespace = s[1];
		s += 2;
	}
	if (!s[0] || !find_kind(api_version, s[0], &t->kind))
		return false;
	t->name = s[1];
	t->subresource = t->name ? s[2] : NULL;
	return kind_infos[t->kind].is_namespaced ? t->namespace || !t->name : !t->namespace;
}

bool api_parse(struct sim *sim, const char *path, struct api_target *ret_target, struct reply *ret_reply)
{
	const char *segments[SEGMENTS_MAX + 4] = {0}, *query = strchr(path, '?'), *version = "";
	size_t n = split(sim, path, segments), group = 0;

	*ret_target = (struct api_target){.query = query ? query + 1 : "", .manager = "", .validation = "", .match = ""};
	if (n > 2 && strcmp(segments[0], "api") == 0)
		group = 1;
	else if (n > 3 && strcmp(segments[0], "apis") == 0)
		group = 2;
	if (group)
		version = group == 1 ? segments[1] : arena_printf(sim->scratch, "%s/%s", segments[1], segments[2]);
	if (group && read_resource(version, segments + 1 + group, ret_target))
		return (ret_target->subresource && strcmp(ret_target->subresource, "status") != 0) ||
		       read_query(sim, ret_target, ret_reply);
	*ret_reply = api_fail(sim, 404, "NotFound", "the server could not find the requested resource");
	return false;
}
