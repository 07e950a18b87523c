#include "channel.h"

#include "crd/codec.h"
#include "crd/gen/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Kubernetes has no code for "the process was never there": a kubelet passes on what its runtime said. These are the
 * words of containerd, CRI-O and runc. Whatever is not among them may have run.
 */
static const char *const never_started[] = {
	"OCI runtime exec failed",     /* runc could not start it: no such file, no permission */
	"executable file not found",
	"cannot exec in a ",           /* paused state, stopped state, deleted state */
	"container not found",
	"container is not running",
	"container not running",
	"is in CONTAINER_",            /* CREATED, EXITED, UNKNOWN */
	"no running task",
	"unable to upgrade connection",
};
#define NEVER_STARTED (sizeof(never_started) / sizeof(never_started[0]))

size_t channels_give(const struct exec_input input[EXEC_INPUT_PARTS], size_t *at, char *to, size_t max)
{
	size_t len = 1, start = 0;

	for (size_t i = 0; i < EXEC_INPUT_PARTS; start += input[i++].len) {
		if (*at < start || *at >= start + input[i].len || len == max)
			continue;
		size_t part = start + input[i].len - *at;
		if (part > max - len)
			part = max - len;
		memcpy(to + len, input[i].data + (*at - start), part);
		len += part;
		*at += part;
	}
	*to = CHANNEL_STDIN;
	return len > 1 ? len : 0;
}

static size_t append(char *to, size_t have, size_t max, const char *data, size_t len)
{
	size_t room = max - have;

	if (len > room)
		len = room;
	memcpy(to + have, data, len);
	to[have + len] = '\0';
	return have + len;
}

/*
 * The part of the Status's message that says so, or NULL. What stands in front of it names the exec by a random number,
 * and the same trouble shall read the same each time.
 */
static const char *never_started_words(const struct api_status *s)
{
	for (size_t i = 0; s->message && i < NEVER_STARTED; i++) {
		const char *words = strstr(s->message, never_started[i]);
		if (words)
			return words;
	}
	return s->code >= 400 && s->code < 500 ? s->message : NULL;
}

/* 1 to 255, or 0 when there is none that can be read. */
static int exit_code(const struct api_status *s)
{
	if (!s->reason || strcmp(s->reason, "NonZeroExitCode") != 0 || !s->details)
		return 0;
	for (size_t i = 0; i < s->details->causes_count; i++) {
		const struct api_status_cause *cause = &s->details->causes[i];
		char *end;
		if (!cause->reason || strcmp(cause->reason, "ExitCode") != 0 || !cause->message)
			continue;
		long code = strtol(cause->message, &end, 10);
		return end != cause->message && *end == '\0' && code > 0 && code <= 255 ? (int)code : 0;
	}
	return 0;
}

static void judge(struct channels *c, const struct api_status *s)
{
	const char *words = never_started_words(s), *message = s->message ? s->message : "";

	c->ended = true;
	c->end = EXEC_EXITED;
	c->exit_code = 0;
	if (strcmp(s->status, "Failure") == 0) {
		c->exit_code = exit_code(s);
		if (c->exit_code == 0) {
			c->end = words ? EXEC_REFUSED : EXEC_LOST;
			message = words ? words : *message ? message : "the Status tells no exit code";
		}
	}
	snprintf(c->message, sizeof(c->message), "%s", message);
}

/* A Status may come in pieces; it is whole when it can be read. */
static void try_status(struct channels *c)
{
	cleanup_arena struct arena arena = { 0 };
	struct api_status status = { 0 };
	char last = c->status[c->status_len - 1];

	if (last != '}' && last != '\n')
		return;
	if (crd_decode_text(&api_status_type, c->status, c->status_len, &status, &arena, NULL) < 0)
		return;
	if (status.status && (strcmp(status.status, "Success") == 0 || strcmp(status.status, "Failure") == 0))
		judge(c, &status);
}

void channels_take(struct channels *c, const void *msg, size_t len)
{
	const char *bytes = msg;

	if (c->ended || len < 2)
		return;
	switch (bytes[0]) {
	case CHANNEL_STDOUT:
	case CHANNEL_STDERR:
		c->output_len = append(c->output, c->output_len, EXEC_OUTPUT_MAX, bytes + 1, len - 1);
		break;
	case CHANNEL_STATUS:
		c->status_len = append(c->status, c->status_len, CHANNEL_STATUS_MAX, bytes + 1, len - 1);
		try_status(c);
		break;
	default:
		break;
	}
}

struct exec_result channels_result(const struct channels *c, const char *why)
{
	return (struct exec_result){
		.end = c->ended ? c->end : EXEC_LOST,
		.exit_code = c->ended ? c->exit_code : 0,
		.output = c->output,
		.len = c->output_len,
		.message = c->ended ? c->message : why,
	};
}
