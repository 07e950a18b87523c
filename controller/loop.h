/*
 * The one loop of the process: the operator does what is due, then everybody waits together for the network, a signal
 * or the time at which the operator wants to go on.
 *
 *	SIGTERM, SIGINT   stop: nothing new, the writes under way are finished; the second one ends at once
 *	SIGUSR1           writes statistics to the log
 */
#pragma once

#include "crd/base/err.h"

struct net;
struct operator;

/* A stop that the API server does not let finish is cut off after this; Kubernetes itself would kill after 30 s. */
#define LOOP_STOP_MS 4500
/* Longest wait: the operator reckons in wall-clock time, and that may be set. */
#define LOOP_WAIT_MAX_MS 60000
#define LOOP_TRIM_AFTER_MS 5000

/* Takes over the signals above. Call it before the first thread is made. Returns the descriptor for loop_run(), or -1. */
int loop_take_signals(struct err *err);

/* Runs until a signal has stopped it. Returns 0 when all writes under way were finished, else -1. */
int loop_run(struct net *net, struct operator *op, int signals);
