/*
 * A credential plugin: a program that tells who we are, asked again before its answer runs out.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 *
 *	DUE --start--> RUNS --answer--> RESTS --(before it expires, or when the server refuses it)--> DUE
 *	                 \---failure--> RESTS --(after a while)--> DUE
 *
 * It never waits. One run serves everybody. While a run for something better is under way, what was answered before stays
 * in force until it expires.
 */
#pragma once

#include "execcredential.h"
#include "process.h"

/* A plugin asks some service over the network; one that asks a person gets more time. */
#define PLUGIN_TIMEOUT_MS 60000
#define PLUGIN_PERSON_TIMEOUT_MS 300000
/* Asked again this long before the end, or in the last quarter of a short life. */
#define PLUGIN_EARLY_MS 60000
/* Least time between two runs, for answers that have expired already. */
#define PLUGIN_REST_MS 10000
/* Least time between two runs because the server refuses what they answer. */
#define PLUGIN_REFUSED_REST_MS 1000
/* After a failure, doubled after each in a row. */
#define PLUGIN_RETRY_MS 5000
#define PLUGIN_RETRY_MAX_MS 60000

enum plugin_mode { PLUGIN_NEVER_ASKS, PLUGIN_MAY_ASK, PLUGIN_MUST_ASK };

/* What to run. The texts are somebody else's and outlive the plugin. */
struct plugin_config {
	const char *api_version;
	const char **argv;        /* NULL at the end; [0] is a path, or a name for $PATH */
	const char **env;         /* "NAME=value", NULL at the end: on top of our own environment */
	const char *install_hint; /* NULL: none */
	const char *cluster;      /* JSON that the plugin is told, or NULL */
	enum plugin_mode mode;
	int64_t timeout_ms;       /* 0: PLUGIN_TIMEOUT_MS, or PLUGIN_PERSON_TIMEOUT_MS */
};

struct plugin {
	struct plugin_config config;
	struct process process;
	bool runs, answered, refused; /* refused: the server did not accept the last answer */
	int64_t expires_ms;           /* these are clock_steady_ms(); INT64_MAX: not before it is refused */
	int64_t due_ms;               /* when it is run next */
	int64_t refused_rest_ms;      /* until then another refusal does not count */
	int failures;                 /* in a row */
	struct err err;               /* of the last of them */
};

enum plugin_state {
	PLUGIN_USABLE,  /* there is an answer that should do */
	PLUGIN_PENDING, /* not now, but a run for one is due or under way */
	PLUGIN_FAILED,  /* no, and .err says why */
};

enum plugin_state plugin_state(const struct plugin *p, int64_t now_ms);

/*
 * Starts a run when one is due, and takes what has come. 1 when there is a new answer in RET, 0 when there is nothing new,
 * -1 when a run has failed; .err says why.
 */
int plugin_step(struct plugin *p, int64_t now_ms, struct execcredential *ret);

/* The server refused the last answer: a run is due now, unless there was one for that just before. */
void plugin_refused(struct plugin *p, int64_t now_ms);

/* What to wait for, as process.h has it, and until when plugin_step() need not run (clock_steady_ms()). */
size_t plugin_descriptors(const struct plugin *p, int fds[PROCESS_FDS_MAX]);
int64_t plugin_deadline(const struct plugin *p);

/* Kills a run that is under way. */
void plugin_release(struct plugin *p);
