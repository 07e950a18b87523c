/*
 * Keeps one kind in the store as it is on the API server: lists it in pages, then watches what changes.
 *
 *             due           last page            due
 *      EMPTY -----> LISTING ---------> LISTED ---------> WATCHING
 *       ^  ^           |                  ^                  |
 *       |  +-----------+ any error        +------------------+ stream ended: on from the last version
 *       +----------------------------------------------------+ 410, 404, unreadable: all anew
 *
 * EMPTY and LISTED wait until .due. A list that breaks off, also by a 410 to a page, starts again from its first page
 * and has removed nothing. The version to watch from moves with every event and bookmark; it is only ever one that the
 * server gave. A stream that ends inside a line lost nothing before that line and is taken up where it was.
 *
 * Waits after failures: backoff.h, and Retry-After where it is longer. A watch that was good for a second counts as
 * healed; when such a one ends the next begins at once. So there is at most one list a step of the backoff.
 */
#pragma once

#include "controller/api/watch.h"
#include "controller/cache/store.h"
#include "controller/world.h"

enum reflector_state { REFLECTOR_EMPTY, REFLECTOR_LISTING, REFLECTOR_LISTED, REFLECTOR_WATCHING };

#define REFLECTOR_LIST_TIMEOUT_MS 60000
/* The server sends a bookmark about once a minute; two that did not come mean a dead connection. */
#define REFLECTOR_SILENCE_MS 150000
/* The server ends each watch by itself after a random time in between, so that many do not come back together. */
#define REFLECTOR_WATCH_MIN_S 300
#define REFLECTOR_WATCH_MAX_S 600
#define REFLECTOR_HEALTHY_MS 1000
/* While a CRD is not installed. */
#define REFLECTOR_MISSING_MS 10000
/* So many watches in a row that failed: the version may be one that the server never had (a restored backup). */
#define REFLECTOR_RELIST_AFTER 5
/* 250 objects each; a server that hands out tokens for ever is stopped here. */
#define REFLECTOR_PAGES_MAX 4000

/* The API server cannot be reached at all: said once, not once for each kind. Shared by the reflectors. */
struct outage {
	uint64_t complaint; /* hash of what was logged last; 0: it can be reached */
};

struct reflector {
	const struct world *world;
	struct outage *outage;
	struct store *store;
	enum object_kind kind;
	const char *namespace;   /* NULL: all */

	enum reflector_state state;
	bool synced;             /* a list was complete once */
	int64_t due;             /* EMPTY, LISTED: when to go on */
	int failures;            /* in a row */
	char *version;           /* of the list that is read; then what to watch from */
	char *token;             /* of the next page */
	int pages;

	struct request request;
	struct strbuf path;
	void *handle;            /* of the request under way; NULL when there is none */

	struct watch watch;
	int64_t opened_at;
	bool healthy;            /* the watch was good for a second */
	bool broken;             /* what came made no sense: to be cancelled, as told by .why */
	struct err why;

	uint64_t complaint;      /* hash of the error logged last; 0: none, or it healed */
	uint64_t unreadable;     /* the same for objects that cannot be decoded */
	uint64_t undecoded;      /* how many there were */
};

/* NAMESPACE and OUTAGE are borrowed. */
void reflector_init(struct reflector *r, const struct world *world, struct store *store, enum object_kind kind,
                    const char *namespace, struct outage *outage);
/* Does what is due; returns when to call again, INT64_MAX: after a callback. */
int64_t reflector_tick(struct reflector *r);
/* Cancels what is under way. */
void reflector_stop(struct reflector *r);
void reflector_release(struct reflector *r);

const char *reflector_state_name(enum reflector_state s);
