/*
 * Conditions of a status, as Kubernetes' API conventions have them: one per type, lastTransitionTime moves only when the
 * status word changes, observedGeneration says of which spec it speaks.
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/gen/types.h"

#include <stdbool.h>

struct condition_list {
	struct condition **items; /* the status' own fields, changed in place */
	size_t *count;
	int64_t now;
	int64_t generation;
};

/* Sets TYPE. REASON and MESSAGE live as long as the arena; a message over 1,024 bytes is cut. */
void condition_set(struct condition_list list, struct arena *arena, const char *type, bool is_true, const char *reason,
                   const char *message);
const struct condition *condition_find(const struct condition *items, size_t count, const char *type);
