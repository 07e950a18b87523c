#include "sim.h"

#include <stdio.h>
#include <string.h>

static struct seat *some_seat(struct sim *sim)
{
	uint32_t count = 0, n;
	struct seat *seat;

	for (seat = sim->seats; seat; seat = seat->next)
		count++;
	n = rng_below(&sim->rng_chaos, count);
	for (seat = sim->seats; seat && n; seat = seat->next)
		n--;
	return seat;
}

static void restart(struct sim *sim)
{
	struct seat *seat = some_seat(sim);

	if (seat)
		kubelet_restart(sim, seat);
}

static void lose(struct sim *sim)
{
	struct seat *seat = some_seat(sim);

	if (seat)
		kubelet_lose(sim, seat);
}

/* Somebody else deletes a pod, as a drain does. */
static void drain(struct sim *sim)
{
	struct seat *seat = some_seat(sim);
	struct object *pod = seat && seat->uid ? etcd_find(&sim->etcd, KIND_POD, seat->pod) : NULL;

	if (!pod)
		return;
	trace(sim, "user: deletes pod %s", pod->name);
	api_delete(sim, pod, NULL);
}

static void thaw(struct sim *sim, void *arg)
{
	box_thaw(sim, arg);
}

static void freeze_for_a_while(struct sim *sim)
{
	struct seat *seat = some_seat(sim);

	if (!seat || !seat->box || !seat->box->alive)
		return;
	box_freeze(sim, seat->box);
	clock_in(&sim->clock, rng_between(&sim->rng_chaos, 500, 60000), thaw, seat->box);
}

static void kill_handler(struct sim *sim)
{
	struct seat *seat = some_seat(sim);

	if (seat && seat->box && seat->box->alive && !seat->box->frozen)
		box_kill_handler(sim, seat->box);
}

static void touch_pod(struct sim *sim)
{
	struct seat *seat = some_seat(sim);

	if (seat && seat->uid)
		user_touches(sim, arena_printf(&sim->arena, "/api/v1/namespaces/" SIM_NAMESPACE "/pods/%s", seat->pod));
}

static void compact(struct sim *sim)
{
	trace(sim, "server: history compacted");
	sim->etcd.compacted = sim->etcd.last;
}

static void cut_watches(struct sim *sim)
{
	/* Often the reason for both: the server was restarted. */
	if (rng_chance(&sim->rng_chaos, 500))
		compact(sim);
	stream_cut_all(sim);
}

static void crash(struct sim *sim)
{
	sim->wire.crash_due = sim->op != NULL;
}

static void (*const acts[])(struct sim *sim) = {
	restart, restart, lose, drain, freeze_for_a_while, freeze_for_a_while, kill_handler, touch_pod, compact,
	cut_watches, cut_watches, crash, crash, user_edits_in_lock, user_deletes_apps,
};

static int64_t pause_ms(struct sim *sim)
{
	return rng_between(&sim->rng_chaos, 1, 2 * sim->faults.pause_ms);
}

static void act(struct sim *sim, void *arg)
{
	if (!sim->faults.is_on || (uintptr_t)arg != sim->faults.round)
		return;
	acts[rng_below(&sim->rng_chaos, sizeof(acts) / sizeof(acts[0]))](sim);
	clock_in(&sim->clock, pause_ms(sim), act, arg);
}

static void time_is_up(struct sim *sim, void *arg)
{
	if (sim->faults.is_on && (uintptr_t)arg == sim->faults.round)
		faults_end(sim);
}

void faults_begin(struct sim *sim, int64_t for_ms)
{
	void *round = (void *)++sim->faults.round;

	trace(sim, "---- faults begin");
	sim->faults.is_on = true;
	clock_in(&sim->clock, pause_ms(sim), act, round);
	clock_in(&sim->clock, for_ms, time_is_up, round);
}

void faults_end(struct sim *sim)
{
	trace(sim, "---- faults end");
	sim->faults.is_on = false;
	sim->faults.calm_since = sim->clock.now;
	for (struct seat *seat = sim->seats; seat; seat = seat->next) {
		if (seat->box)
			box_thaw(sim, seat->box);
	}
	/* What hangs or has gone deaf is noticed by its silence only; until then this would not be calm. */
	wire_break_silence(sim);
	stream_cut_all(sim);
}
