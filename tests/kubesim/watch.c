#include "watch.h"

#include "controller/mem.h"

#include <utlist.h>

#define BOOKMARK_MS 30000
#define WATCH_MS (30 * 60000) /* when the client does not say how long */

struct watch {
	enum owner owner;         /* OWNER_WATCH */
	struct stream *stream;
	struct arena memory;      /* of .target and .form */
	struct api_target target;
	struct form form;
	int64_t version;          /* told up to here */
	int64_t bookmark_at, ends_at;
	struct watch *prev, *next;
};

static void send_event(struct kubesim *k, struct watch *w, const char *type, const char *text, size_t len)
{
	cleanup_strbuf struct strbuf b = {0};

	strbuf_addf(&b, "{\"type\":\"%s\",\"object\":", type);
	form_add_object(k, &w->form, w->target.kind, text, len, &b);
	strbuf_adds(&b, "}\n");
	stream_write(w->stream, b.data, b.len);
}

static void forget(struct kubesim *k, struct watch *w)
{
	DL_DELETE(k->watches, w);
	arena_release(&w->memory);
	free(w);
}

static void end(struct kubesim *k, struct watch *w)
{
	stream_end(w->stream);
	forget(k, w);
}

static void expire(struct kubesim *k, struct watch *w)
{
	cleanup_strbuf struct strbuf b = {0};
	struct reply gone = api_fail(&k->sim, 410, "Expired", "too old resource version: %lld (%lld)",
	                             (long long)w->version, (long long)k->sim.etcd.compacted);

	strbuf_addf(&b, "{\"type\":\"ERROR\",\"object\":%s}\n", gone.body);
	stream_write(w->stream, b.data, b.len);
	end(k, w);
}

static void bookmark(struct kubesim *k, struct watch *w, const char *annotations)
{
	cleanup_strbuf struct strbuf b = {0};
	const struct kind_info *info = &kind_infos[w->form.is_new_event ? KIND_EVENT : w->target.kind];

	w->bookmark_at = k->sim.clock.now + BOOKMARK_MS;
	if (!w->target.bookmarks)
		return;
	strbuf_addf(&b, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{"
	            "\"resourceVersion\":\"%lld\"%s}}}\n", info->kind, info->api_version, (long long)w->version, annotations);
	stream_write(w->stream, b.data, b.len);
}

/* Without a version a watch begins with everything that there is. */
static void send_all(struct kubesim *k, struct watch *w)
{
	struct api_page page;
	struct reply reply;

	if (!api_page(&k->sim, &w->target, &page, &reply))
		return;
	for (size_t i = 0; i < page.count; i++)
		send_event(k, w, "ADDED", page.objects[i]->text->data, page.objects[i]->text->len);
	w->version = page.version;
	if (w->target.initial)
		bookmark(k, w, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
}

void watch_open(struct kubesim *k, struct stream *s, const char *path, const struct form *f)
{
	struct watch *w = mem_new(sizeof(*w));
	struct reply reply;

	*w = (struct watch){
		.owner = OWNER_WATCH, .stream = s, .form = *f, .bookmark_at = k->sim.clock.now + BOOKMARK_MS,
	};
	/* It was read before; now its parts live as long as the watch. */
	k->sim.scratch = &w->memory;
	api_parse(&k->sim, path, &w->target, &reply);
	k->sim.scratch = &k->scratch;
	w->form.include = arena_strdup(&w->memory, f->include);
	if (f->is_new_event)
		w->target.kind = KIND_SETBACK;
	w->ends_at = k->sim.clock.now + (w->target.timeout_s ? w->target.timeout_s * 1000 : WATCH_MS);
	w->version = w->target.version;
	DL_APPEND(k->watches, w);
	stream_set_owner(s, w);
	stream_begin(s, 200, "application/json");
	if (w->target.initial || w->version == 0)
		send_all(k, w);
	else if (w->version < k->sim.etcd.compacted)
		expire(k, w);
}

/* What the object was until V, or NULL when that is forgotten. */
static const struct version *before(const struct etcd *s, const struct version *v)
{
	size_t i = etcd_history_after(s, v->before - 1);

	return v->before && s->history[i].version == v->before ? &s->history[i] : NULL;
}

/* An edit has taken it out of what is watched: told as its end, with what it was. */
static void send_left(struct kubesim *k, struct watch *w, const struct version *was, const struct version *v)
{
	cleanup_json cJSON *tree = cJSON_ParseWithLength(was->text->data, was->text->len);
	cleanup_strbuf struct strbuf text = {0};

	tree_put_str(tree_object(tree, "metadata"), "resourceVersion",
	             arena_printf(&k->scratch, "%lld", (long long)v->version));
	json_print(tree, &text);
	send_event(k, w, "DELETED", text.data, text.len);
}

static void tell_one(struct kubesim *k, struct watch *w, const struct version *v)
{
	static const char *const types[] = {"ADDED", "MODIFIED", "DELETED"};
	bool is_chosen = w->target.labels.count || w->target.fields.count, is = api_selected(&w->target, v);
	const struct version *was = is_chosen && v->change == CHANGE_MODIFIED ? before(&k->sim.etcd, v) : NULL;
	bool was_selected = was ? api_selected(&w->target, was) : is;

	if (is)
		send_event(k, w, was_selected ? types[v->change] : "ADDED", v->text->data, v->text->len);
	else if (was_selected)
		send_left(k, w, was, v);
}

static void tell(struct kubesim *k, struct watch *w)
{
	const struct etcd *s = &k->sim.etcd;

	for (size_t i = etcd_history_after(s, w->version); i < s->history_count; i++)
		tell_one(k, w, &s->history[i]);
	w->version = s->last;
}

int64_t watches_tell(struct kubesim *k)
{
	int64_t now = k->sim.clock.now, next = CLOCK_NEVER;
	struct watch *w, *following;

	DL_FOREACH_SAFE(k->watches, w, following) {
		if (w->version < k->sim.etcd.compacted) {
			expire(k, w);
			continue;
		}
		tell(k, w);
		if (now >= w->ends_at) {
			end(k, w);
			continue;
		}
		if (now >= w->bookmark_at)
			bookmark(k, w, "");
		next = w->ends_at < next ? w->ends_at : next;
		next = w->bookmark_at < next ? w->bookmark_at : next;
	}
	return next;
}

void watch_closed(struct kubesim *k, struct watch *w)
{
	forget(k, w);
}

void watches_expire(struct kubesim *k)
{
	struct watch *w, *following;

	etcd_compact(&k->sim.etcd, ++k->sim.etcd.last);
	DL_FOREACH_SAFE(k->watches, w, following)
		expire(k, w);
}

void watches_release(struct kubesim *k)
{
	struct watch *w, *following;

	DL_FOREACH_SAFE(k->watches, w, following)
		forget(k, w);
}
