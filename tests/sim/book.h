/*
 * What the promises need to remember: every queue entry that was ever stored for a member, which members were really
 * Ready on B, and what happened in the step that is being judged.
 *
 * It is filled from the API server's object history and the members' own runs. The operator's word counts only as what
 * it wrote.
 */
#pragma once

#include "seat.h"

#define STEP_RUNS_MAX 64

/* A notification in one member's queue. */
struct entry {
	int64_t id;
	enum event_kind event;
	int64_t queued_at;
	bool stands;              /* in the newest version */
	bool is_skipped;          /* the user gave it up */
	bool was_head;            /* it stood at the head in some version */
	unsigned operation;       /* number of the upgrade in which it was stored; 0: before the first */
	struct entry *next;       /* in the order in which they were stored */
};

struct book_member {
	const char *pod;
	struct entry *entries, *last_entry;
	bool ready_on_b;          /* its pod was Ready on B's image at some time of this upgrade */
	bool b_was_seen;          /* a container of B ran for so long that a pass of the operator saw it */
	bool marked_down;         /* it did not serve when its turn was recorded, or was half way: it may go out of turn */
	bool given_up;            /* the user gave it up in this upgrade: nothing is owed to it any more */
	bool taken_down;          /* the operator deleted its serving pod, and no Ready one came since */
	int64_t judged_box_at;    /* start of the box that N4 was last judged for */
	struct book_member *next;
};

/* A pod that the operator deleted. */
struct kill {
	struct seat *seat;        /* NULL: no pod was deleted in this step */
	const char *image;        /* that the pod runs */
	bool is_back;             /* it was sent after the rollback was recorded */
	bool was_ready;           /* and the operator could know it */
	bool was_paused;          /* spec.upgrade.paused was set, and the operator could know it */
	bool set_was_observed;    /* the StatefulSet controller had seen the newest template */
};

/* An annotation that the user wrote, once. */
struct command {
	const char *key, *value;
	const char *text;         /* "key=value", as status.handledCommands has it */
	int64_t given_at, done_at; /* done_at 0: not yet */
	struct command *next;     /* the one before */
};

struct book {
	struct arena arenas[2];   /* of .was and .is, by turns */
	int turn;
	const struct cluster *was, *is;  /* NULL: none */
	bool written;             /* .is is new in this step */
	struct run *started[STEP_RUNS_MAX], *ended[STEP_RUNS_MAX];
	size_t started_count, ended_count;
	struct kill kill;
	struct book_member *members;
	unsigned operation;       /* counts the upgrades that were asked for */
	int64_t edited_at;        /* when spec.app was changed to B; 0: not yet */
	int64_t turned_at;        /* when a user set it back while the upgrade ran; 0: nobody did */
	int64_t back_at;          /* when the rollback was recorded; 0: it was not */
	int64_t first_upgrade_id; /* ids above it are the upgrade's */
	struct command *commands; /* newest first */
	int64_t held_at;          /* the annotation paused is there since then; 0: it is not */
	int64_t moved_at;         /* when something of the plan moved last, by the members */
	int64_t told_at;          /* when a version took an entry off a queue as told; 0: none did */
	int64_t paused_at;        /* spec.upgrade.paused is set since then; 0: it is not */
	const char *membership[64]; /* by generation: who was a member (config_promises.c) */
	bool saw_upgrade_info, upgrade_is_over;
};

struct sim;

void book_release(struct book *b);
void book_changed(struct sim *sim, const struct object *o, enum change change);
void book_started(struct sim *sim, struct run *run);
void book_ended(struct sim *sim, struct run *run);
void book_clear_step(struct book *b);
/* The user has asked for B: whatever was noted of an earlier upgrade no longer counts. */
void book_begin_upgrade(struct sim *sim);

struct book_member *book_member(struct sim *sim, const char *pod);
struct entry *book_entry(const struct book_member *m, int64_t id);
/* Brings the members up to date with book->is; called after the rules were judged. */
void book_note_status(struct sim *sim);
/* Members that the newest version no longer has. */
void book_forget_leavers(struct sim *sim);

/* From the edit of spec.app until every member was really told everything, the lock has to hold. */
bool book_lock_is_due(struct sim *sim);
/* A member that was not told all of the upgrade, or of the rollback. NULL: all were. */
const struct seat *book_owed(struct sim *sim);
/* Judged by the log: MEMBER ended a run of ID with 0. */
bool book_was_told(const struct seat *seat, int64_t id);
/* Judged by the log: a run of EVENT that belongs to the upgrade ended with 0, in a box with image B where IN_B. */
bool book_heard(const struct sim *sim, const struct seat *seat, enum event_kind event, bool in_b);
/* Judged by the log: a run of EVENT that belongs to the upgrade began. */
bool book_was_asked(const struct sim *sim, const struct seat *seat, enum event_kind event);
/* Such a notification was at the head of its queue in some version: nobody can know whether it was sent. */
bool book_was_head(const struct sim *sim, const struct seat *seat, enum event_kind event);
/* The user gave such a notification up. */
bool book_was_skipped(const struct sim *sim, const struct seat *seat, enum event_kind event);
/* A container of B was started in the seat since the upgrade was asked for. */
bool book_ran_b(const struct sim *sim, const struct seat *seat);
/* Image of the App that the members move to; of the one they leave. */
const char *book_target_image(const struct sim *sim, bool is_back);
/* Notes whose container of B runs for so long that the operator knows; called in every step. */
void book_watch_b(struct sim *sim);
/* The member of the newest status. NULL: none. */
const struct member *book_find(const struct cluster *c, const char *pod, const struct role_status **ret_role);
const struct queue_entry *book_head(const struct member *m);
/* One entry of a queue, in the version before and after; NULL where it is not. */
struct entry_change {
	const struct role_status *role;
	const struct member *was_in, *is_in;
	const struct queue_entry *was, *is;
	size_t was_place, is_place;
};

size_t book_queue_length(const struct member *m);
/* NULL when ID is not in M's queue; RET_PLACE may be NULL. */
const struct queue_entry *book_find_entry(const struct member *m, int64_t id, size_t *ret_place);
/* Calls CHECK once for every entry that stands in a queue before or after this step (entries.c). */
void book_each_entry(struct sim *sim, void (*check)(struct sim *sim, const struct entry_change *c));

/* Runs that failed, each attempt once. */
int64_t book_failures(const struct seat *seat, int64_t id);
