/*
 * Members that come and go: what the user asks for, before an upgrade and after it. What then has to hold of the configmeta is
 * judged in config_promises.c, who hears of it in scale_promises.c.
 */
#include "sim.h"

#define MEMBERS_MAX 5
#define MINUTE INT64_C(60000)

static bool user_asks_for_members(struct sim *sim)
{
	cleanup_strbuf struct strbuf b = {0};
	const struct setup *s = &sim->setup;

	for (int i = 0; i < s->role_count; i++)
		strbuf_addf(&b, "%s{\"id\":\"%s\",\"members\":%d}", i ? "," : "", s->roles[i].id, s->roles[i].members);
	return user_patches(sim, "{\"spec\":{\"roles\":[%s]}}", strbuf_str(&b));
}

static void resize_once(struct sim *sim)
{
	struct setup *s = &sim->setup;

	for (int i = 0; i < s->role_count; i++) {
		/* The member that is to be in trouble later has to be there. */
		int least = i == s->stuck_role && s->outlook != OUTLOOK_GOOD ? s->stuck_member + 1 : 1;

		if (s->role_count == 1 || rng_chance(&sim->rng_sizes, 600))
			s->roles[i].members = (int)rng_between(&sim->rng_sizes, least, MEMBERS_MAX);
	}
	if (!user_asks_for_members(sim))
		violation(sim, RULE_API, "another number of members is refused");
}

static bool never(struct sim *sim)
{
	(void)sim;
	return false;
}

/* Several edits may be made before the first is finished. */
void users_resize(struct sim *sim, int edits, bool (*is_done)(struct sim *sim))
{
	int64_t trouble_s = sim->setup.is_faulty ? rng_between(&sim->rng_sizes, 0, 120) : 0;

	if (edits == 0 || sim->broken)
		return;
	if (trouble_s)
		faults_begin(sim, trouble_s * 1000);
	if (sim->setup.held_s)
		clock_in(&sim->clock, rng_between(&sim->rng_sizes, 0, 5000), user_holds, NULL);
	for (; edits > 0; edits--) {
		resize_once(sim);
		sim_run(sim, sim->clock.now + rng_between(&sim->rng_sizes, 0, MINUTE), never);
	}
	scenario_must_reach(sim, (trouble_s + sim->setup.held_s) * 1000 + 60 * MINUTE, is_done,
	                    "through with members that come and go");
	if (sim->faults.is_on)
		faults_end(sim);
	/* Done early: the user lets go later all the same. */
	sim_run(sim, sim->clock.now + sim->setup.held_s * 1000 + 5000, never);
	scenario_must_reach(sim, 60 * MINUTE, is_done, "through with members that come and go, once more");
	scenario_must_reach(sim, 2 * MINUTE, configs_are_current, "done with configmeta for everybody");
}

/* Whoever left is no member any more: one that comes under the same name later is another. */
void book_forget_leavers(struct sim *sim)
{
	struct book *b = &sim->book;

	for (struct book_member **m = &b->members; *m;) {
		struct seat *seat = seat_find(sim, (*m)->pod);

		if (!b->was || !b->is || !book_find(b->was, (*m)->pod, NULL) || book_find(b->is, (*m)->pod, NULL)) {
			m = &(*m)->next;
			continue;
		}
		if (seat && seat->uid)
			violation(sim, RULE_N7, "%s is forgotten and its pod is there", seat->pod);
		if (seat)
			seat_remove(sim, seat);
		*m = (*m)->next;
	}
}
