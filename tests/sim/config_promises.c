/*
 * N7, as in promises.c: which configmeta a member holds is read from its container, and what it must say from the members that the
 * stored versions of that generation had.
 */
#include "sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_GENERATIONS 64 /* bits of box.config_held */

static const struct notification *notification(const struct cluster *c, int64_t id)
{
	for (size_t i = 0; i < c->status->notifications_count; i++) {
		if (c->status->notifications[i].id == id)
			return &c->status->notifications[i];
	}
	return NULL;
}

static bool is_leaving(const struct member *m)
{
	return m->state == MEMBER_STATE_DELETE_PENDING || m->state == MEMBER_STATE_DELETING;
}

static bool hears_anything(const struct sim *sim, const char *role)
{
	bool any = false;

	for (int e = EVENT_KIND_CONFIGURE; e <= EVENT_KIND_DELNODES; e++)
		any = any || role_hears(setup_role(&sim->setup, role), (enum event_kind)e);
	return any;
}

/* "c1-web-0=1 c1-web-1=3 ": the members of a version with their ids. */
static const char *members_of(struct sim *sim, const struct cluster_status *s)
{
	cleanup_strbuf struct strbuf b = {0};

	for (size_t r = 0; r < s->roles_count; r++) {
		for (size_t i = 0; i < s->roles[r].members_count; i++) {
			const struct member *m = &s->roles[r].members[i];

			if (!is_leaving(m))
				strbuf_addf(&b, "%s=%" PRId64 " ", m->pod, m->node_id);
		}
	}
	return arena_strdup(&sim->arena, strbuf_str(&b));
}

/* The same from a configmeta. */
static const char *members_in(struct sim *sim, const cJSON *doc)
{
	cleanup_strbuf struct strbuf b = {0};
	const cJSON *role, *one, *group = json_get(json_get(doc, "nodegroups"), "1");

	cJSON_ArrayForEach(role, json_get(group, "roles")) {
		cJSON_ArrayForEach(one, json_get(role, "fqdn_mappings"))
			strbuf_addf(&b, "%.*s=%s ", (int)strcspn(one->string, "."), one->string, one->valuestring);
	}
	return arena_strdup(&sim->arena, strbuf_str(&b));
}

/* What members a generation has is settled in the version that begins it. */
static void generation_stands_still(struct sim *sim)
{
	const struct cluster_status *s = sim->book.is->status;
	int64_t g = s->spec_generation_to_process;
	const char *members = members_of(sim, s);

	if (g <= 0 || g >= KEPT_GENERATIONS)
		return;
	if (!sim->book.membership[g])
		sim->book.membership[g] = members;
	else if (strcmp(sim->book.membership[g], members) != 0)
		violation(sim, RULE_N7, "generation %" PRId64 " had the members %sand has %s", g, sim->book.membership[g],
		          members);
}

static void text_is_true(struct sim *sim, const struct run *run)
{
	cleanup_json cJSON *doc = json_parse(run->config_text, strlen(run->config_text), NULL);
	const cJSON *node = json_get(doc, "node"), *group = json_get(json_get(doc, "nodegroups"), "1");
	const struct member *m = book_find(sim->book.is, run->seat->pod, NULL);
	const char *version = strcmp(run->box->image, IMAGE_A) == 0 ? "1.0" : "2.0", *fqdn = json_str(node, "fqdn");

	if (!doc || !fqdn || strncmp(fqdn, run->seat->pod, strlen(run->seat->pod)) != 0) {
		violation(sim, RULE_N7, "%s finds a configmeta that is not its own", run->seat->pod);
		return;
	}
	if (m && strtoll(json_str(node, "id"), NULL, 10) != m->node_id)
		violation(sim, RULE_N7, "%s has the id %" PRId64 " and reads %s", m->pod, m->node_id, json_str(node, "id"));
	if (strcmp(json_str(group, "catalog_entry_version"), version) != 0)
		violation(sim, RULE_N7, "%s runs version %s and reads of %s", run->seat->pod, version,
		          json_str(group, "catalog_entry_version"));
	if (sim->book.membership[run->config] &&
	    strcmp(members_in(sim, doc), sim->book.membership[run->config]) != 0)
		violation(sim, RULE_N7, "%s reads of %sbut generation %" PRId64 " has %s", run->seat->pod,
		          members_in(sim, doc), run->config, sim->book.membership[run->config]);
}

/* A handler finds the configmeta of what it is told, or a newer one, and what it found before was not newer. */
static void is_prepared(struct sim *sim, const struct run *run)
{
	const struct notification *n = notification(sim->book.is, run->id);
	const struct member *m = book_find(sim->book.is, run->seat->pod, NULL);
	int64_t digested = m ? m->state_detail->last_setup_generation : 0;

	arose(RULE_N7);
	if (run->config <= 0 || run->config >= KEPT_GENERATIONS || !run->config_text) {
		violation(sim, RULE_N7, "%s hears %s and has no configmeta", run->seat->pod, event_kind_text(run->event));
		return;
	}
	if (n && n->generation > run->config)
		violation(sim, RULE_N7, "%s hears %s of generation %" PRId64 ", and its configmeta is of %" PRId64,
		          run->seat->pod, event_kind_text(run->event), n->generation, run->config);
	if (run->config < digested)
		violation(sim, RULE_N7, "%s has digested %" PRId64 ", and its configmeta is of %" PRId64, run->seat->pod,
		          digested, run->config);
	for (size_t i = 0; i < run->seat->run_count; i++) {
		if (run->seat->runs[i]->box == run->box && run->seat->runs[i]->config > run->config)
			violation(sim, RULE_N7, "%s: its configmeta goes back to %" PRId64, run->seat->pod, run->config);
	}
	text_is_true(sim, run);
}

static bool has_held(const struct seat *seat, int64_t generation)
{
	for (const struct box *box = seat ? seat->boxes : NULL; box; box = box->older) {
		if (generation > 0 && generation < KEPT_GENERATIONS && box->config_held >> generation & 1)
			return true;
	}
	return false;
}

/* Nothing of this generation stands in the member's queue any more. */
static bool is_owed(const struct sim *sim, const struct member *m, int64_t generation)
{
	for (size_t i = 0; i < book_queue_length(m); i++) {
		const struct notification *n = notification(sim->book.is, m->state_detail->pending_notify_cmds[i].id);

		if (n && n->generation && n->generation <= generation)
			return true;
	}
	return false;
}

/* What is recorded is what the member held at some time, and what was digested was held and told. */
static void records_are_true(struct sim *sim, const struct role_status *r, const struct member *m, const struct member *was)
{
	static const struct state_detail nothing = {0};
	const struct state_detail *is = m->state_detail, *before = was ? was->state_detail : &nothing;
	const struct seat *seat = seat_find(sim, m->pod);

	if (was && was->node_id != m->node_id)
		before = &nothing;
	if (is->last_config_data_generation != before->last_config_data_generation) {
		arose(RULE_N7);
		if (!has_held(seat, is->last_config_data_generation))
			violation(sim, RULE_N7, "%s: lastConfigDataGeneration is %" PRId64 ", which it never held", m->pod,
			          is->last_config_data_generation);
		if (is->last_config_data_generation < before->last_config_data_generation)
			violation(sim, RULE_N7, "%s: lastConfigDataGeneration goes back", m->pod);
	}
	if (is->last_setup_generation < before->last_setup_generation)
		violation(sim, RULE_N7, "%s: lastSetupGeneration goes back", m->pod);
	if (is->last_setup_generation == before->last_setup_generation || !hears_anything(sim, r->id))
		return;
	arose(RULE_N7);
	if (is->last_setup_generation > is->last_config_data_generation)
		violation(sim, RULE_N7, "%s has digested %" PRId64 " and was written %" PRId64, m->pod,
		          is->last_setup_generation, is->last_config_data_generation);
	if (is_owed(sim, m, is->last_setup_generation))
		violation(sim, RULE_N7, "%s: %" PRId64 " counts as digested and is still queued", m->pod,
		          is->last_setup_generation);
}

void check_n7(struct sim *sim)
{
	struct book *b = &sim->book;

	if (!b->is || !b->is->status)
		return;
	if (b->written)
		generation_stands_still(sim);
	for (size_t i = 0; i < b->started_count; i++)
		is_prepared(sim, b->started[i]);
	for (size_t r = 0; b->written && r < b->is->status->roles_count; r++) {
		const struct role_status *role = &b->is->status->roles[r];

		for (size_t i = 0; i < role->members_count; i++)
			records_are_true(sim, role, &role->members[i], book_find(b->was, role->members[i].pod, NULL));
	}
}

bool configs_are_current(struct sim *sim)
{
	const struct cluster_status *s = sim->book.is->status;

	for (size_t r = 0; r < s->roles_count; r++) {
		for (size_t i = 0; hears_anything(sim, s->roles[r].id) && i < s->roles[r].members_count; i++) {
			if (s->roles[r].members[i].state_detail->last_setup_generation != s->spec_generation_to_process)
				return false;
		}
	}
	return true;
}
