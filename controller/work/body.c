#include "controller/work/body.h"

#include "controller/api/path.h"
#include "controller/cache/object.h"
#include "crd/base/json.h"
#include "crd/base/sha256.h"
#include "crd/base/time.h"

#include <string.h>

/* Lays TEXT (JSON) over what BASE holds. */
static int lay(struct strbuf *base, const char *text, struct err *err)
{
	struct strbuf out = { 0 };

	if (json_overlay(base->len > 0 ? base->data : "{}", text, &out, err) < 0) {
		strbuf_release(&out);
		return -1;
	}
	strbuf_release(base);
	*base = out;
	return 0;
}

static int lay_overlays(const struct action *a, struct arena *arena, struct strbuf *base, struct err *err)
{
	for (size_t i = 0; i < a->overlay_count; i++) {
		if (!a->overlays[i])
			continue;
		if (lay(base, arena_printf(arena, "{\"spec\":{\"template\":%s}}", a->overlays[i]), err) < 0)
			return err_wrap(err, "podTemplate for %s", a->name);
	}
	return 0;
}

int body_apply(const struct action *a, struct arena *arena, struct strbuf *out, struct err *err)
{
	cleanup_strbuf struct strbuf body = { 0 };

	if (lay_overlays(a, arena, &body, err) < 0)
		return -1;
	if (lay(&body, crd_text(object_type(a->object), a->body, arena), err) < 0)
		return -1;
	if (a->resource_version) {
		cleanup_strbuf struct strbuf version = { 0 };

		strbuf_adds(&version, "{\"metadata\":{\"resourceVersion\":");
		strbuf_add_json(&version, a->resource_version);
		strbuf_adds(&version, "}}");
		if (lay(&body, version.data, err) < 0)
			return -1;
	}
	strbuf_add(out, body.data, body.len);
	return 0;
}

void body_delete(const char *uid, struct strbuf *out)
{
	strbuf_adds(out, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"preconditions\":{\"uid\":");
	strbuf_add_json(out, uid ? uid : "");
	strbuf_adds(out, "}}");
}

static void add_member(struct strbuf *out, const char *key, const char *value)
{
	strbuf_addf(out, ",\"%s\":", key);
	strbuf_add_json(out, value);
}

/* TEXT, at most MAX bytes of it, cut at a character's border. */
static void add_cut(struct strbuf *out, const char *key, const char *text, size_t max)
{
	cleanup_strbuf struct strbuf cut = { 0 };
	size_t len = text ? strlen(text) : 0;

	if (len > max) {
		len = max;
		while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
	}
	strbuf_add(&cut, text, len);
	add_member(out, key, strbuf_str(&cut));
}

/* A name has at most 253 bytes; ours are far shorter than the 200 that are left beside the hash. */
#define NAME_PART_MAX 200
#define NAME_DIGITS 16

static void add_name(struct strbuf *out, const struct object_id *id, const struct action *a)
{
	cleanup_strbuf struct strbuf said = { 0 };
	char digits[NAME_DIGITS + 1];

	strbuf_addf(&said, "%s\n%s\n%s\n%s", id->uid, a->reason, a->message, id->version);
	sha256_hex(said.data, said.len, digits, NAME_DIGITS);
	strbuf_clear(&said);
	strbuf_addf(&said, "%.*s.%s", NAME_PART_MAX, id->name, digits);
	strbuf_adds(out, "\"name\":");
	strbuf_add_json(out, said.data);
}

static void add_regarding(struct strbuf *out, enum object_kind kind, const struct object_id *id)
{
	strbuf_addf(out, ",\"regarding\":{\"apiVersion\":\"%s\",\"kind\":\"%s\"", kind_api_version(kind), kind_word(kind));
	add_member(out, "namespace", id->namespace);
	add_member(out, "name", id->name);
	add_member(out, "uid", id->uid);
	add_member(out, "resourceVersion", id->version);
	strbuf_addc(out, '}');
}

void body_event(enum object_kind kind, const void *object, const struct action *a, const char *instance, int64_t now,
                struct strbuf *out)
{
	struct object_id id = object_id(kind, object);
	char time[TIME_TEXT_MAX];

	time_format_micro(now, time);
	strbuf_adds(out, "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{");
	add_name(out, &id, a);
	add_member(out, "namespace", id.namespace);
	strbuf_addc(out, '}');
	add_member(out, "eventTime", time);
	add_member(out, "reportingController", EVENT_CONTROLLER);
	add_cut(out, "reportingInstance", instance, EVENT_INSTANCE_MAX);
	add_member(out, "action", "Reconcile");
	add_member(out, "reason", a->reason);
	add_member(out, "type", a->warning ? "Warning" : "Normal");
	add_cut(out, "note", a->message, EVENT_NOTE_MAX);
	add_regarding(out, kind, &id);
	strbuf_addc(out, '}');
}
