#include "sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX ((size_t)1 << 30)
#define STEPS_MAX 400000 /* a run that needs more goes round in circles */
#define RESTART_MS 2000

static void start_operator(struct sim *sim, void *arg)
{
	struct operator_options options = {.namespace = SIM_NAMESPACE, .instance = "sim"};

	(void)arg;
	sim->world = wire_world(sim);
	sim->op = operator_new(&sim->world, &options);
	sim->op_since = sim->op_wants_at = sim->clock.now;
	trace(sim, "operator starts");
}

void sim_init(struct sim *sim, const struct setup *setup, bool is_loud)
{
	*sim = (struct sim){.seed = setup->seed, .setup = *setup, .is_loud = is_loud};
	sim->arena.cap = ARENA_MAX;
	sim->scratch = &sim->arena;
	clock_init(&sim->clock);
	rng_seed(&sim->rng_wire, setup->seed, 1);
	rng_seed(&sim->rng_kube, setup->seed, 2);
	rng_seed(&sim->rng_faults, setup->seed, 3);
	rng_seed(&sim->rng_chaos, setup->seed, 4);
	rng_seed(&sim->rng_operator, setup->seed, 5);
	rng_seed(&sim->rng_users, setup->seed, 6);
	rng_seed(&sim->rng_sizes, setup->seed, 7);
	sim->rng_wire.is_flat = sim->rng_kube.is_flat = sim->rng_faults.is_flat = sim->rng_operator.is_flat =
		setup->herd || setup->cost;
	sim->wire.crash_after = setup->crash_after;
	start_operator(sim, NULL);
}

static void stop_operator(struct sim *sim)
{
	operator_free(sim->op);
	sim->op = NULL;
	wire_orphan(sim);
}

void sim_release(struct sim *sim)
{
	stop_operator(sim);
	book_release(&sim->book);
	kube_release(&sim->kube);
	etcd_release(&sim->etcd);
	strmap_release(&sim->seat_index);
	clock_release(&sim->clock);
	arena_release(&sim->arena);
}

void sim_crash(struct sim *sim, int64_t down_ms)
{
	if (!sim->op)
		return;
	trace(sim, "operator crashes (after request %" PRIu64 ")", sim->wire.sent);
	stop_operator(sim);
	sim->crashes++;
	clock_in(&sim->clock, down_ms, start_operator, NULL);
}

static void run_operator(struct sim *sim)
{
	if (sim->op)
		sim->op_wants_at = operator_tick(sim->op);
	if (sim->wire.crash_due)
		sim_crash(sim, rng_between(&sim->rng_chaos, 100, RESTART_MS));
}

/* The next event, or the operator's own wish to be called, whichever comes first. */
static void step(struct sim *sim)
{
	int64_t next = clock_next(&sim->clock);

	sim->steps++;
	if (sim->op && sim->op_wants_at < next) {
		if (sim->op_wants_at > sim->clock.now)
			sim->clock.now = sim->op_wants_at;
	} else {
		struct clock_event e = clock_pop(&sim->clock);

		sim->clock.now = e.at;
		e.fn(sim, e.arg);
	}
	run_operator(sim);
	promises_check(sim);
}

bool sim_run(struct sim *sim, int64_t until, bool (*done)(struct sim *sim))
{
	uint64_t last = sim->steps + STEPS_MAX;

	while (!sim->broken && !done(sim)) {
		int64_t next = clock_next(&sim->clock);

		if (sim->op && sim->op_wants_at < next)
			next = sim->op_wants_at;
		if (next == CLOCK_NEVER || next > until) {
			if (sim->clock.now < until)
				sim->clock.now = until;
			return false;
		}
		if (sim->steps > last) {
			violation(sim, RULE_LIVE, "%d steps without an end: something spins", STEPS_MAX);
			return false;
		}
		step(sim);
	}
	return !sim->broken;
}

static void print_line(const char *indent, int64_t at, const char *text)
{
	printf("%s[%9.3fs] %s\n", indent, (double)(at - CLOCK_START) / 1000, text);
}

void trace(struct sim *sim, const char *fmt, ...)
{
	size_t i = sim->trace_count++ % TRACE_LINES;
	va_list args;

	sim->trace[i].at = sim->clock.now;
	va_start(args, fmt);
	vsnprintf(sim->trace[i].text, TRACE_LENGTH, fmt, args);
	va_end(args);
	if (sim->is_loud)
		print_line("", sim->trace[i].at, sim->trace[i].text);
}

void violation(struct sim *sim, enum rule rule, const char *fmt, ...)
{
	size_t first = sim->trace_count > TRACE_LINES ? sim->trace_count - TRACE_LINES : 0;
	char text[1024];
	va_list args;

	if (sim->broken)
		return;
	sim->broken = true;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	printf("VIOLATION seed %" PRIu64 ", %s, rule %s: %s\n", sim->seed, sim->setup.name, rule_name(rule), text);
	for (size_t i = first; i < sim->trace_count && !sim->is_loud; i++)
		print_line("    ", sim->trace[i % TRACE_LINES].at, sim->trace[i % TRACE_LINES].text);
	print_line("", sim->clock.now, "here");
}
