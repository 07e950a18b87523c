#include "sim.h"

#include <inttypes.h>

static bool is_going_in(const struct run *run, const struct box *box)
{
	return run->box == box && run->state == RUN_GOING;
}

/* Execs that waited in a container that is gone, or for a process that is, end without an answer. */
static void drop_waits(struct sim *sim, struct run *run)
{
	struct wait *wait = run->waits;

	run->waits = NULL;
	for (; wait; wait = wait->next)
		wire_exec_ended(sim, wait->flight, &(struct exec_result){
			.end = EXEC_LOST, .output = "", .message = "the stream ended without a Status",
		});
}

static void cut(struct sim *sim, struct run *run)
{
	run->state = RUN_CUT;
	run->ended_at = sim->clock.now;
	trace(sim, "member %s: cut %s id=%" PRId64 " attempt=%" PRId64, run->seat->pod, event_kind_text(run->event),
	      run->id, run->attempt);
	book_ended(sim, run);
	drop_waits(sim, run);
}

void box_kill_handler(struct sim *sim, struct box *box)
{
	for (size_t i = box->seat->run_count; i-- > 0;) {
		if (is_going_in(box->seat->runs[i], box))
			cut(sim, box->seat->runs[i]);
	}
}

void box_kill(struct sim *sim, struct box *box)
{
	if (!box || !box->alive)
		return;
	box->alive = box->frozen = box->ready = false;
	box_kill_handler(sim, box);
}

void box_freeze(struct sim *sim, struct box *box)
{
	if (!box->alive || box->frozen)
		return;
	box->frozen = true;
	trace(sim, "member %s: frozen", box->seat->pod);
}

static void ends_now(struct sim *sim, void *arg)
{
	struct run *run = arg;

	if (run->state == RUN_GOING && !run->box->frozen)
		seat_run_ended(sim, run, run->due);
}

void box_thaw(struct sim *sim, struct box *box)
{
	if (!box->alive || !box->frozen)
		return;
	box->frozen = false;
	box->thawed_at = sim->clock.now;
	trace(sim, "member %s: thawed", box->seat->pod);
	for (size_t i = 0; i < box->seat->run_count; i++) {
		struct run *run = box->seat->runs[i];

		if (is_going_in(run, box) && run->due != RUN_GOING)
			clock_in(&sim->clock, 5, ends_now, run);
	}
}
