/*
 * exec and logs of the simulated members. An exec is a WebSocket (v5.channel.k8s.io or v4) whose frames begin with the
 * number of their channel; what is called is the operator's launcher, answered by tests/sim/seat.c.
 */
#pragma once

#include "form.h"

void exec_request(struct kubesim *k, struct stream *s, const struct api_target *t, const char *const *protocols);
/* The member answers. */
void exec_ended(struct kubesim *k, struct exec_flight *f, const struct exec_result *result);
/* A frame of the client's: the input of a call. */
void exec_frame(struct kubesim *k, void *owner, const char *data, size_t len);
void exec_closed(void *owner);

/*
 * The log of a member's whole life, over all its containers: a line for each start of a container or a handler,
 *
 *	SECONDS SINCE BOOT, EVENT, NOTIFICATION ID, ATTEMPT, VERSION OF THE IMAGE, ARGUMENTS...
 *
 * separated by tabs, as the members of tests/live print it.
 */
struct reply exec_log(struct kubesim *k, const struct api_target *t);
