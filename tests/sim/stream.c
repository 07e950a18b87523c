#include "sim.h"

#include <stdio.h>
#include <string.h>

#define BOOKMARK_MS 60000
#define STREAM_MS (30 * 60000)
#define SILENCE_MS 90000

static void close_with(struct sim *sim, struct feed *w, enum err_kind kind, const char *why)
{
	struct err err = {0};

	w->flight->reply = (struct reply){.http = 200};
	if (kind != ERR_NONE)
		err_set(&err, kind, "watch %s: %s", kind_infos[w->target.kind].plural, why);
	if (!w->flight->over)
		trace(sim, "watch %s ends: %s", kind_infos[w->target.kind].plural, why);
	wire_answer(sim, w->flight, &err);
}

static void send_bytes(struct sim *sim, struct feed *w, const char *data, size_t len)
{
	if (w->flight->over || len == 0)
		return;
	w->last_data_at = sim->clock.now;
	w->flight->request.on_data(w->flight->request.ctx, data, len);
}

/* Bytes come in pieces that have nothing to do with the lines in them; a cut may be anywhere. */
static void send_split(struct sim *sim, struct feed *w, const struct strbuf *b, bool cut)
{
	size_t first = rng_below(&sim->rng_faults, (uint32_t)b->len + 1);

	send_bytes(sim, w, b->data, first);
	if (cut)
		close_with(sim, w, ERR_UNAVAILABLE, "connection reset in the middle of an object");
	else
		send_bytes(sim, w, b->data + first, b->len - first);
}

static void add_line(struct strbuf *b, const char *type, const char *object, size_t len)
{
	strbuf_addf(b, "{\"type\":\"%s\",\"object\":", type);
	strbuf_add(b, object, len);
	strbuf_adds(b, "}\n");
}

static void pump(struct sim *sim, void *arg)
{
	static const char *const types[] = {"ADDED", "MODIFIED", "DELETED"};
	cleanup_strbuf struct strbuf b = {0};
	struct feed *w = arg;

	w->pumping = false;
	if (w->flight->over || w->deaf)
		return;
	for (; w->cursor < sim->etcd.history_count; w->cursor++) {
		const struct version *v = &sim->etcd.history[w->cursor];

		if (api_selected(&w->target, v))
			add_line(&b, types[v->change], v->text->data, v->text->len);
	}
	if (b.len)
		send_split(sim, w, &b, faults_cut_watch(sim));
}

void stream_wake(struct sim *sim, enum kind kind)
{
	for (struct feed *w = sim->wire.streams; w; w = w->next) {
		if (w->target.kind != kind || w->flight->over || w->pumping)
			continue;
		w->pumping = true;
		w->pump_since = sim->clock.now;
		clock_in(&sim->clock, faults_watch_delay(sim), pump, w);
	}
}

static void silent_too_long(struct sim *sim, void *arg)
{
	struct feed *w = arg;

	close_with(sim, w, ERR_TIMEOUT, "silent for too long");
}

static void bookmark(struct sim *sim, void *arg)
{
	cleanup_strbuf struct strbuf b = {0};
	cleanup_strbuf struct strbuf object = {0};
	struct feed *w = arg;
	int64_t silence = w->flight->request.timeout_ms > 0 ? w->flight->request.timeout_ms : SILENCE_MS;

	if (w->flight->over)
		return;
	if (!w->deaf && faults_deafen(sim)) {
		w->deaf = true;
		trace(sim, "watch %s goes deaf", kind_infos[w->target.kind].plural);
	}
	if (w->deaf) {
		clock_at(&sim->clock, w->last_data_at + silence, silent_too_long, w);
		return;
	}
	pump(sim, w);
	strbuf_addf(&object, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%lld\"}}",
	            kind_infos[w->target.kind].kind, kind_infos[w->target.kind].api_version, (long long)sim->etcd.last);
	add_line(&b, "BOOKMARK", object.data, object.len);
	if (w->target.bookmarks)
		send_bytes(sim, w, b.data, b.len);
	clock_in(&sim->clock, BOOKMARK_MS, bookmark, w);
}

static void server_closes(struct sim *sim, void *arg)
{
	struct feed *w = arg;

	if (!w->flight->over && !w->deaf) {
		pump(sim, w);
		close_with(sim, w, ERR_NONE, "the server's time for a watch is over");
	}
}

/* A version that is no longer kept is told in the answer or, as often, in the stream. */
static void too_old(struct sim *sim, void *arg)
{
	struct feed *w = arg;
	struct reply gone = api_fail(sim, 410, "Expired", "too old resource version: %lld (%lld)",
	                             (long long)w->target.version, (long long)sim->etcd.compacted);
	cleanup_strbuf struct strbuf b = {0};

	trace(sim, "watch %s: 410", kind_infos[w->target.kind].plural);
	if (rng_chance(&sim->rng_faults, 500)) {
		w->flight->reply = gone;
		wire_answer(sim, w->flight, NULL);
		return;
	}
	add_line(&b, "ERROR", gone.body, gone.len);
	send_bytes(sim, w, b.data, b.len);
	close_with(sim, w, ERR_NONE, "410 in the stream");
}

static void begin(struct sim *sim, void *arg)
{
	struct feed *w = arg;
	const struct etcd *s = &sim->etcd;
	cleanup_strbuf struct strbuf b = {0};

	if (w->flight->over)
		return;
	for (size_t i = 0; w->target.version == 0 && i < s->count[w->target.kind]; i++) {
		const struct object *o = s->objects[w->target.kind][i];

		if (selector_takes(&w->target.labels, json_get(json_get(o->tree, "metadata"), "labels")))
			add_line(&b, "ADDED", o->text->data, o->text->len);
	}
	w->cursor = w->target.version ? etcd_history_after(s, w->target.version) : s->history_count;
	send_bytes(sim, w, b.data, b.len);
	pump(sim, w);
}

void stream_open(struct sim *sim, struct flight *f, const struct api_target *t)
{
	struct feed *w = arena_alloc(&sim->arena, sizeof(*w));

	*w = (struct feed){.flight = f, .target = *t, .opened_at = sim->clock.now, .last_data_at = sim->clock.now};
	f->stream = w;
	if (t->version && t->version < sim->etcd.compacted) {
		clock_in(&sim->clock, 2, too_old, w);
		return;
	}
	if (f->over)
		return;
	w->cursor = sim->etcd.history_count;
	w->pumping = true;
	w->next = sim->wire.streams;
	sim->wire.streams = w;
	clock_in(&sim->clock, 2, begin, w);
	clock_in(&sim->clock, BOOKMARK_MS, bookmark, w);
	clock_in(&sim->clock, t->timeout_s ? t->timeout_s * 1000 : STREAM_MS, server_closes, w);
}

bool stream_is_current(const struct sim *sim, enum kind kind, int64_t span_ms)
{
	const struct etcd *s = &sim->etcd;

	for (const struct feed *w = sim->wire.streams; w; w = w->next) {
		if (w->target.kind == kind && !w->flight->over && !w->deaf)
			return w->opened_at + span_ms <= sim->clock.now &&
			       (w->cursor == s->history_count || sim->clock.now - w->pump_since < span_ms);
	}
	return false;
}

void stream_cut_all(struct sim *sim)
{
	for (struct feed *w = sim->wire.streams; w; w = w->next) {
		if (!w->flight->over)
			close_with(sim, w, ERR_UNAVAILABLE, "connection reset by peer");
	}
}
