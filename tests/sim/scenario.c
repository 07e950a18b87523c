#include "sim.h"

#include <inttypes.h>
#include <string.h>

#define MINUTE INT64_C(60000)
/* What a scenario may take once nothing goes wrong any more: a dozen members with all their backoffs. */
#define END_WITHIN (60 * MINUTE)
/* After this without progress the deadline of 600 s is over and the reason has to be in status. */
#define STUCK_AFTER (45 * MINUTE)
#define IDLE_FOR (10 * MINUTE)
#define CLUSTER_PATH SIM_API "/clusters/" CLUSTER_NAME

static bool never(struct sim *sim)
{
	(void)sim;
	return false;
}

/* Every member is there on IMAGE, Ready, and has what configure leaves behind. */
static bool members_serve(struct sim *sim, const char *image)
{
	int count = 0, wanted = 0;

	for (int i = 0; i < sim->setup.role_count; i++)
		wanted += sim->setup.roles[i].members;
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		const struct role_setup *role = setup_role(&sim->setup, seat->role);
		const struct box *box = seat->box;

		if (faults_lost_for_good(sim, seat)) {
			count++;
			continue;
		}
		if (!seat->uid || !box || !box->ready || strcmp(box->image, image) != 0 ||
		    (role_hears(role, EVENT_KIND_CONFIGURE) && !box->setup))
			return false;
		count++;
	}
	return count == wanted;
}

static const struct cluster_status *status_of(const struct sim *sim)
{
	return sim->book.is ? sim->book.is->status : NULL;
}

static bool runs(struct sim *sim, const char *app, const char *image)
{
	const struct cluster_status *s = status_of(sim);

	return s && s->state == CLUSTER_STATE_CONFIGURED && !s->upgrade_info && s->app && strcmp(s->app, app) == 0 &&
	       members_serve(sim, image);
}

static bool runs_a(struct sim *sim)
{
	return runs(sim, APP_A, IMAGE_A);
}

static bool runs_b(struct sim *sim)
{
	return runs(sim, APP_B, IMAGE_B);
}

/* Where the upgrade has to end: on A when the user turned it round, or nobody did and the operator was told to. */
static bool is_over(struct sim *sim)
{
	const struct cluster_status *s = status_of(sim);
	bool wants_a = sim->book.is && strcmp(sim->book.is->spec->app, APP_A) == 0;

	return wants_a || (s && s->rolled_back) ? runs_a(sim) : runs_b(sim);
}

/* Members that were given up may still be away. */
static bool is_recorded_as_over(struct sim *sim)
{
	const struct cluster *c = sim->book.is;

	return !sim->book.edited_at || sim->book.upgrade_is_over ||
	       (c && c->status && !c->status->upgrade_info && c->status->app && strcmp(c->spec->app, c->status->app) == 0);
}

void scenario_must_reach(struct sim *sim, int64_t within, bool (*done)(struct sim *sim), const char *what)
{
	if (sim->broken)
		return;
	arose(RULE_LIVE);
	if (!sim_run(sim, sim->clock.now + within, done))
		violation(sim, RULE_LIVE, "%lld minutes and not %s", (long long)(within / MINUTE), what);
}

static const struct condition *condition(const struct cluster_status *s, const char *type)
{
	for (size_t i = 0; i < s->conditions_count; i++) {
		if (strcmp(s->conditions[i].type, type) == 0)
			return &s->conditions[i];
	}
	return NULL;
}

static void end_pause(struct sim *sim, void *arg)
{
	(void)arg;
	if (user_patches(sim, "{\"spec\":{\"upgrade\":{\"paused\":null}}}"))
		sim->book.paused_at = 0;
}

static void begin_pause(struct sim *sim, void *arg)
{
	(void)arg;
	if (user_patches(sim, "{\"spec\":{\"upgrade\":{\"paused\":true}}}"))
		sim->book.paused_at = sim->clock.now;
	clock_in(&sim->clock, sim->setup.paused_s * 1000, end_pause, NULL);
}

static void thaw(struct sim *sim, void *arg)
{
	box_thaw(sim, arg);
}

/* Freezes the first member that has been upgraded, before the rest of its role is done; looks until there is one. */
static void freeze_one(struct sim *sim, void *arg)
{
	const struct cluster_status *s = sim->book.is ? sim->book.is->status : NULL;

	for (struct seat *seat = sim->seats; s && s->upgrade_info && seat; seat = seat->next) {
		const struct member *m = book_find(sim->book.is, seat->pod, NULL);

		if (!m || m->pod_upgrade_status != UPGRADE_STATE_UPGRADED || !seat->box || !seat->box->alive ||
		    seat->ending)
			continue;
		box_freeze(sim, seat->box);
		clock_in(&sim->clock, sim->setup.frozen_s * 1000, thaw, seat->box);
		return;
	}
	if (!sim->book.upgrade_is_over)
		clock_in(&sim->clock, 50, freeze_one, arg);
}

static void lose_for_good(struct sim *sim, void *arg)
{
	(void)arg;
	for (struct seat *seat = sim->seats; seat; seat = seat->next) {
		if (faults_lost_for_good(sim, seat))
			kubelet_lose(sim, seat);
	}
}

static void begin_upgrade(struct sim *sim)
{
	const struct setup *s = &sim->setup;

	if (!user_patches(sim, "{\"spec\":{\"app\":\"" APP_B "\"}}")) {
		violation(sim, RULE_API, "the upgrade cannot even be asked for");
		return;
	}
	book_begin_upgrade(sim);
	user_edits_in_lock(sim); /* before the operator has seen that an upgrade is asked for */
	if (s->goes_back) {
		clock_in(&sim->clock, s->back_s * 1000, user_turns_back, NULL);
		sim->wire.back_after = s->back_after ? sim->wire.sent + s->back_after : 0;
		sim->wire.back_on_arrival = s->back_on_arrival;
	}
	if (s->is_faulty)
		faults_begin(sim, s->fault_s * 1000);
	if (s->frozen_s)
		clock_in(&sim->clock, 1000, freeze_one, NULL);
	if (s->helps)
		clock_in(&sim->clock, 20000, user_looks, NULL);
	if (s->held_s)
		clock_in(&sim->clock, rng_between(&sim->rng_users, 0, 60000), user_holds, NULL);
	if (s->outlook == OUTLOOK_LOST)
		clock_in(&sim->clock, rng_between(&sim->rng_users, 0, 30000), lose_for_good, NULL);
	if (s->paused_s)
		clock_in(&sim->clock, rng_between(&sim->rng_chaos, 0, 20000), begin_pause, NULL);
}

/* U4: past the deadline status says that it does not go on, and which member is the reason. */
static bool names_culprit(struct sim *sim)
{
	const struct cluster_status *s = sim->book.is ? sim->book.is->status : NULL;
	const struct condition *c = s ? condition(s, "Progressing") : NULL;

	if (!c || c->status != TRUTH_FALSE || !c->message || !s->upgrade_info)
		return false;
	for (const struct seat *seat = sim->seats; seat; seat = seat->next) {
		const struct member *m = book_find(sim->book.is, seat->pod, NULL);
		bool is_held = m && (m->state == MEMBER_STATE_CONFIG_ERROR || !seat->box);

		if (is_held && strstr(c->message, seat->pod))
			return true;
	}
	return false;
}

static void nobody_else_was_touched(struct sim *sim)
{
	int touched = 0;

	for (const struct seat *seat = sim->seats; seat; seat = seat->next)
		touched += !seat->box || strcmp(seat->box->image, IMAGE_A) != 0;
	if (touched > sim->setup.max_unavailable)
		violation(sim, RULE_BUDGET, "B's image cannot be pulled and %d members were taken down", touched);
}

static void ends_stuck(struct sim *sim)
{
	scenario_must_reach(sim, STUCK_AFTER, names_culprit, "stalled with the member named in condition Progressing");
	sim_run(sim, sim->clock.now + IDLE_FOR, never);
	if (sim->broken)
		return;
	arose(RULE_U4);
	if (!sim->book.is->status->upgrade_info)
		violation(sim, RULE_U4, "a member never answered and the upgrade is over");
	if (sim->setup.outlook == OUTLOOK_IMAGE)
		nobody_else_was_touched(sim);
}

static const char *unused_app(const struct sim *sim)
{
	return strcmp(status_of(sim)->app, APP_A) == 0 ? APP_B : APP_A;
}

static bool unused_app_is_free(struct sim *sim)
{
	const struct object *app = etcd_find(&sim->etcd, KIND_APP, unused_app(sim));

	return app && cJSON_GetArraySize(json_get(json_get(app->tree, "status"), "usedBy")) == 0;
}

static bool unused_app_is_gone(struct sim *sim)
{
	return !etcd_find(&sim->etcd, KIND_APP, unused_app(sim));
}

static void unused_app_can_go(struct sim *sim)
{
	scenario_must_reach(sim, MINUTE, unused_app_is_free, "free of the App that it does not run");
	if (sim->broken)
		return;
	arose(RULE_USED);
	if (user_deletes_app(sim, unused_app(sim)) != 200)
		violation(sim, RULE_USED, "App %s cannot be deleted when all is over", unused_app(sim));
	scenario_must_reach(sim, MINUTE, unused_app_is_gone, "rid of the App that it does not run");
}

static void is_idle(struct sim *sim)
{
	uint64_t asked;

	/* A restart asks for everything once. */
	sim->wire.crash_after = 0;
	sim_run(sim, sim->clock.now + 2 * MINUTE, never);
	asked = sim->wire.asked;
	sim_run(sim, sim->clock.now + IDLE_FOR, never);
	arose(RULE_IDLE);
	if (sim->wire.asked != asked)
		violation(sim, RULE_IDLE, "%" PRIu64 " requests in 10 idle minutes", sim->wire.asked - asked);
}

static bool all_is_gone(struct sim *sim)
{
	return sim->etcd.count[KIND_CLUSTER] + sim->etcd.count[KIND_SET] + sim->etcd.count[KIND_SERVICE] +
	       sim->etcd.count[KIND_POD] == 0;
}

/* Deleting a Cluster sends no event and waits for nothing. */
static void can_be_deleted(struct sim *sim)
{
	uint64_t execs = sim->wire.exec_count;

	if (sim->broken)
		return;
	trace(sim, "user: deletes " CLUSTER_NAME);
	api_handle(sim, VERB_DELETE, CLUSTER_PATH, NULL);
	scenario_must_reach(sim, 2 * MINUTE, all_is_gone, "gone after the Cluster was deleted");
	if (sim->wire.exec_count != execs)
		violation(sim, RULE_LIVE, "members were talked to while the Cluster was being deleted");
}

static bool is_free_to_try(struct sim *sim)
{
	return !status_of(sim)->rolled_back && is_over(sim);
}

/* The user gives B up. */
static void takes_a_again(struct sim *sim)
{
	if (sim->broken || !status_of(sim)->rolled_back)
		return;
	if (!user_patches(sim, "{\"spec\":{\"app\":\"" APP_A "\"}}"))
		violation(sim, RULE_BACK, "spec.app cannot be set to what runs");
	scenario_must_reach(sim, MINUTE, is_free_to_try, "rid of rolledBack when spec.app was set back");
}

/* The operator went back by itself: B is left alone until spec.app has been something else, and is held for it. */
static void b_is_left_alone(struct sim *sim)
{
	const struct condition *accepted;

	if (sim->broken || !status_of(sim)->rolled_back)
		return;
	sim_run(sim, sim->clock.now + IDLE_FOR, never);
	arose(RULE_BACK);
	accepted = condition(status_of(sim), "SpecAccepted");
	if (!is_over(sim) || !accepted || accepted->status != TRUTH_FALSE ||
	    strcmp(accepted->reason, "UpgradeRolledBack") != 0)
		violation(sim, RULE_BACK, "B was rolled back and is not left alone, or no condition says so");
	if (user_deletes_app(sim, APP_B) != 403)
		violation(sim, RULE_BACK, "App " APP_B " is named by spec.app and can be deleted");
	takes_a_again(sim);
	if (sim->broken || !sim->setup.tries_again || sim->setup.outlook != OUTLOOK_GOOD)
		return;
	if (!user_patches(sim, "{\"spec\":{\"app\":\"" APP_B "\"}}"))
		violation(sim, RULE_BACK, "B cannot be asked for again");
	book_begin_upgrade(sim);
	scenario_must_reach(sim, END_WITHIN, is_over, "at the end of the second try");
	takes_a_again(sim);
}

static bool no_command_is_open(struct sim *sim)
{
	return !command_is_open(sim);
}

/* The upgrade cannot end on B, and nobody goes back. */
static bool has_to_stand(const struct setup *s)
{
	return s->outlook != OUTLOOK_GOOD && !s->goes_back && !s->rolls_back_itself && !s->helps;
}

void scenario_run(struct sim *sim)
{
	const struct setup *s = &sim->setup;
	int64_t trouble_s = s->fault_s + s->frozen_s + s->paused_s + s->held_s + 60;

	if (s->herd) {
		herd_run(sim);
		return;
	}
	faults_draw(sim);
	if (s->is_faulty_early)
		faults_begin(sim, s->fault_s * 1000);
	if (!user_creates_all(sim))
		violation(sim, RULE_API, "the objects of the scenario are refused");
	scenario_must_reach(sim, trouble_s * 1000 + END_WITHIN, runs_a, "configured on A");
	if (s->cost) {
		cost_run(sim);
		return;
	}
	if (sim->faults.is_on)
		faults_end(sim);
	sim_run(sim, sim->clock.now + rng_between(&sim->rng_chaos, 0, 2 * MINUTE), never);
	users_resize(sim, s->resizes, runs_a);
	if (sim->broken)
		return;
	begin_upgrade(sim);
	if (has_to_stand(s)) {
		sim_run(sim, sim->clock.now + trouble_s * 1000, never);
		ends_stuck(sim);
		return;
	}
	if (s->helps || s->goes_back || s->rolls_back_itself)
		scenario_must_reach(sim, trouble_s * 1000 + END_WITHIN, is_recorded_as_over, "at the end of the upgrade with help");
	sim->is_mended = s->outlook != OUTLOOK_IMAGE;
	scenario_must_reach(sim, trouble_s * 1000 + END_WITHIN, is_over, "at the end of the upgrade");
	/* Done early: what was planned to go wrong goes wrong all the same. */
	sim_run(sim, sim->clock.now + trouble_s * 1000, never);
	scenario_must_reach(sim, END_WITHIN, is_over, "at its end once more");
	sim->setup.helps = false;
	scenario_must_reach(sim, MINUTE, no_command_is_open, "through with the user's last command");
	commands_are_through(sim);
	b_is_left_alone(sim);
	unused_app_can_go(sim);
	users_resize(sim, s->resizes > 0, is_over);
	sim->busy_requests = sim->wire.sent;
	is_idle(sim);
	if (s->deletes)
		can_be_deleted(sim);
}
