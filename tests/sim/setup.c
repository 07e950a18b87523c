#include "sim.h"

#include <string.h>

#define HEARS_ALL (~0u)

const struct role_setup *setup_role(const struct setup *s, const char *id)
{
	for (int i = 0; i < s->role_count; i++) {
		if (strcmp(s->roles[i].id, id) == 0)
			return &s->roles[i];
	}
	return NULL;
}

bool role_hears(const struct role_setup *r, enum event_kind event)
{
	return r && (r->hears >> event & 1);
}

int setup_turn(const struct setup *s, const struct role_setup *r)
{
	int index = (int)(r - s->roles);

	for (int i = 0; s->has_order && i < s->role_count; i++) {
		if (s->order[i] == index)
			return i;
	}
	return index;
}

static void draw_roles(struct setup *s, struct rng *r)
{
	static const char *const ids[ROLES_MAX] = {"web", "db", "cache"};

	s->role_count = (int)rng_between(r, 1, ROLES_MAX);
	for (int i = 0; i < s->role_count; i++) {
		struct role_setup *role = &s->roles[i];

		*role = (struct role_setup){.id = ids[i], .members = (int)rng_between(r, 1, 4), .hears = HEARS_ALL};
		role->has_list = rng_chance(r, 300);
		if (role->has_list)
			role->hears = rng_next(r);
	}
}

/* The roles' order, shuffled. */
static void draw_order(struct setup *s, struct rng *r)
{
	s->has_order = rng_chance(r, 300);
	for (int i = 0; i < s->role_count; i++)
		s->order[i] = i;
	for (int i = s->role_count - 1; s->has_order && i > 0; i--) {
		int k = (int)rng_below(r, (uint32_t)i + 1), t = s->order[i];

		s->order[i] = s->order[k];
		s->order[k] = t;
	}
}

static void draw_stuck(struct setup *s, struct rng *r)
{
	struct role_setup *role;

	s->outlook = OUTLOOK_HANDLER;
	s->stuck_role = (int)rng_below(r, (uint32_t)s->role_count);
	role = &s->roles[s->stuck_role];
	s->stuck_member = (int)rng_below(r, (uint32_t)role->members);
	s->stuck_event = (enum event_kind)rng_between(r, EVENT_KIND_CONFIGURE, EVENT_KIND_CLUSTER_UPGRADED);
	role->hears |= 1u << s->stuck_event;
}

static void draw_way_back(struct setup *s, struct rng *r)
{
	int members = 0;

	for (int i = 0; i < s->role_count; i++)
		members += s->roles[i].members;
	s->rolls_back_itself = rng_chance(r, 300);
	s->deadline_s = rng_chance(r, s->rolls_back_itself ? 900 : 400) ? (int)rng_between(r, 15, 150) : 600;
	s->tries_again = rng_chance(r, 500);
	s->helps = s->outlook == OUTLOOK_LOST || (s->outlook != OUTLOOK_IMAGE && rng_chance(r, 400));
	s->gives_up = true;
	s->held_s = rng_chance(r, 300) ? (int)rng_between(r, 1, 200) : 0;
	s->goes_back = rng_chance(r, 400);
	if (!s->goes_back)
		return;
	s->back_s = (int)rng_between(r, 0, rng_chance(r, 500) ? 6 * members : 400);
	s->back_on_arrival = rng_chance(r, 500);
	s->back_after = rng_chance(r, 600) ? (uint64_t)rng_between(r, 1, 50 * members) : 0;
}

/* Without what upgrades do not get over as yet: faults on the way back or past the deadline, members that are given up. */
static void make_tame(struct setup *s)
{
	s->gives_up = false;
	s->deadline_s = s->is_faulty ? 600 : s->deadline_s;
	if (s->outlook == OUTLOOK_LOST)
		s->outlook = OUTLOOK_GOOD;
	if (s->outlook == OUTLOOK_HANDLER && s->stuck_event == EVENT_KIND_CONFIGURE)
		s->helps = false;
	if (!s->goes_back && !s->rolls_back_itself)
		return;
	s->is_faulty = s->is_faulty_early = false;
	s->frozen_s = s->paused_s = 0;
}

struct setup setup_of_seed(uint64_t seed, bool is_strict)
{
	struct setup s = {.seed = seed, .name = "random"};
	struct rng r;

	rng_seed(&r, seed, 0);
	draw_roles(&s, &r);
	draw_order(&s, &r);
	s.max_unavailable = (int)rng_between(&r, 1, rng_chance(&r, 300) ? 3 : 1);
	s.retry_limit = (int)rng_between(&r, 1, 5);
	s.timeout_s = 20;
	s.is_faulty = rng_chance(&r, 850);
	s.is_faulty_early = rng_chance(&r, 300);
	s.fault_level = (int)rng_between(&r, 1, 10);
	s.fault_s = (int)rng_between(&r, 10, 400);
	s.frozen_s = rng_chance(&r, 400) ? (int)rng_between(&r, 5, 600) : 0;
	s.paused_s = rng_chance(&r, 250) ? (int)rng_between(&r, 1, 300) : 0;
	s.deletes = rng_chance(&r, 300);
	if (rng_chance(&r, 120)) {
		draw_stuck(&s, &r);
	} else if (rng_chance(&r, 50)) {
		s.outlook = OUTLOOK_IMAGE;
		s.is_faulty = false;
		s.frozen_s = s.paused_s = 0;
	} else if (rng_chance(&r, 100)) {
		draw_stuck(&s, &r);
		s.outlook = OUTLOOK_LOST;
	}
	draw_way_back(&s, &r);
	s.resizes = rng_chance(&r, 500) ? (int)rng_between(&r, 1, 3) : 0;
	if (!is_strict)
		make_tame(&s);
	return s;
}

struct setup setup_plain(bool is_frozen, uint64_t crash_after)
{
	return (struct setup){
		.seed = 1,
		.name = is_frozen ? "one member frozen" : "plain",
		.role_count = 2,
		.roles = {
			{.id = "web", .members = 2, .hears = HEARS_ALL},
			{.id = "db", .members = 2, .hears = HEARS_ALL},
		},
		.max_unavailable = 1,
		.retry_limit = 5,
		.timeout_s = 600,
		.fault_level = 1,
		.deadline_s = 600,
		.frozen_s = is_frozen ? 60 : 0,
		.crash_after = crash_after,
	};
}

struct setup setup_resized(uint64_t crash_after)
{
	struct setup s = setup_plain(false, crash_after);

	s.name = "members come and go";
	s.resizes = 2;
	return s;
}

struct setup setup_back(bool on_arrival, uint64_t back_after, uint64_t crash_after)
{
	struct setup s = setup_plain(false, crash_after);

	s.name = on_arrival ? "back on arrival" : "back on sending";
	s.goes_back = true;
	s.back_s = 600;
	s.back_on_arrival = on_arrival;
	s.back_after = back_after;
	return s;
}
