/*
 * The requests of one object's passes that failed, by what they wanted. Each is shown to the next decision until it
 * succeeds or is no longer asked for, and is not sent again before its time unless it has changed meanwhile.
 */
#pragma once

#include "crd/base/strmap.h"
#include "reconcile/reconcile.h"

#include <stdbool.h>

struct failure {
	enum err_kind kind;
	char *message;
	int tries;        /* in a row */
	int64_t retry_at;
	uint64_t body;    /* hash of what was sent */
	bool shown;       /* to the decision; a conflict is not, it only waits for the news that caused it */
	bool asked;       /* by the newest verdict */
};

/* WHAT -> struct failure. A zeroed struct is empty. */
struct failures {
	struct strmap map;
};

struct failure *failures_find(const struct failures *f, const char *what);

/* Both return whether the next decision sees something else than the last. */
bool failures_note(struct failures *f, const char *what, const struct err *err, bool shown, uint64_t body);
bool failures_clear(struct failures *f, const char *what);

/* Around the reading of a verdict's actions: those that are not marked .asked in between vanish. */
void failures_begin(struct failures *f);
bool failures_end(struct failures *f);

/* Those that are shown, in A; the texts are borrowed. */
const struct request_failure *failures_list(const struct failures *f, struct arena *a, size_t *ret_count);

void failures_release(struct failures *f);
