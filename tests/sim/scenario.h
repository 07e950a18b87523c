/*
 * What happens in a run: a cluster is made, upgraded while things go wrong, and must come to its end once they stop.
 *
 * A setup is drawn from the seed, so that a seed says all there is to say about a run.
 */
#pragma once

#include "crd/gen/types.h"

#include <stdbool.h>
#include <stdint.h>

#define ROLES_MAX 3
#define CLUSTER_NAME "c1"
#define APP_A "app-a"
#define APP_B "app-b"
#define IMAGE_A "registry.example/app:1.0"
#define IMAGE_B "registry.example/app:2.0"
#define IMAGE_BAD "registry.example/bad:2.0"

/* How the upgrade is to end. */
enum outlook {
	OUTLOOK_GOOD,       /* finished: configured on B, A deletable */
	OUTLOOK_HANDLER,    /* one handler fails for ever: waits for a person, with the member named */
	OUTLOOK_LOST,       /* one member is lost for good: the user gives it up, and the upgrade ends without it */
	OUTLOOK_IMAGE,      /* B's image cannot be pulled: the first member stays behind, nobody else is touched */
};

struct role_setup {
	const char *id;
	int members;
	unsigned hears;     /* bit 1 << enum event_kind */
	bool has_list;      /* eventList is given; else all events are heard */
};

struct setup {
	uint64_t seed;
	const char *name;           /* of the scenario, for messages */
	int role_count;
	struct role_setup roles[ROLES_MAX];
	int order[ROLES_MAX];       /* roleOrder as indexes */
	bool has_order;
	int max_unavailable;
	int retry_limit, timeout_s;
	bool is_faulty;             /* faults while the upgrade runs */
	bool is_faulty_early;       /* and while the cluster is made */
	int fault_level;            /* 1 .. 10 */
	int fault_s;                /* how long they last */
	int frozen_s;               /* one member is frozen for so long; 0: none */
	int paused_s;               /* the upgrade is paused for so long; 0: not */
	bool goes_back;             /* the user sets spec.app back to A, */
	int back_s;                 /* so long after it was changed to B, */
	uint64_t back_after;        /* or after so many requests of the operator if these come first; 0: by time only */
	bool back_on_arrival;       /* and then when the last of them has taken effect, else when it leaves */
	bool rolls_back_itself;     /* onFailure: Rollback */
	int deadline_s;             /* progressDeadlineSeconds */
	bool helps;                 /* a user looks after members in trouble */
	bool gives_up;              /* and gives some of them up */
	int held_s;                 /* the annotation paused is there for so long; 0: not */
	bool tries_again;           /* after an automatic rollback B is asked for once more */
	int resizes;                /* so often members come and go before the upgrade, and once after it; 0: never */
	bool deletes;               /* the cluster is deleted at the end */
	enum outlook outlook;
	int stuck_role, stuck_member;       /* OUTLOOK_HANDLER, OUTLOOK_LOST */
	enum event_kind stuck_event;
	int herd;                   /* not 0: many clusters (herd.c), in which nothing hangs (1) or one handler does (2 and up) */
	int cost;                   /* not 0: number of a way to upgrade, or to go back, whose cost is measured (cost.c) */
	uint64_t crash_after;       /* crash after this request; 0: none */
};

struct sim;
struct run;

/* IS_STRICT: things go wrong in runs with a rollback, too. */
struct setup setup_of_seed(uint64_t seed, bool is_strict);
/* 2 roles x 2 without faults, for the crash runs; with one member frozen for a while if IS_FROZEN. */
struct setup setup_plain(bool is_frozen, uint64_t crash_after);
/* The same, and members come and go before the upgrade and after it. */
struct setup setup_resized(uint64_t crash_after);
/* The same, and the user goes back after so many requests of the upgrade. */
struct setup setup_back(bool on_arrival, uint64_t back_after, uint64_t crash_after);

/* Many clusters; NUMBER 0: nothing hangs, else the handler of the herd's NUMBER-th event does in one member. */
struct setup setup_herd(uint64_t number);

/* The NUMBER-th of cost_variants() ways; 0: the first. */
struct setup setup_cost(uint64_t number);

const struct role_setup *setup_role(const struct setup *s, const char *id); /* NULL: no such role */
bool role_hears(const struct role_setup *r, enum event_kind event);
/* Place of a role in the order of the upgrade. */
int setup_turn(const struct setup *s, const struct role_setup *r);

/* It is a violation when DONE does not say so within that time. */
void scenario_must_reach(struct sim *sim, int64_t within, bool (*done)(struct sim *sim), const char *what);
/* Runs all of it; sim_init() was called. What was found is in sim->broken. */
void scenario_run(struct sim *sim);

/* Many clusters instead of one (herd.c). The run in which nothing hangs has to come first, in the same process. */
void herd_run(struct sim *sim);
bool herd_hangs(const struct sim *sim, const struct run *run);
uint64_t herd_variants(void);

/* Upgrades the cluster, which is configured on A, and measures (cost.c). */
void cost_run(struct sim *sim);
int64_t cost_handler_ms(const struct sim *sim, const struct run *run);
uint64_t cost_variants(void);

/* What cost.c measured. */
struct figures {
	int64_t forward_per_mille, back_per_mille; /* beyond pods and handlers; the worst */
	uint64_t upgraded, status_writes;          /* members, and what they took, with quick handlers */
};
void figures_add(struct figures *f, const struct figures *more);
void figures_print(const struct figures *f);

/* Things that users do at random moments of an upgrade (users.c). Each says what it found through violation(). */
void user_edits_in_lock(struct sim *sim);
void user_deletes_apps(struct sim *sim);
void user_touches(struct sim *sim, const char *path);
/* Gives commands by annotation to members in trouble, now and then (commands.c). */
void user_looks(struct sim *sim, void *arg);
/* Sets the annotation paused for a while. */
void user_holds(struct sim *sim, void *arg);
/* The user's last command is still to be acted on or removed. */
bool command_is_open(const struct sim *sim);
/* Sets spec.app back to A, if the upgrade is not over. */
void user_turns_back(struct sim *sim, void *arg);
/* Asks for other numbers of members, EDITS times, and waits until IS_DONE (resize.c). */
void users_resize(struct sim *sim, int edits, bool (*is_done)(struct sim *sim));
/* Deletes the App of that name; returns the HTTP code. */
int user_deletes_app(struct sim *sim, const char *name);
bool user_creates_all(struct sim *sim);
bool user_creates_cluster(struct sim *sim, const char *name);
bool user_patches(struct sim *sim, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
