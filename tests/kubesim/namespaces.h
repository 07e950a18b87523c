/* The namespace controller: a namespace that is ending is emptied, and goes when nothing is left in it. */
#pragma once

#include "tests/sim/sim.h"

/* An object changed; called by the store. */
void namespaces_changed(struct sim *sim, const struct object *o, enum change change);
/* What the API server adds to a new one. */
void namespaces_complete(cJSON *tree, const char *name);
/* Where objects may be made. False with the answer in RET_REPLY. */
bool namespaces_take(struct sim *sim, const struct api_target *t, const char *name, struct reply *ret_reply);
