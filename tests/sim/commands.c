#include "sim.h"

#include <inttypes.h>
#include <string.h>

#define LOOKS_EVERY_MS 20000
#define PATIENCE_MS 30000 /* a member that is down for longer is worth a command */
#define PREFIX "rolecall.dev/"

static const char *const keys[] = {PREFIX "retry", PREFIX "skip-notify", PREFIX "give-up"};
enum { RETRY, SKIP, GIVE_UP };

static const cJSON *annotations(const struct sim *sim)
{
	const struct object *o = etcd_find(&sim->etcd, KIND_CLUSTER, CLUSTER_NAME);

	return o ? json_get(json_get(o->tree, "metadata"), "annotations") : NULL;
}

bool command_is_open(const struct sim *sim)
{
	const struct cluster_status *s = sim->book.is ? sim->book.is->status : NULL;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (json_get(annotations(sim), keys[i]))
			return true;
	}
	return s && s->handled_commands_count > 0;
}

/* The user waits for the last one to be through: whoever writes the same key at once takes it back. */
static void give(struct sim *sim, int which, const char *value)
{
	struct command *c;

	if (command_is_open(sim))
		return;
	if (!user_patches(sim, "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}", keys[which], value)) {
		violation(sim, RULE_COMMAND, "a command cannot be given");
		return;
	}
	c = arena_alloc(&sim->arena, sizeof(*c));
	*c = (struct command){
		.key = keys[which], .value = arena_strdup(&sim->arena, value),
		.text = arena_printf(&sim->arena, "%s=%s", keys[which], value),
		.given_at = sim->clock.now, .next = sim->book.commands,
	};
	sim->book.commands = c;
}

static const char *head_of(struct sim *sim, const struct member *m)
{
	const struct queue_entry *head = book_head(m);

	return arena_printf(&sim->arena, "%s/%" PRId64, m->pod, head ? head->id : INT64_C(999));
}

/* A command that names nothing that there is, or asks for what may not be. */
static void give_nonsense(struct sim *sim, const struct member *m)
{
	static const char *const values[] = {"nobody", "nobody/1", "", "/", "a/b/c"};
	int which = (int)rng_below(&sim->rng_users, 3);

	if (rng_chance(&sim->rng_users, 300) && !book_queue_length(m))
		give(sim, RETRY, m->pod);
	else if (rng_chance(&sim->rng_users, 300))
		give(sim, SKIP, arena_printf(&sim->arena, "%s/987654", m->pod));
	else
		give(sim, which, values[rng_below(&sim->rng_users, sizeof(values) / sizeof(values[0]))]);
}

/* Whether a person would think that M needs help. */
static bool needs_help(const struct sim *sim, const struct cluster_status *s, const struct member *m)
{
	int64_t since = m->state_detail->down_since;

	if (s->plan && s->plan->phase == PLAN_PHASE_STALLED && m->pod_upgrade_status == UPGRADE_STATE_UPGRADING)
		return !m->given_up;
	return !m->given_up && (m->state == MEMBER_STATE_CONFIG_ERROR ||
	                        (since && since + PATIENCE_MS < sim->clock.now));
}

static void help(struct sim *sim, const struct member *m)
{
	const struct queue_entry *head = book_head(m);
	uint32_t dice = rng_below(&sim->rng_users, 100);

	if (dice < 5)
		give_nonsense(sim, m);
	else if (dice < 30 && head)
		give(sim, RETRY, m->pod);
	else if (dice < 75 && head && head->event != EVENT_KIND_CONFIGURE)
		give(sim, SKIP, head_of(sim, m));
	else if (dice < 80 && head)
		give(sim, SKIP, head_of(sim, m)); /* of a configure: is refused */
	else if (sim->setup.gives_up)
		give(sim, GIVE_UP, m->pod);
}

/* Somebody who looks at the status now and then and does what the README says. */
void user_looks(struct sim *sim, void *arg)
{
	const struct cluster_status *s = sim->book.is ? sim->book.is->status : NULL;

	if (!sim->setup.helps)
		return;
	for (size_t r = 0; s && r < s->roles_count; r++) {
		for (size_t i = 0; i < s->roles[r].members_count; i++) {
			const struct member *m = &s->roles[r].members[i];

			if (needs_help(sim, s, m) && rng_chance(&sim->rng_users, 700))
				help(sim, m);
			else if (rng_chance(&sim->rng_users, 30))
				give_nonsense(sim, m);
		}
	}
	clock_in(&sim->clock, rng_between(&sim->rng_users, LOOKS_EVERY_MS / 2, LOOKS_EVERY_MS * 2), user_looks, arg);
}

static void let_go(struct sim *sim, void *arg)
{
	(void)arg;
	user_patches(sim, "{\"metadata\":{\"annotations\":{\"" PREFIX "paused\":null}}}");
	sim->book.held_at = 0;
	if (!sim->faults.is_on)
		sim->faults.calm_since = sim->clock.now;
}

/* The annotation: nothing is changed while it is there. */
void user_holds(struct sim *sim, void *arg)
{
	(void)arg;
	if (!user_patches(sim, "{\"metadata\":{\"annotations\":{\"" PREFIX "paused\":\"true\"}}}"))
		return;
	sim->book.held_at = sim->clock.now;
	clock_in(&sim->clock, sim->setup.held_s * 1000, let_go, NULL);
}
