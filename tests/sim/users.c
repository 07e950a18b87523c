#include "sim.h"

#include <stdio.h>
#include <string.h>

#define CLUSTER_PATH SIM_API "/clusters/" CLUSTER_NAME

static void add_list(struct strbuf *b, const struct role_setup *r)
{
	const char *comma = "";

	strbuf_adds(b, ",\"eventList\":[");
	for (int e = EVENT_KIND_CONFIGURE; e <= EVENT_KIND_DELNODES; e++) {
		if (!role_hears(r, (enum event_kind)e))
			continue;
		strbuf_addf(b, "%s\"%s\"", comma, event_kind_text((enum event_kind)e));
		comma = ",";
	}
	strbuf_addc(b, ']');
}

static bool create_app(struct sim *sim, const char *name, const char *version, const char *image)
{
	cleanup_strbuf struct strbuf b = {0};
	const struct setup *s = &sim->setup;

	strbuf_addf(&b, "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"label\":{\"name\":\"Shop\"},\"distroID\":\"shop\","
	            "\"version\":\"%s\",\"configSchemaVersion\":7,\"upgradable\":true,\"defaultImageRepoTag\":\"%s\","
	            "\"roles\":[", name, version, image);
	for (int i = 0; i < s->role_count; i++) {
		strbuf_addf(&b, "%s{\"id\":\"%s\",\"cardinality\":\"1+\",\"handler\":{"
		            "\"exec\":{\"command\":[\"/opt/handler\"]},\"timeoutSeconds\":%d,\"retryLimit\":%d}",
		            i ? "," : "", s->roles[i].id, s->timeout_s, s->retry_limit);
		if (s->roles[i].has_list)
			add_list(&b, &s->roles[i]);
		strbuf_addc(&b, '}');
	}
	strbuf_adds(&b, "],\"config\":{\"selectedRoles\":[");
	for (int i = 0; i < s->role_count; i++)
		strbuf_addf(&b, "%s\"%s\"", i ? "," : "", s->roles[i].id);
	strbuf_adds(&b, "]}}}");
	return api_handle(sim, VERB_CREATE, SIM_API "/apps", b.data).http == 201;
}

bool user_creates_cluster(struct sim *sim, const char *name)
{
	cleanup_strbuf struct strbuf b = {0};
	const struct setup *s = &sim->setup;

	strbuf_addf(&b, "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"app\":\"" APP_A "\",\"roles\":[", name);
	for (int i = 0; i < s->role_count; i++)
		strbuf_addf(&b, "%s{\"id\":\"%s\",\"members\":%d}", i ? "," : "", s->roles[i].id, s->roles[i].members);
	strbuf_addf(&b, "],\"upgrade\":{\"maxUnavailable\":%d,\"progressDeadlineSeconds\":%d,\"onFailure\":\"%s\"",
	            s->max_unavailable, s->deadline_s, s->rolls_back_itself ? "Rollback" : "Pause");
	for (int i = 0; s->has_order && i < s->role_count; i++)
		strbuf_addf(&b, "%s\"%s\"", i ? "," : ",\"roleOrder\":[", s->roles[s->order[i]].id);
	strbuf_adds(&b, s->has_order ? "]}}}" : "}}}");
	return api_handle(sim, VERB_CREATE, SIM_API "/clusters", b.data).http == 201;
}

bool user_creates_all(struct sim *sim)
{
	const char *image = sim->setup.outlook == OUTLOOK_IMAGE ? IMAGE_BAD : IMAGE_B;

	trace(sim, "user: creates " APP_A ", " APP_B " and " CLUSTER_NAME);
	return create_app(sim, APP_A, "1.0", IMAGE_A) && create_app(sim, APP_B, "2.0", image) &&
	       user_creates_cluster(sim, CLUSTER_NAME);
}

bool user_patches(struct sim *sim, const char *fmt, ...)
{
	char body[1024];
	struct reply reply;
	va_list args;

	va_start(args, fmt);
	vsnprintf(body, sizeof(body), fmt, args);
	va_end(args);
	reply = api_handle(sim, VERB_PATCH, CLUSTER_PATH, body);
	trace(sim, "user: patches " CLUSTER_NAME " with %s: %d", body, reply.http);
	return reply.http == 200;
}

void user_edits_in_lock(struct sim *sim)
{
	static const char *const edits[] = {
		"{\"spec\":{\"upgrade\":{\"maxUnavailable\":77}}}",
		"{\"spec\":{\"upgrade\":{\"roleOrder\":[\"zz\"]}}}",
		"{\"spec\":{\"app\":\"app-c\"}}",
	};

	if (!book_lock_is_due(sim))
		return;
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		if (user_patches(sim, "%s", edits[i]))
			violation(sim, RULE_U2, "a spec edit was taken while the upgrade runs");
	}
	if (sim->book.turned_at && user_patches(sim, "{\"spec\":{\"app\":\"" APP_B "\"}}"))
		violation(sim, RULE_U2, "a rollback could be turned round");
	arose(RULE_U2);
}

void user_turns_back(struct sim *sim, void *arg)
{
	struct book *b = &sim->book;
	bool is_recorded = b->is && b->is->status->upgrade_info;

	(void)arg;
	if (!b->edited_at || b->turned_at || (b->saw_upgrade_info && !is_recorded))
		return;
	if (!user_patches(sim, "{\"spec\":{\"app\":\"" APP_A "\"}}"))
		violation(sim, RULE_U3, "spec.app cannot be set back");
	/* What was not recorded never began. */
	if (is_recorded)
		b->turned_at = sim->clock.now;
	else
		b->edited_at = 0;
}

int user_deletes_app(struct sim *sim, const char *name)
{
	int http = api_handle(sim, VERB_DELETE, arena_printf(&sim->arena, SIM_API "/apps/%s", name), NULL).http;

	trace(sim, "user: deletes %s: %d", name, http);
	return http;
}

/* Refused from the moment at which the operator could know. */
void user_deletes_apps(struct sim *sim)
{
	if (!book_lock_is_due(sim) || !sim->book.saw_upgrade_info)
		return;
	arose(RULE_USED);
	if (user_deletes_app(sim, APP_A) != 403)
		violation(sim, RULE_USED, "App " APP_A " could be deleted while the upgrade needs it");
	if (user_deletes_app(sim, APP_B) != 403)
		violation(sim, RULE_USED, "App " APP_B " could be deleted while the upgrade needs it");
}

/* Another writer: the version rises, nothing that matters changes. */
void user_touches(struct sim *sim, const char *path)
{
	static const char status[] = "/status";
	size_t len = strcspn(path, "?");
	const char *plain;
	char body[96];

	if (len > sizeof(status) && strncmp(path + len - (sizeof(status) - 1), status, sizeof(status) - 1) == 0)
		len -= sizeof(status) - 1;
	plain = arena_strndup(&sim->arena, path, len);
	snprintf(body, sizeof(body), "{\"metadata\":{\"annotations\":{\"example.com/touched\":\"%lld\"}}}",
	         (long long)sim->etcd.last);
	api_handle(sim, VERB_PATCH, plain, body);
}
