/*
 * What a user asks of the operator for a Cluster, judged before anything is sent. Pure: a Cluster in, an answer out.
 *
 * The operator judges again when it acts (reconcile/steps/commands.c); here the user is told at once, and what to do
 * instead.
 */
#pragma once

#include "commands.h"
#include "crd/gen/types.h"

struct wish {
	enum command command; /* retry to rollback */
	const char *program;  /* for commands that are named in answers */
	const char *namespace; /* that the user gave, for the same; NULL: none */
	const char *member;   /* of retry, skip, give-up */
	int64_t id;           /* of skip; 0: none was given */
	bool upgrade;         /* of pause and resume: spec.upgrade.paused */
};

struct wish_answer {
	enum exit_code code;
	const char *text;  /* for people; with a patch: what to say when the server has taken it */
	const char *patch; /* merge patch with the version that was judged; NULL: nothing to send */
	bool later;        /* an earlier command must be acted on first: judge again soon */
};

struct wish_answer wish_judge(const struct wish *w, const struct cluster *c, struct arena *a);

/* After the patch of retry, skip or give-up: whether the operator has acted, and with what result (.later: not yet). */
struct wish_answer wish_outcome(const struct wish *w, const struct cluster *c, struct arena *a);

/* NULL when C has a member POD, else what to say: the nearest, and those that there are. */
const char *wish_no_member(const struct cluster *c, const char *pod, struct arena *a);
