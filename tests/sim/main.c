/*
 * build/sim [--seeds N] [--seed K] [-j N] [--trace] [--strict] [--crash-all | --no-crash] [--every N]: runs seeds 1..N (or K
 * alone), then crashes the operator after every request of a plain upgrade, of one with a frozen member, of a rollback and of one around
 * which members come and go, and goes back after every request of an upgrade. In N processes, as many as there are cores when N is not given.
 */
#include "pieces.h"
#include "sim.h"
#include "workers.h"

#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/log.h"

#define SEEDS_DEFAULT 200
#define AROSE_MIN 100   /* times that a rule's situation has to arise in a run of at least SEEDS_DEFAULT seeds */
#define BACK_HALFWAY 40 /* requests of an upgrade of 2 x 2 members after which about half of it is done */

static struct options {
	uint64_t seeds, seed, every;
	unsigned jobs;
	bool loud, strict, seeds_too, crashes_too;
} options = {.seeds = SEEDS_DEFAULT, .every = 1, .seeds_too = true, .crashes_too = true};

static struct sim sim; /* the trace makes it large for a stack */

/* An assertion of the operator: says where it was in its story before it dies. */
static void on_abort(int number)
{
	violation(&sim, RULE_LIVE, "the operator aborts");
	workers_flush();
	signal(number, SIG_DFL);
}

/* Runs one setup and returns how many requests it took. */
static uint64_t run(const struct setup *setup, struct totals *t)
{
	uint64_t requests;

	sim_init(&sim, setup, options.loud);
	scenario_run(&sim);
	if (sim.broken && (setup->crash_after || setup->back_after))
		printf("    (crash after request %" PRIu64 ", back after %" PRIu64 ")\n", setup->crash_after,
		       setup->back_after);
	requests = sim.busy_requests;
	t->runs++;
	t->failed += sim.broken;
	t->steps += sim.steps;
	t->crashes += sim.crashes;
	rules_add(t->arose);
	figures_add(&t->figures, &sim.figures);
	sim_release(&sim);
	return requests;
}

/* Of a seed, or with a crash after request NUMBER, or with the user going back after it; 0: neither. */
static struct setup seeded(uint64_t number)
{
	return setup_of_seed(number, options.strict);
}

static struct setup crashed(uint64_t number)
{
	return setup_plain(false, number);
}

static struct setup crashed_frozen(uint64_t number)
{
	return setup_plain(true, number);
}

static struct setup crashed_back(uint64_t number)
{
	return setup_back(true, BACK_HALFWAY, number);
}

static struct setup crashed_resized(uint64_t number)
{
	return setup_resized(number);
}

static struct setup back_on_sending(uint64_t number)
{
	return setup_back(false, number, 0);
}

static struct setup back_on_arrival(uint64_t number)
{
	return setup_back(true, number, 0);
}

static void run_seeds(struct totals *t)
{
	uint64_t first = options.seed ? options.seed : 1, last = options.seed ? options.seed : options.seeds;

	workers_run(&(struct batch){.first = first, .last = last, .every = 1, .make = seeded, .run = run}, options.jobs, t);
}

/* Something happens after every request: whatever one of them did, the operator has to find its way from status alone. */
static void run_sweeps(struct totals *t)
{
	static const struct {
		const char *text;
		struct setup (*make)(uint64_t number), (*counted)(uint64_t number);
	} sweeps[] = {
		{"a crash after each", crashed, crashed},
		{"a crash after each", crashed_frozen, crashed_frozen},
		{"a crash after each", crashed_back, crashed_back},
		{"a crash after each", crashed_resized, crashed_resized},
		{"back when one leaves", back_on_sending, crashed},
		{"back when one has arrived", back_on_arrival, crashed},
		{"and once with a hanging handler for each of four events", setup_herd, setup_herd},
		{"forward, and back from half-way on", setup_cost, setup_cost},
	};

	for (size_t i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++) {
		struct setup whole = sweeps[i].counted(0);
		uint64_t requests = run(&whole, t);

		uint64_t variants = whole.herd ? herd_variants() : whole.cost ? cost_variants() : 0;
		uint64_t last = variants ? variants : requests, every = variants ? 1 : options.every;

		printf("%s: %" PRIu64 " requests, %s\n", whole.name, requests, sweeps[i].text);
		if (requests)
			workers_run(&(struct batch){.first = every, .last = last, .every = every, .make = sweeps[i].make,
			                            .run = run}, options.jobs, t);
	}
}

static _Noreturn void usage(const char *program)
{
	fprintf(stderr, "usage: %s [--seeds N] [--seed K] [-j N] [--trace] [--strict] [--crash-all | --no-crash] [--every N]\n",
	        program);
	exit(2);
}

/* As make says it. */
static bool read_assignment(const char *text)
{
	if (sscanf(text, "SEED=%" SCNu64, &options.seed) == 1)
		options.crashes_too = false;
	return options.seed || sscanf(text, "SEEDS=%" SCNu64, &options.seeds) == 1 ||
	       sscanf(text, "EVERY=%" SCNu64, &options.every) == 1;
}

static void read_options(int argc, char **argv)
{
	static const struct option names[] = {
		{"seeds", required_argument, NULL, 'n'}, {"seed", required_argument, NULL, 's'},
		{"trace", no_argument, NULL, 't'},       {"crash-all", no_argument, NULL, 'c'},
		{"no-crash", no_argument, NULL, 'x'},    {"strict", no_argument, NULL, 'r'},
		{"jobs", required_argument, NULL, 'j'},  {"every", required_argument, NULL, 'e'},
		{NULL, 0, NULL, 0},
	};
	struct options *o = &options;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	o->jobs = cores > 0 ? (unsigned)cores : 1;
	for (int c; (c = getopt_long(argc, argv, "j:", names, NULL)) != -1;) {
		if (c == 'n')
			o->seeds = strtoull(optarg, NULL, 10);
		else if (c == 's')
			o->seed = strtoull(optarg, NULL, 10);
		else if (c == 'j')
			o->jobs = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'e')
			o->every = strtoull(optarg, NULL, 10);
		else if (c == '?')
			usage(argv[0]);
		o->loud = o->loud || c == 't';
		o->strict = o->strict || c == 'r';
		o->seeds_too = o->seeds_too && c != 'c';
		o->crashes_too = o->crashes_too && c != 'x' && c != 's';
	}
	for (; optind < argc; optind++) {
		if (!read_assignment(argv[optind]))
			usage(argv[0]);
	}
	if (o->every == 0)
		usage(argv[0]);
	if (o->loud)
		o->jobs = 1;
}

/* How many rules did not prove enough. */
static int print_rules(const struct totals *t)
{
	uint64_t least = options.seeds_too && !options.seed ? options.seeds >= SEEDS_DEFAULT ? AROSE_MIN : 1 : 0;
	int missing = 0;

	for (int r = 0; r < RULES; r++) {
		bool is_enough = t->arose[r] >= least || ((r == RULE_ALONE || r == RULE_COST) && !options.crashes_too);

		printf("%-6s arose %8" PRIu64 " times   %s%s\n", rule_name((enum rule)r), t->arose[r],
		       rule_text((enum rule)r), is_enough ? "" : t->arose[r] ? "   TOO SELDOM" : "   NEVER AROSE");
		missing += !is_enough;
	}
	return missing;
}

int main(int argc, char **argv)
{
	struct totals t = {0};
	int missing;

	read_options(argc, argv);
	pieces_use();
	setvbuf(stdout, NULL, _IOLBF, 0);
	log_set_fd(open("/dev/null", O_WRONLY));
	log_set_level(LOG_ERROR);
	signal(SIGABRT, on_abort);
	if (options.seeds_too)
		run_seeds(&t);
	if (options.crashes_too)
		run_sweeps(&t);
	missing = print_rules(&t);
	figures_print(&t.figures);
	printf("seeds %" PRIu64 ", steps %" PRIu64 ", crashes %" PRIu64 ", violations %" PRIu64 "\n", t.runs, t.steps,
	       t.crashes, t.failed);
	printf("%" PRIu64 " passed, %" PRIu64 " failed, 0 skipped\n", t.runs - t.failed, t.failed + (uint64_t)missing);
	return t.failed || missing ? 1 : 0;
}
