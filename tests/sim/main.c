/*
 * build/sim [--seeds N] [--seed K] [--trace] [--strict] [--crash-all | --no-crash]: runs seeds 1..N (or K alone), then crashes the
 * operator after every request of a plain upgrade and of one with a frozen member.
 */
#include "sim.h"

#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/log.h"

#define SEEDS_DEFAULT 200
#define BACK_HALFWAY 40 /* requests of an upgrade of 2 x 2 members after which about half of it is done */
#define FAILURES_MAX 10 /* more of them say nothing new */

struct totals {
	uint64_t runs, failed, steps, crashes;
};

struct options {
	uint64_t seeds, seed;
	bool loud, strict, seeds_too, crashes_too;
};

static struct sim sim; /* the trace makes it large for a stack */

/* An assertion of the operator: says where it was in its story before it dies. */
static void on_abort(int number)
{
	violation(&sim, RULE_LIVE, "the operator aborts");
	fflush(stdout);
	signal(number, SIG_DFL);
}

/* Runs one setup and returns how many requests it took. */
static uint64_t run(const struct setup *setup, bool is_loud, struct totals *t)
{
	uint64_t requests;

	sim_init(&sim, setup, is_loud);
	scenario_run(&sim);
	if (sim.broken && (setup->crash_after || setup->back_after))
		printf("    (crash after request %" PRIu64 ", back after %" PRIu64 ")\n", setup->crash_after,
		       setup->back_after);
	requests = sim.busy_requests;
	t->runs++;
	t->failed += sim.broken;
	t->steps += sim.steps;
	t->crashes += sim.crashes;
	sim_release(&sim);
	return requests;
}

static void run_seeds(const struct options *o, struct totals *t)
{
	uint64_t first = o->seed ? o->seed : 1, last = o->seed ? o->seed : o->seeds;

	for (uint64_t seed = first; seed <= last && t->failed < FAILURES_MAX; seed++) {
		struct setup s = setup_of_seed(seed, o->strict);

		run(&s, o->loud, t);
	}
}

/* A crash after every request: whatever one of them did, the next operator has to find its way from status alone. */
static void run_crashes(bool is_frozen, struct totals *t)
{
	struct setup s = setup_plain(is_frozen, 0);
	uint64_t sent = run(&s, false, t);

	printf("%s: %" PRIu64 " requests, a crash after each\n", s.name, sent);
	for (uint64_t k = 1; k <= sent && t->failed < FAILURES_MAX; k++) {
		s = setup_plain(is_frozen, k);
		run(&s, false, t);
	}
}

/* The user goes back after request k of the upgrade, for all k: before it arrives, and right after it took effect. */
static void run_backs(bool on_arrival, struct totals *t)
{
	struct setup s = setup_plain(false, 0);
	uint64_t sent = run(&s, false, t);

	s = setup_back(on_arrival, 0, 0);
	printf("%s: after each of %" PRIu64 " requests\n", s.name, sent);
	for (uint64_t k = 1; k <= sent && t->failed < FAILURES_MAX; k++) {
		s = setup_back(on_arrival, k, 0);
		run(&s, false, t);
	}
}

/* A crash after every request of one run whose rollback begins in the middle of the upgrade. */
static void run_back_crashes(struct totals *t)
{
	struct setup s = setup_back(true, BACK_HALFWAY, 0);
	uint64_t sent = run(&s, false, t);

	printf("rollback: %" PRIu64 " requests, a crash after each\n", sent);
	for (uint64_t k = 1; k <= sent && t->failed < FAILURES_MAX; k++) {
		s = setup_back(true, BACK_HALFWAY, k);
		run(&s, false, t);
	}
}

static _Noreturn void usage(const char *program)
{
	fprintf(stderr, "usage: %s [--seeds N] [--seed K] [--trace] [--strict] [--crash-all | --no-crash]\n", program);
	exit(2);
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {
		{"seeds", required_argument, NULL, 'n'}, {"seed", required_argument, NULL, 's'},
		{"trace", no_argument, NULL, 't'},       {"crash-all", no_argument, NULL, 'c'},
		{"no-crash", no_argument, NULL, 'x'},    {"strict", no_argument, NULL, 'r'},
		{NULL, 0, NULL, 0},
	};
	struct options o = {.seeds = SEEDS_DEFAULT, .seeds_too = true, .crashes_too = true};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'n':
			o.seeds = strtoull(optarg, NULL, 10);
			break;
		case 's':
			o.seed = strtoull(optarg, NULL, 10);
			o.crashes_too = false;
			break;
		case 't':
			o.loud = true;
			break;
		case 'r':
			o.strict = true;
			break;
		case 'c':
			o.seeds_too = false;
			break;
		case 'x':
			o.crashes_too = false;
			break;
		default:
			usage(argv[0]);
		}
	}
	/* As make says it. */
	for (; optind < argc; optind++) {
		if (sscanf(argv[optind], "SEEDS=%" SCNu64, &o.seeds) != 1 &&
		    sscanf(argv[optind], "SEED=%" SCNu64, &o.seed) != 1)
			usage(argv[0]);
		o.crashes_too = o.crashes_too && !o.seed;
	}
	return o;
}

static int print_rules(bool must_arise)
{
	int missing = 0;

	for (int r = 0; r < RULES; r++) {
		uint64_t n = rule_arose((enum rule)r);

		printf("%-6s arose %8" PRIu64 " times   %s%s\n", rule_name((enum rule)r), n, rule_text((enum rule)r),
		       n || !must_arise ? "" : "   NEVER AROSE");
		missing += must_arise && !n;
	}
	return missing;
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);
	struct totals t = {0};
	int missing;

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_set_fd(open("/dev/null", O_WRONLY));
	log_set_level(LOG_ERROR);
	signal(SIGABRT, on_abort);
	if (o.seeds_too)
		run_seeds(&o, &t);
	if (o.crashes_too) {
		run_crashes(false, &t);
		run_crashes(true, &t);
		run_backs(false, &t);
		run_backs(true, &t);
		run_back_crashes(&t);
	}
	missing = print_rules(o.seeds_too && !o.seed);
	printf("seeds %" PRIu64 ", steps %" PRIu64 ", crashes %" PRIu64 ", violations %" PRIu64 "\n", t.runs, t.steps,
	       t.crashes, t.failed);
	printf("%" PRIu64 " passed, %" PRIu64 " failed, 0 skipped\n", t.runs - t.failed, t.failed + (uint64_t)missing);
	return t.failed || missing ? 1 : 0;
}
