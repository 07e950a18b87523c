/*
 * What comes out of an exec, message by message, and what it means. No IO.
 *
 * The first byte of each message is its channel: 1 stdout, 2 stderr, 3 the Status with which the server ends the call
 * (subprotocols v4.channel.k8s.io and v5.channel.k8s.io). Only a Status that was read says how the command ended: a
 * stream that closes without one is EXEC_LOST, whatever else came (P2).
 */
#pragma once

#include "controller/world.h"

#include <stdbool.h>
#include <stddef.h>

/* A Status is a few hundred bytes; its message quotes the runtime's. */
#define CHANNEL_STATUS_MAX 16384

enum { CHANNEL_STDIN, CHANNEL_STDOUT, CHANNEL_STDERR, CHANNEL_STATUS };

/*
 * The next message to channel 0 in TO, which has room for MAX bytes: the input from *AT on, as much as fits. Moves *AT on and
 * returns the message's length; 0 when all has been sent. The end of the input is not told: v4 has no word for it.
 */
size_t channels_give(const struct exec_input input[EXEC_INPUT_PARTS], size_t *at, char *to, size_t max);

struct channels {
	char output[EXEC_OUTPUT_MAX + 1]; /* the first bytes of channels 1 and 2, as they came */
	size_t output_len;
	char status[CHANNEL_STATUS_MAX + 1];
	size_t status_len;
	bool ended;                       /* the Status was read: the three fields below hold */
	enum exec_end end;
	int exit_code;
	char message[512];
};

/* Takes one message. Nothing after the Status counts. */
void channels_take(struct channels *c, const void *msg, size_t len);

/* The result so far; WHY the stream ended matters only where the Status did not come. It borrows from C and WHY. */
struct exec_result channels_result(const struct channels *c, const char *why);
