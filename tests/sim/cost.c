/*
 * What an upgrade, and the way back from a half-done one, costs beyond what cannot be saved: the time that pods need to come
 * back one after the other, and the handlers that somebody has to wait for. All the rest, while nothing happens in the world
 * but requests, is the operator's. The dice are flat, as in the herd.
 *
 * Work is, moment by moment: a pod that ends, is missing, or has the new image and is not Ready; a handler of its own turn
 * (configure, pod_*) in such a pod; and when all pods are there, any handler. So a role's or the cluster's events hide no
 * pause between two pods.
 */
#include "sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROLES 3
#define MEMBERS 4
#define HALF (ROLES * MEMBERS / 2)
#define WITHIN_MS (30 * 60000)
#define MORE_PER_CENT 5

/* How long handlers take: a pod of these runs for about a second before it is Ready. */
static const struct {
	const char *text;
	int64_t pod_ms;    /* of configure and pod_* */
	int64_t role_ms, cluster_ms;
} handlers[] = {
	{"quick handlers", 50, 50, 50},
	{"handlers slower than readiness", 2000, 2000, 2000},
	{"roles that digest longer than the next role takes", 1200, 15000, 50},
};
#define KINDS_OF_HANDLERS (sizeof(handlers) / sizeof(handlers[0]))

/* Forward, then back when HALF of the members are upgraded, one more, and so on until all are. */
#define POINTS (1 + ROLES * MEMBERS - HALF + 1)

uint64_t cost_variants(void)
{
	return KINDS_OF_HANDLERS * POINTS;
}

static size_t kind_of(const struct setup *s)
{
	return (size_t)(s->cost - 1) % KINDS_OF_HANDLERS;
}

/* After how many upgraded members the user goes back; 0: not. */
static int turns_after(const struct setup *s)
{
	int point = (s->cost - 1) / (int)KINDS_OF_HANDLERS;

	return point ? HALF + point - 1 : 0;
}

static bool is_of_its_pod(enum event_kind event)
{
	return event == EVENT_KIND_CONFIGURE || event == EVENT_KIND_POD_UPGRADED || event == EVENT_KIND_POD_REVERTED;
}

int64_t cost_handler_ms(const struct sim *sim, const struct run *run)
{
	size_t kind = kind_of(&sim->setup);
	bool is_of_its_role = run->event == EVENT_KIND_ROLE_UPGRADED || run->event == EVENT_KIND_ROLE_REVERTED;

	if (is_of_its_pod(run->event))
		return handlers[kind].pod_ms;
	return is_of_its_role ? handlers[kind].role_ms : handlers[kind].cluster_ms;
}

static const char *image_of(const struct sim *sim, const struct seat *seat)
{
	const struct object *pod = etcd_find(&sim->etcd, KIND_POD, seat->pod);
	const cJSON *containers = pod ? json_get(json_get(pod->tree, "spec"), "containers") : NULL;

	return containers && containers->child ? json_str(containers->child, "image") : "";
}

static const struct run *going(const struct seat *seat)
{
	const struct run *last = seat->run_count ? seat->runs[seat->run_count - 1] : NULL;

	return last && last->state == RUN_GOING && last->box == seat->box ? last : NULL;
}

/* The world works towards IMAGE. */
static bool is_at_work(const struct sim *sim, const char *image)
{
	bool all_there = true, own = false, any = false;

	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		const struct run *run = going(seat);
		bool is_new;

		if (!seat->uid || seat->ending)
			return true;
		is_new = strcmp(image_of(sim, seat), image) == 0;
		if (is_new && !(seat->box && seat->box->ready))
			return true;
		all_there = all_there && is_new;
		own = own || (is_new && run && is_of_its_pod(run->event));
		any = any || run;
	}
	return own || (all_there && any);
}

static void begin(struct sim *sim, const char *image)
{
	sim->cost = (struct cost){
		.image = image, .began_at = sim->clock.now, .looked_at = sim->clock.now,
		.history = sim->etcd.history_count,
	};
}

/* Versions of the Cluster since the user's edit: nobody else writes here. */
static uint64_t status_writes(const struct sim *sim)
{
	uint64_t n = 0;

	for (size_t i = sim->cost.history; i < sim->etcd.history_count; i++)
		n += sim->etcd.history[i].kind == KIND_CLUSTER;
	return n - 1;
}

/* Called before each step: what held after the last one held until now. */
static void look(struct sim *sim)
{
	struct cost *c = &sim->cost;

	if (c->was_at_work)
		c->work_ms += sim->clock.now - c->looked_at;
	c->looked_at = sim->clock.now;
	c->was_at_work = is_at_work(sim, c->image);
}

static bool is_over(struct sim *sim)
{
	look(sim);
	return sim->book.upgrade_is_over;
}

static int upgraded(const struct sim *sim)
{
	const struct cluster_status *s = sim->book.is ? sim->book.is->status : NULL;
	int n = 0;

	for (size_t r = 0; s && r < s->roles_count; r++) {
		for (size_t i = 0; i < s->roles[r].members_count; i++)
			n += s->roles[r].members[i].pod_upgrade_status == UPGRADE_STATE_UPGRADED;
	}
	return n;
}

static bool is_far_enough(struct sim *sim)
{
	return upgraded(sim) >= turns_after(&sim->setup);
}

static void judge(struct sim *sim, int members)
{
	struct cost *c = &sim->cost;
	struct figures *f = &sim->figures;
	bool is_back = turns_after(&sim->setup);
	int64_t took = sim->clock.now - c->began_at, more = (took - c->work_ms) * 1000 / (c->work_ms ? c->work_ms : 1);

	for (int i = 0; i < members; i++)
		arose(RULE_COST);
	*(is_back ? &f->back_per_mille : &f->forward_per_mille) = more;
	if (!is_back && kind_of(&sim->setup) == 0) {
		f->upgraded = (uint64_t)members;
		f->status_writes = status_writes(sim);
	}
	if (more > MORE_PER_CENT * 10)
		violation(sim, RULE_COST, "%s, %s: pods and handlers need %" PRId64 " ms for %d members, and it took %" PRId64,
		          is_back ? "back" : "forward", handlers[kind_of(&sim->setup)].text, c->work_ms, members, took);
}

void figures_add(struct figures *f, const struct figures *more)
{
	f->forward_per_mille = f->forward_per_mille > more->forward_per_mille ? f->forward_per_mille
	                                                                      : more->forward_per_mille;
	f->back_per_mille = f->back_per_mille > more->back_per_mille ? f->back_per_mille : more->back_per_mille;
	f->upgraded += more->upgraded;
	f->status_writes += more->status_writes;
}

void figures_print(const struct figures *f)
{
	if (!f->upgraded)
		return;
	printf("beyond pods and handlers an upgrade takes at most %.1f %%, the way back from half of it or more %.1f %%\n",
	       (double)f->forward_per_mille / 10, (double)f->back_per_mille / 10);
	printf("status writes for an upgraded member: %.2f\n", (double)f->status_writes / (double)f->upgraded);
}

static void must_reach(struct sim *sim, bool (*done)(struct sim *sim), const char *what)
{
	if (!sim->broken && !sim_run(sim, sim->clock.now + WITHIN_MS, done))
		violation(sim, RULE_LIVE, "the upgrade is not %s", what);
}

void cost_run(struct sim *sim)
{
	int back_after = turns_after(&sim->setup), members = ROLES * MEMBERS;

	begin(sim, IMAGE_B);
	if (!user_patches(sim, "{\"spec\":{\"app\":\"" APP_B "\"}}"))
		violation(sim, RULE_API, "the upgrade cannot even be asked for");
	book_begin_upgrade(sim);
	if (back_after) {
		must_reach(sim, is_far_enough, "as far as half");
		members = upgraded(sim);
		begin(sim, IMAGE_A);
		user_turns_back(sim, NULL);
	}
	must_reach(sim, is_over, "over");
	if (!sim->broken)
		judge(sim, members);
	sim->busy_requests = sim->wire.sent;
}

struct setup setup_cost(uint64_t number)
{
	struct setup s = setup_plain(false, 0);

	s.name = "3 roles x 4";
	s.cost = number ? (int)number : 1;
	s.role_count = ROLES;
	for (int i = 0; i < ROLES; i++)
		s.roles[i] = (struct role_setup){
			.id = (const char *const[]){"web", "db", "cache"}[i], .members = MEMBERS, .hears = ~0u,
		};
	return s;
}
