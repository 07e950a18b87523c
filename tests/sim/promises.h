/*
 * The promises of DESIGN as checks: one function a rule in promises.c and upgrade_promises.c, judged after every step
 * against the members' own logs and the API's object history.
 */
#pragma once

#include "book.h"

#include <stddef.h>
#include <stdint.h>

enum rule {
	RULE_COMMAND, /* a command by annotation is acted on once; judged first: others ask what it did */
	RULE_N1, RULE_N2, RULE_N3, RULE_N4, RULE_N5, RULE_N6, RULE_N7, RULE_N8, RULE_N9,
	RULE_U1, RULE_U2, RULE_U3, RULE_U4, RULE_P1, RULE_P4,
	RULE_TOLD,   /* who hears what of an upgrade, and not before */
	RULE_TURN,   /* which member is replaced next */
	RULE_BUDGET, /* maxUnavailable */
	RULE_BACK,   /* what becomes of an App that a rollback left */
	RULE_HELD,   /* the annotation paused */
	RULE_KEEP,   /* nothing is deleted that is what it shall be, or that would come back as it was */
	RULE_ALONE,  /* a hanging handler delays nobody else */
	RULE_COST,   /* what an upgrade takes beyond pods and handlers */
	RULE_USED,   /* an App in use cannot be deleted */
	RULE_LIVE,   /* everything ends */
	RULE_IDLE,   /* nothing to do, nothing asked */
	RULE_API,    /* the API server refuses nothing that the operator writes */
	RULES
};

struct sim;

const char *rule_name(enum rule rule);
const char *rule_text(enum rule rule);

/* The situation that a rule is about was there. */
void arose(enum rule rule);
/* Moves into TO how often each arose since this was last asked. */
void rules_add(uint64_t to[RULES]);

void promises_check(struct sim *sim);

/* The rules on upgrades, for promises.c's table (upgrade_promises.c). */
void check_u1(struct sim *sim);
void check_u2(struct sim *sim);
void check_u4(struct sim *sim);
void check_p1(struct sim *sim);
void check_told(struct sim *sim);
void check_turn(struct sim *sim);
void check_budget(struct sim *sim);
void check_keep(struct sim *sim);

/* Which configmeta members hold (config_promises.c). */
void check_n7(struct sim *sim);
/* Every member that can be told anything has digested the present one. */
bool configs_are_current(struct sim *sim);

/* Who hears of members that come and go (scale_promises.c). */
void check_n9(struct sim *sim);

/* Whether an upgrade moves (progress_promises.c). */
void check_p4(struct sim *sim);

/* Commands by annotation (command_promises.c). */
void check_command(struct sim *sim);
/* A command took the entry off its queue in this step. */
bool was_commanded(struct sim *sim, const struct entry_change *e);
/* At the end: every one was acted on, once, and is gone. */
void commands_are_through(struct sim *sim);
/* The operator sends WHAT; IS_CHANGE: it is neither a reading nor a status nor an Event. */
void held_means_held(struct sim *sim, const char *what, bool is_change);

/* The rules on the way back (rollback_promises.c). */
void check_u3(struct sim *sim);
void check_back(struct sim *sim);
/* The entry was withdrawn by a rollback, and a plan says so. */
bool was_withdrawn(struct sim *sim, const struct entry_change *c);
