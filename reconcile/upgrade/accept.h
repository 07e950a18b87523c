/* Whether a spec can be followed: what the CRD's own rules cannot see because it needs the App. */
#pragma once

#include "reconcile/draft.h"

struct refusal {
	const char *reason;  /* of the condition SpecAccepted; NULL: nothing to refuse */
	const char *message; /* names the field, what is wrong, and the way out */
};

/* The roles of the spec against APP: known, complete, cardinalities met, command lines that fit. */
struct refusal accept_roles(const struct draft *d, const struct app *app);
/* A change of membership, if the spec asks for one: the queues must have room for it (N9). */
struct refusal accept_scale(const struct draft *d, const struct app *app);
/* Moving from App A to the newer App B (DESIGN section 5, first paragraph). */
struct refusal accept_upgrade(const struct draft *d, const struct app *a, const struct app *b);
/* How many members ROLE of the spec shall have: what it says, else what APP's cardinality says. */
size_t wanted_members(const struct app *app, const struct cluster_role *role);
/* The number in "3" or "3+"; *RET_EXACT tells which. */
int64_t cardinality_number(const char *cardinality, bool *ret_exact);
