#include "sim.h"

#include <stdio.h>
#include <string.h>

/* Longer than any retryLimit of a setup. */
#define FAILS_FOR_EVER 1000
/* Longer than any limit of a handler. */
#define HANGS_MS 3600000

void faults_draw(struct sim *sim)
{
	struct faults *f = &sim->faults;
	uint32_t level = (uint32_t)sim->setup.fault_level;

	f->calm_since = CLOCK_START;
	f->request = rng_below(&sim->rng_faults, level * 20 + 1);
	f->exec = rng_below(&sim->rng_faults, level * 40 + 1);
	f->conflict = rng_below(&sim->rng_faults, level * 30 + 1);
	f->cut = rng_below(&sim->rng_faults, level * 10 + 1);
	f->slow = rng_below(&sim->rng_faults, level * 30 + 1);
	f->deaf = rng_below(&sim->rng_faults, level * 20 + 1);
	f->quota = rng_below(&sim->rng_faults, level * 40 + 1);
	f->handler = rng_below(&sim->rng_faults, level * 50 + 1);
	f->lasting = rng_below(&sim->rng_faults, level * 20 + 1);
	f->pause_ms = 60000 / level;
}

static enum fate bad_fate(struct sim *sim)
{
	return (enum fate)rng_between(&sim->rng_faults, FATE_REJECTED, FATE_ANSWER_NEVER);
}

enum fate faults_of_request(struct sim *sim, enum verb verb)
{
	enum fate fate = FATE_GOOD;

	if (sim->faults.is_on && rng_chance(&sim->rng_faults, sim->faults.request))
		fate = bad_fate(sim);
	if (verb == VERB_WATCH && fate > FATE_SWALLOWED)
		return FATE_NO_WAY;
	return fate;
}

enum fate faults_of_exec(struct sim *sim)
{
	enum fate fate = FATE_GOOD;

	if (sim->faults.is_on && rng_chance(&sim->rng_faults, sim->faults.exec))
		fate = bad_fate(sim);
	return fate == FATE_ANSWER_5XX ? FATE_ANSWER_CUT : fate;
}

bool faults_cut_input(struct sim *sim)
{
	return sim->faults.is_on && rng_chance(&sim->rng_faults, sim->faults.exec);
}

/* A real conflict: the object did change, and a watch will say so. */
void faults_before(struct sim *sim, const struct flight *f)
{
	enum verb verb = f->request.verb;

	if (sim->faults.is_on && (verb == VERB_UPDATE || verb == VERB_APPLY || verb == VERB_PATCH) &&
	    rng_chance(&sim->rng_faults, sim->faults.conflict))
		user_touches(sim, f->request.path);
}

bool faults_cut_watch(struct sim *sim)
{
	return sim->faults.is_on && rng_chance(&sim->rng_faults, sim->faults.cut);
}

bool faults_deafen(struct sim *sim)
{
	return sim->faults.is_on && rng_chance(&sim->rng_faults, sim->faults.deaf);
}

int64_t faults_watch_delay(struct sim *sim)
{
	bool slow = sim->faults.is_on && rng_chance(&sim->rng_faults, sim->faults.slow);

	return slow ? rng_between(&sim->rng_faults, 100, 4000) : rng_between(&sim->rng_faults, 1, 8);
}

bool faults_refuse_pod(struct sim *sim)
{
	return sim->faults.is_on && rng_chance(&sim->rng_kube, sim->faults.quota);
}

/* The same for every run of one notification in one member, however often it is asked. */
static uint32_t luck_of(const struct sim *sim, const struct run *run)
{
	uint64_t h = sim->seed * 31 + (uint64_t)run->id;
	struct rng r;

	for (const char *p = run->seat->pod; *p; p++)
		h = h * 1099511628211u + (unsigned char)*p;
	rng_seed(&r, h, 9);
	return rng_next(&r);
}

bool faults_lost_for_good(const struct sim *sim, const struct seat *seat)
{
	const struct setup *s = &sim->setup;
	const char *dash = strrchr(seat->pod, '-');

	return s->outlook == OUTLOOK_LOST && sim->book.edited_at && !sim->is_mended &&
	       strcmp(seat->role, s->roles[s->stuck_role].id) == 0 && dash && dash[1] - '0' == s->stuck_member;
}

bool faults_hold_container(const struct sim *sim, const struct seat *seat)
{
	(void)sim;
	(void)seat;
	return false;
}

static bool is_stuck(const struct sim *sim, const struct run *run)
{
	const struct setup *s = &sim->setup;
	const char *dash = strrchr(run->seat->pod, '-');

	return s->outlook == OUTLOOK_HANDLER && !sim->is_mended && run->event == s->stuck_event &&
	       strcmp(run->seat->role, s->roles[s->stuck_role].id) == 0 && dash && dash[1] - '0' == s->stuck_member &&
	       (s->stuck_event != EVENT_KIND_CONFIGURE || strcmp(run->box->image, IMAGE_B) == 0);
}

int faults_exit_code(struct sim *sim, const struct run *run)
{
	uint32_t luck = luck_of(sim, run);
	int64_t failing = 0;

	if (sim->setup.is_faulty && luck % 1000 < sim->faults.handler && sim->setup.retry_limit > 1)
		failing = 1 + (int64_t)(luck / 1000) % (sim->setup.retry_limit - 1);
	if (is_stuck(sim, run))
		failing = FAILS_FOR_EVER;
	return run->attempt <= failing ? 1 + (int)(luck / 7 % 3) : 0;
}

int64_t faults_handler_ms(struct sim *sim, const struct run *run)
{
	uint32_t luck = rng_below(&sim->rng_faults, 1000);

	if (herd_hangs(sim, run))
		return HANGS_MS;
	if (sim->setup.cost)
		return cost_handler_ms(sim, run);
	if (!sim->setup.is_faulty || luck >= sim->faults.lasting)
		return rng_between(&sim->rng_faults, 30, 70);
	/* A handler that hangs is a failure of its run, so only one that has attempts left may. */
	if (luck % 4 == 0 && run->attempt < sim->setup.retry_limit)
		return HANGS_MS;
	return rng_between(&sim->rng_faults, 11000, 15000);
}

bool faults_are_over(const struct sim *sim, int64_t span_ms)
{
	return !sim->faults.is_on && sim->op && sim->clock.now - sim->faults.calm_since >= span_ms &&
	       sim->clock.now - sim->op_since >= span_ms;
}
