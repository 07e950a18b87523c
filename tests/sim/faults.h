/*
 * Everything that goes wrong: on the way of requests, execs and watches, in handlers, and of its own accord.
 *
 * Rates come from the seed. While .is_on is false nothing goes wrong but handlers that fail by plan.
 */
#pragma once

#include "wire.h"

struct run;

struct faults {
	bool is_on;
	uintptr_t round;           /* counts the times they were turned on */
	int64_t calm_since;        /* when they were last turned off */
	uint32_t request, exec;    /* per mille that meet a fate other than good */
	uint32_t conflict;         /* somebody else writes the object just before */
	uint32_t cut, slow, deaf;  /* of watches */
	uint32_t quota;            /* pods that cannot be made at first */
	uint32_t handler;          /* notifications whose first runs fail */
	uint32_t lasting;          /* handlers that take 15 s, hang until their limit, ... */
	int64_t pause_ms;          /* mean time between two acts of chaos */
};

struct sim;

void faults_draw(struct sim *sim);
/* They end by themselves after FOR_MS, or by faults_end(). */
void faults_begin(struct sim *sim, int64_t for_ms);
void faults_end(struct sim *sim);

enum fate faults_of_request(struct sim *sim, enum verb verb);
/* The connection ends in the middle of what goes to standard input. */
bool faults_cut_input(struct sim *sim);
enum fate faults_of_exec(struct sim *sim);
/* A request is about to take effect. */
void faults_before(struct sim *sim, const struct flight *f);

bool faults_cut_watch(struct sim *sim);
bool faults_deafen(struct sim *sim);
int64_t faults_watch_delay(struct sim *sim);

/* The StatefulSet controller may not make a pod now. */
bool faults_refuse_pod(struct sim *sim);

/* The node of this seat is gone and no other takes its pods. */
bool faults_lost_for_good(const struct sim *sim, const struct seat *seat);

/* The container of this seat may not start now; it is tried again a little later. */
bool faults_hold_container(const struct sim *sim, const struct seat *seat);

/* How a run of a handler is going to end, and when. */
int faults_exit_code(struct sim *sim, const struct run *run);
int64_t faults_handler_ms(struct sim *sim, const struct run *run);

/* Nothing has gone wrong for SPAN_MS, the operator included. */
bool faults_are_over(const struct sim *sim, int64_t span_ms);
