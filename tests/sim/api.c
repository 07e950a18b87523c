#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reply api_ok(int http, const struct object *o)
{
	return (struct reply){.http = http, .body = o->text->data, .len = o->text->len};
}

struct reply api_text(struct sim *sim, int http, const struct strbuf *text)
{
	return (struct reply){.http = http, .body = arena_strndup(sim->scratch, text->data, text->len), .len = text->len};
}

static void begin_failure(struct strbuf *b, const char *message)
{
	strbuf_adds(b, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":");
	strbuf_add_json(b, message);
}

struct reply api_fail(struct sim *sim, int http, const char *reason, const char *fmt, ...)
{
	cleanup_strbuf struct strbuf b = {0};
	char message[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	begin_failure(&b, message);
	strbuf_addf(&b, ",\"reason\":\"%s\",\"code\":%d}", reason, http);
	return api_text(sim, http, &b);
}

const char *api_group(struct sim *sim, enum kind kind)
{
	const char *version = kind_infos[kind].api_version, *slash = strchr(version, '/');

	return slash ? arena_strndup(sim->scratch, version, (size_t)(slash - version)) : "";
}

static const char *in_group(struct sim *sim, enum kind kind, const char *name)
{
	const char *group = api_group(sim, kind);

	return *group ? arena_printf(sim->scratch, "%s.%s", name, group) : name;
}

const char *api_resource_name(struct sim *sim, enum kind kind)
{
	return in_group(sim, kind, kind_infos[kind].plural);
}

const char *api_kind_name(struct sim *sim, enum kind kind)
{
	return in_group(sim, kind, kind_infos[kind].kind);
}

static void add_details(struct sim *sim, struct strbuf *b, enum kind kind, const char *name, const char *what)
{
	if (*name)
		strbuf_addf(b, "\"name\":\"%s\",", name);
	if (*api_group(sim, kind))
		strbuf_addf(b, "\"group\":\"%s\",", api_group(sim, kind));
	strbuf_addf(b, "\"kind\":\"%s\"", what);
}

/* WHAT: the plural or the kind; the API server names the one or the other. */
static struct reply fail_about(struct sim *sim, int http, const char *reason, enum kind kind, const char *name,
                               const char *what, const char *message)
{
	cleanup_strbuf struct strbuf b = {0};

	begin_failure(&b, message);
	strbuf_addf(&b, ",\"reason\":\"%s\",\"details\":{", reason);
	add_details(sim, &b, kind, name, what);
	strbuf_addf(&b, "},\"code\":%d}", http);
	return api_text(sim, http, &b);
}

struct reply api_fail_on(struct sim *sim, int http, const char *reason, enum kind kind, const char *name,
                         const char *fmt, ...)
{
	char message[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	return fail_about(sim, http, reason, kind, name, kind_infos[kind].plural,
	                  arena_printf(sim->scratch, "%s \"%s\" %s", api_resource_name(sim, kind), name, message));
}

struct reply api_invalid(struct sim *sim, enum kind kind, const char *name, const struct refusal *why)
{
	cleanup_strbuf struct strbuf b = {0}, text = {0};

	refusal_print(why, &text);
	begin_failure(&b, arena_printf(sim->scratch, "%s \"%s\" is invalid: %s", api_kind_name(sim, kind), name,
	                               strbuf_str(&text)));
	strbuf_adds(&b, ",\"reason\":\"Invalid\",\"details\":{");
	add_details(sim, &b, kind, name, kind_infos[kind].kind);
	strbuf_addc(&b, ',');
	refusal_print_causes(why, &b);
	strbuf_adds(&b, "},\"code\":422}");
	return api_text(sim, 422, &b);
}

bool api_selected(const struct api_target *t, const struct version *v)
{
	cleanup_json cJSON *tree = NULL;

	if (t->kind != v->kind || (t->namespace && strcmp(t->namespace, v->namespace) != 0) ||
	    !selector_takes(&t->labels, v->labels))
		return false;
	if (t->fields.count)
		tree = cJSON_Parse(v->text->data);
	return !t->fields.count || selector_takes_fields(&t->fields, tree);
}

struct reply api_conflict(struct sim *sim, const struct object *o, bool by_kind, const char *fmt, ...)
{
	const char *name = by_kind ? api_kind_name(sim, o->kind) : api_resource_name(sim, o->kind);
	char message[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	return fail_about(sim, 409, "Conflict", o->kind, o->name,
	                  by_kind ? kind_infos[o->kind].kind : kind_infos[o->kind].plural,
	                  arena_printf(sim->scratch, "Operation cannot be fulfilled on %s \"%s\": %s", name, o->name, message));
}

bool api_is_stale(struct sim *sim, const struct object *o, const cJSON *body, struct reply *ret_reply)
{
	const cJSON *meta = json_get(body, "metadata");
	const char *version = json_str(meta, "resourceVersion"), *uid = json_str(meta, "uid");

	if (version && *version && strtoll(version, NULL, 10) != o->version) {
		*ret_reply = api_conflict(sim, o, false, "the object has been modified; please apply your changes to the "
		                          "latest version and try again");
		return true;
	}
	if (uid && *uid && strcmp(uid, o->uid) != 0) {
		*ret_reply = api_conflict(sim, o, false, "Precondition failed: UID in precondition: %s, UID in object meta: %s",
		                          uid, o->uid);
		return true;
	}
	return false;
}

/* Where the page begins. */
static size_t first_of(struct sim *sim, const struct api_target *t)
{
	const char *slash = t->after ? strchr(t->after, '/') : NULL;

	if (slash)
		return etcd_first_after(&sim->etcd, t->kind,
		                        arena_strndup(sim->scratch, t->after, (size_t)(slash - t->after)), slash + 1);
	return t->namespace ? etcd_first_after(&sim->etcd, t->kind, t->namespace, "") : 0;
}

static bool takes(const struct api_target *t, const struct object *o)
{
	return selector_takes(&t->labels, json_get(json_get(o->tree, "metadata"), "labels")) &&
	       selector_takes_fields(&t->fields, o->tree);
}

bool api_page(struct sim *sim, const struct api_target *t, struct api_page *ret_page, struct reply *ret_reply)
{
	const struct etcd *s = &sim->etcd;
	struct object **all = s->objects[t->kind];
	size_t i = first_of(sim, t), end = s->count[t->kind];
	struct api_page page = {.version = t->after ? t->version : s->last};

	if (t->after && t->version <= s->compacted) {
		*ret_reply = api_fail(sim, 410, "Expired", "The provided continue parameter is too old");
		return false;
	}
	if (t->namespace)
		end = etcd_first_after(s, t->kind, arena_printf(sim->scratch, "%s\001", t->namespace), "");
	page.objects = arena_array(sim->scratch, end - i + 1, sizeof(*page.objects));
	for (; i < end && !(t->limit && page.count == (size_t)t->limit); i++) {
		if (takes(t, all[i]))
			page.objects[page.count++] = all[i];
	}
	if (i < end && page.count) {
		const struct object *last = page.objects[page.count - 1];

		page.left = t->labels.count || t->fields.count ? 0 : end - i;
		page.next = arena_printf(sim->scratch, "%lld.%s/%s", (long long)page.version, last->namespace, last->name);
	}
	*ret_page = page;
	return true;
}

void api_add_list_head(struct strbuf *b, const char *kind, const char *api_version, const struct api_page *page)
{
	strbuf_addf(b, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%lld\"",
	            kind, api_version, (long long)page->version);
	if (page->next)
		strbuf_addf(b, ",\"continue\":\"%s\"", page->next);
	if (page->left)
		strbuf_addf(b, ",\"remainingItemCount\":%zu", page->left);
	strbuf_addc(b, '}');
}

/* Items of built-in kinds come without kind and apiVersion, as from a real server. */
static void add_item(struct strbuf *b, const struct object *o)
{
	size_t skip = 0;

	if (!kind_infos[o->kind].custom)
		skip = (size_t)(strstr(o->text->data, "\"metadata\"") - o->text->data) - 1;
	strbuf_addc(b, '{');
	strbuf_add(b, o->text->data + skip + 1, o->text->len - skip - 1);
}

struct reply api_list(struct sim *sim, const struct api_target *t, const struct api_page *page)
{
	cleanup_strbuf struct strbuf b = {.cap = LIST_MAX};
	const struct kind_info *info = &kind_infos[t->kind];

	api_add_list_head(&b, arena_printf(sim->scratch, "%sList", info->kind), info->api_version, page);
	strbuf_adds(&b, ",\"items\":[");
	for (size_t i = 0; i < page->count; i++) {
		if (i)
			strbuf_addc(&b, ',');
		add_item(&b, page->objects[i]);
	}
	strbuf_adds(&b, "]}");
	return api_text(sim, 200, &b);
}
