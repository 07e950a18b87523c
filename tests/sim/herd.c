/*
 * Many clusters at once, upgraded while the handler of one member hangs until its limit: nobody else may notice. Each run is
 * laid beside one in which nothing hangs. The dice are loaded for that (struct rng .is_flat): what takes a time of its own
 * takes the same in both, so that every difference is the operator's.
 */
#include "sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CLUSTERS 50
#define MEMBERS 2
#define READY_MS 30000
#define STAGGER_MS 40        /* between the edits of spec.app of one cluster and the next */
#define WITHIN_MS (30 * 60000)
#define MORE_PER_CENT 5      /* that an upgrade may take longer beside a hanging handler */
#define HANGS_IN 17          /* the cluster whose member hangs */
#define SEATS_MAX (CLUSTERS * MEMBERS)

static const enum event_kind hanging[] = {
	EVENT_KIND_CONFIGURE, EVENT_KIND_POD_UPGRADED, EVENT_KIND_ROLE_UPGRADED, EVENT_KIND_CLUSTER_UPGRADED,
};

/* When each member had heard all there was to hear, after the edit of its cluster: of the run in which nothing hangs. */
static int64_t undisturbed[SEATS_MAX];

uint64_t herd_variants(void)
{
	return sizeof(hanging) / sizeof(hanging[0]);
}

static enum event_kind hanging_event(const struct sim *sim)
{
	return sim->setup.herd > 1 ? hanging[sim->setup.herd - 2] : EVENT_KIND_NONE;
}

static int cluster_of(const struct seat *seat)
{
	int number = 0;

	sscanf(seat->pod, "c%d-", &number);
	return number;
}

/* The member with the highest index goes first. */
static bool is_chosen(const struct seat *seat)
{
	return cluster_of(seat) == HANGS_IN && strcmp(strrchr(seat->pod, '-'), "-1") == 0;
}

bool herd_hangs(const struct sim *sim, const struct run *run)
{
	return sim->setup.herd && run->event == hanging_event(sim) && run->attempt == 1 && is_chosen(run->seat) &&
	       strcmp(run->box->image, IMAGE_B) == 0;
}

static const cJSON *status_of(const struct object *cluster)
{
	return json_get(cluster->tree, "status");
}

static bool all_run(const struct sim *sim, const char *app)
{
	for (size_t i = 0; i < sim->etcd.count[KIND_CLUSTER]; i++) {
		const cJSON *s = status_of(sim->etcd.objects[KIND_CLUSTER][i]);
		const char *state = json_str(s, "state"), *runs = json_str(s, "app");

		if (!state || strcmp(state, "configured") != 0 || !runs || strcmp(runs, app) != 0 ||
		    json_get(s, "upgradeInfo"))
			return false;
	}
	return true;
}

static bool all_run_a(struct sim *sim)
{
	return all_run(sim, APP_A);
}

static bool all_run_b(struct sim *sim)
{
	return all_run(sim, APP_B);
}

static bool never(struct sim *sim)
{
	(void)sim;
	return false;
}

static void must_reach(struct sim *sim, bool (*done)(struct sim *sim), const char *what)
{
	if (!sim->broken && !sim_run(sim, sim->clock.now + WITHIN_MS, done))
		violation(sim, RULE_LIVE, "not all clusters are %s", what);
}

static void edit(struct sim *sim, void *arg)
{
	const char *path = arg;

	api_handle(sim, VERB_PATCH, path, "{\"spec\":{\"app\":\"" APP_B "\"}}");
}

/* When SEAT's last handler ended, after the edit of its cluster. */
static int64_t heard_all_at(const struct seat *seat, int64_t begun)
{
	return seat->runs[seat->run_count - 1]->ended_at - begun - cluster_of(seat) * STAGGER_MS;
}

/* Who waits for the hanging one by right: it, and where it is not yet upgraded the member that goes after it. */
static bool has_to_wait(const struct sim *sim, const struct seat *seat)
{
	return is_chosen(seat) || (cluster_of(seat) == HANGS_IN && hanging_event(sim) <= EVENT_KIND_POD_UPGRADED);
}

static void nobody_noticed(struct sim *sim, int64_t begun)
{
	const struct seat *seat = sim->seats;

	for (int i = 0; seat && i < SEATS_MAX && !sim->broken; seat = seat->next, i++) {
		int64_t took = heard_all_at(seat, begun);

		if (hanging_event(sim) == EVENT_KIND_NONE)
			undisturbed[i] = took;
		if (hanging_event(sim) == EVENT_KIND_NONE || has_to_wait(sim, seat))
			continue;
		arose(RULE_ALONE);
		if (took * 100 > undisturbed[i] * (100 + MORE_PER_CENT))
			violation(sim, RULE_ALONE, "%s hangs in %s, and %s took %" PRId64 " ms instead of %" PRId64,
			          event_kind_text(hanging_event(sim)), CLUSTER_NAME, seat->pod, took, undisturbed[i]);
	}
}

void herd_run(struct sim *sim)
{
	int64_t begun;

	user_creates_all(sim);
	for (int i = 2; i <= CLUSTERS; i++)
		user_creates_cluster(sim, arena_printf(&sim->arena, "c%d", i));
	must_reach(sim, all_run_a, "configured on A");
	/* Until all are Ready: one that is not would be replaced together with the next. */
	sim_run(sim, sim->clock.now + READY_MS, never);
	begun = sim->clock.now;
	for (int i = 1; i <= CLUSTERS; i++)
		clock_in(&sim->clock, i * STAGGER_MS, edit, arena_printf(&sim->arena, "%s/clusters/c%d", SIM_API, i));
	sim_run(sim, begun + (CLUSTERS + 1) * STAGGER_MS, never);
	must_reach(sim, all_run_b, "upgraded to B");
	nobody_noticed(sim, begun);
	sim->busy_requests = sim->wire.sent;
}

struct setup setup_herd(uint64_t number)
{
	struct setup s = setup_plain(false, 0);

	s.name = "50 clusters";
	s.herd = (int)number + 1;
	s.role_count = 1;
	s.roles[0].members = MEMBERS;
	return s;
}
