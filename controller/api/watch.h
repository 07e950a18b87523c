/*
 * The stream of a watch: bytes in, events out. No IO.
 *
 * The server sends one JSON object a line, {"type": ..., "object": ...}, cut into pieces wherever the network likes.
 * An object inside an ERROR event is a Status and is never handed out as if it were the thing watched.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
#pragma once

#include "crd/base/err.h"
#include "crd/base/strbuf.h"

#include <stdbool.h>

struct cJSON;

/* An object is at most 1.5 MiB in etcd, and JSON may be longer than what is stored. */
#define WATCH_LINE_MAX ((size_t)4 << 20)

enum watch_event { WATCH_ADDED, WATCH_MODIFIED, WATCH_DELETED, WATCH_BOOKMARK };

struct watch {
	struct strbuf line; /* start of a line whose end has not come; no memory while there is none */
	/* OBJECT is the callee's to change, not to keep. */
	void (*on_event)(void *ctx, enum watch_event event, struct cJSON *object);
	void *ctx;
};

/*
 * Takes the next bytes and calls on_event for every line that is complete. -1 ends the stream; ERR says why: ERR_GONE
 * when the version watched from is no longer kept (a Status 410), ERR_UNAVAILABLE for another ERROR event,
 * ERR_PROTOCOL for what is no event, ERR_LIMIT for a line over the cap. Events before it in DATA were delivered.
 */
int watch_feed(struct watch *w, const char *data, size_t len, struct err *err);

/* The stream ended inside a line: its event is not known. */
bool watch_is_cut(const struct watch *w);

/* Ready for a new stream. */
void watch_reset(struct watch *w);
