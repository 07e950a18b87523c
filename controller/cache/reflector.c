#include "controller/cache/reflector.h"

#include "controller/api/path.h"
#include "controller/backoff.h"
#include "controller/hash.h"
#include "controller/log.h"
#include "controller/mem.h"
#include "crd/base/json.h"

static int64_t now_of(const struct reflector *r)
{
	return r->world->now(r->world->self);
}

static void assert_state(const struct reflector *r)
{
	bool waiting = r->state == REFLECTOR_EMPTY || r->state == REFLECTOR_LISTED;

	if ((waiting && r->handle) || (r->state == REFLECTOR_WATCHING && !r->handle) ||
	    (r->state == REFLECTOR_LISTED && !r->version))
		abort();
}

/* What went wrong, without the request in front: the same for every kind when nobody answers. */
static const char *without_request(const struct err *err)
{
	const char *rest = strstr(err->msg, ": ");

	return rest ? rest + 2 : err->msg;
}

static void complain_of_outage(struct reflector *r, const struct err *err)
{
	uint64_t hash = hash_text(without_request(err));

	r->complaint = hash;
	if (hash == r->outage->complaint)
		return;
	r->outage->complaint = hash;
	log_warn("the API server cannot be reached, will retry", LOG_STR("error", without_request(err)));
}

static void complain(struct reflector *r, const char *doing, const struct err *err)
{
	uint64_t hash = hash_text(err->msg);

	if (err->kind == ERR_UNAVAILABLE && err->http == 0) {
		complain_of_outage(r, err);
		return;
	}
	if (hash == r->complaint)
		return;
	r->complaint = hash;
	if (err->kind == ERR_NOT_FOUND && kind_is_ours(r->kind))
		log_warn("CustomResourceDefinition is not installed, will retry", LOG_STR("crd", kind_resource(r->kind)),
		         LOG_STR("fix", "kubectl apply -k manifests/install"));
	else
		log_warn("cannot follow objects, will retry", LOG_STR("resource", kind_resource(r->kind)),
		         LOG_STR("doing", doing), LOG_STR("error", err->msg));
}

static void heal(struct reflector *r)
{
	if (r->outage->complaint)
		log_info("the API server can be reached again");
	else if (r->complaint)
		log_info("follows objects again", LOG_STR("resource", kind_resource(r->kind)));
	r->outage->complaint = 0;
	r->complaint = 0;
	r->failures = 0;
	r->healthy = true;
}

static void pass_over(struct reflector *r, const struct err *err)
{
	uint64_t hash = hash_text(err->msg);

	r->undecoded++;
	if (hash != r->unreadable)
		log_warn("object cannot be read and is passed over", LOG_STR("resource", kind_resource(r->kind)),
		         LOG_STR("error", err->msg));
	r->unreadable = hash;
}

static void send(struct reflector *r, struct request request)
{
	r->request = request;
	r->request.path = strbuf_str(&r->path);
	r->request.ctx = r;
	r->handle = r->world->request(r->world->self, &r->request);
}

/* Listing. */

static void list_failed(struct reflector *r, const struct err *err)
{
	complain(r, "list", err);
	r->failures++;
	r->state = REFLECTOR_EMPTY;
	r->due = now_of(r) + (err->kind == ERR_NOT_FOUND ? REFLECTOR_MISSING_MS : backoff_ms(r->world, r->failures, err));
}

static void take_items(struct reflector *r, const cJSON *items)
{
	struct err err = { 0 };

	for (cJSON *item = items->child; item; item = item->next) {
		if (store_put(r->store, r->kind, item, STORE_LIST, &err) < 0)
			pass_over(r, &err);
	}
}

static int take_page(struct reflector *r, const struct response *response, struct err *err)
{
	cleanup_json cJSON *page = json_parse(response->body ? response->body : "", response->len, err);
	if (!page)
		return err_wrap(err, "list of %s", kind_resource(r->kind));

	const cJSON *meta = json_get(page, "metadata"), *items = json_get(page, "items");
	const char *version = json_str(meta, "resourceVersion"), *token = json_str(meta, "continue");
	/* An empty list's items may be null. */
	if (object_version(version) == 0 || (items && !cJSON_IsArray(items)))
		return err_set(err, ERR_PROTOCOL, "list of %s: the answer is no list", kind_resource(r->kind));
	if (++r->pages > REFLECTOR_PAGES_MAX)
		return err_set(err, ERR_LIMIT, "list of %s: more than %d pages", kind_resource(r->kind), REFLECTOR_PAGES_MAX);

	if (r->pages == 1) {
		mem_replace(&r->version, version);
		store_list_begin(r->store, r->kind, version);
	}
	if (items)
		take_items(r, items);
	mem_replace(&r->token, token && *token ? token : NULL);
	return 0;
}

static void on_list_done(void *ctx, const struct response *response)
{
	struct reflector *r = ctx;
	struct err err = { 0 };

	r->handle = NULL;
	if (response->err.kind != ERR_NONE) {
		list_failed(r, &response->err);
		return;
	}
	if (take_page(r, response, &err) < 0) {
		list_failed(r, &err);
		return;
	}
	if (r->token)
		return;
	store_list_end(r->store, r->kind, r->version);
	r->synced = true;
	r->state = REFLECTOR_LISTED;
	r->due = now_of(r);
}

static void send_list(struct reflector *r)
{
	strbuf_clear(&r->path);
	path_list(&r->path, r->kind, r->namespace, r->token);
	send(r, (struct request){ .verb = VERB_LIST, .timeout_ms = REFLECTOR_LIST_TIMEOUT_MS, .on_done = on_list_done });
}

static void start_list(struct reflector *r)
{
	r->state = REFLECTOR_LISTING;
	r->pages = 0;
	mem_replace(&r->token, NULL);
	send_list(r);
}

/* Watching. */

static void on_event(void *ctx, enum watch_event event, struct cJSON *object)
{
	struct reflector *r = ctx;
	const char *version = json_str(json_get(object, "metadata"), "resourceVersion");
	struct err err = { 0 };
	int rc = 0;

	if (object_version(version) != 0)
		mem_replace(&r->version, version);
	switch (event) {
	case WATCH_ADDED:
	case WATCH_MODIFIED:
		rc = store_put(r->store, r->kind, object, STORE_WATCH, &err);
		break;
	case WATCH_DELETED:
		rc = store_remove(r->store, r->kind, object, &err);
		break;
	case WATCH_BOOKMARK:
		store_saw(r->store, r->kind, r->version);
		break;
	}
	if (rc < 0)
		pass_over(r, &err);
}

/* What was taken up to now stays good; from where it cannot go on, everything is listed anew. */
static bool needs_list(const struct reflector *r, const struct err *err)
{
	if (r->failures >= REFLECTOR_RELIST_AFTER)
		return true;
	switch (err->kind) {
	case ERR_GONE:
	case ERR_NOT_FOUND:
	case ERR_INVALID:
	case ERR_PROTOCOL:
	case ERR_LIMIT:
		return true;
	case ERR_NONE:
	case ERR_CONFLICT:
	case ERR_FORBIDDEN:
	case ERR_BUSY:
	case ERR_UNAVAILABLE:
	case ERR_TIMEOUT:
		return false;
	}
	return true;
}

/* ERR says ERR_NONE when the server ended the watch in order. */
static void watch_ended(struct reflector *r, const struct err *err)
{
	if (now_of(r) - r->opened_at >= REFLECTOR_HEALTHY_MS)
		heal(r);
	else
		r->failures++;
	if (r->failures > 0 && err->kind != ERR_NONE)
		complain(r, "watch", err);
	watch_reset(&r->watch);
	r->broken = false;
	r->state = needs_list(r, err) ? REFLECTOR_EMPTY : REFLECTOR_LISTED;
	r->due = now_of(r) + (r->failures > 0 || err->retry_after_s > 0 ? backoff_ms(r->world, r->failures, err) : 0);
}

static void on_watch_data(void *ctx, const char *data, size_t len)
{
	struct reflector *r = ctx;

	if (!r->broken && watch_feed(&r->watch, data, len, &r->why) < 0)
		r->broken = true;
}

static void on_watch_done(void *ctx, const struct response *response)
{
	struct reflector *r = ctx;
	const struct err why = r->broken ? r->why : response->err;

	r->handle = NULL;
	watch_ended(r, &why);
}

static void start_watch(struct reflector *r)
{
	uint32_t spread = REFLECTOR_WATCH_MAX_S - REFLECTOR_WATCH_MIN_S + 1;
	int seconds = REFLECTOR_WATCH_MIN_S + (int)(r->world->random(r->world->self) % spread);

	r->state = REFLECTOR_WATCHING;
	r->opened_at = now_of(r);
	r->healthy = false;
	r->broken = false;
	strbuf_clear(&r->path);
	path_watch(&r->path, r->kind, r->namespace, r->version, seconds);
	send(r, (struct request){ .verb = VERB_WATCH, .timeout_ms = REFLECTOR_SILENCE_MS, .on_data = on_watch_data,
	                          .on_done = on_watch_done });
}

static void end_broken_watch(struct reflector *r)
{
	const struct err why = r->why;

	r->world->cancel(r->world->self, r->handle);
	r->handle = NULL;
	watch_ended(r, &why);
}

void reflector_init(struct reflector *r, const struct world *world, struct store *store, enum object_kind kind,
                    const char *namespace, struct outage *outage)
{
	*r = (struct reflector){
		.world = world, .outage = outage, .store = store, .kind = kind, .namespace = namespace,
	};
	r->watch = (struct watch){ .on_event = on_event, .ctx = r };
}

int64_t reflector_tick(struct reflector *r)
{
	int64_t now = now_of(r);

	if (r->state == REFLECTOR_WATCHING && r->broken)
		end_broken_watch(r);
	assert_state(r);
	switch (r->state) {
	case REFLECTOR_EMPTY:
		if (now < r->due)
			return r->due;
		start_list(r);
		return INT64_MAX;
	case REFLECTOR_LISTING:
		if (!r->handle)
			send_list(r);
		return INT64_MAX;
	case REFLECTOR_LISTED:
		if (now < r->due)
			return r->due;
		start_watch(r);
		return r->opened_at + REFLECTOR_HEALTHY_MS;
	case REFLECTOR_WATCHING:
		if (!r->healthy && now - r->opened_at >= REFLECTOR_HEALTHY_MS)
			heal(r);
		return r->healthy ? INT64_MAX : r->opened_at + REFLECTOR_HEALTHY_MS;
	}
	abort();
}

void reflector_stop(struct reflector *r)
{
	if (r->handle)
		r->world->cancel(r->world->self, r->handle);
	r->handle = NULL;
	watch_reset(&r->watch);
	r->state = REFLECTOR_EMPTY;
}

void reflector_release(struct reflector *r)
{
	if (r->world)
		reflector_stop(r);
	free(r->version);
	free(r->token);
	strbuf_release(&r->path);
}

const char *reflector_state_name(enum reflector_state s)
{
	static const char *const names[] = { "empty", "listing", "listed", "watching" };

	return names[s];
}
