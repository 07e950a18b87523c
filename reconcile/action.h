/* Actions as one line of text each, for traces, logs and test cases. */
#pragma once

#include "reconcile/reconcile.h"

/* "exec shop-a-1b2c3-0 role_upgraded 7.1", "delete Pod shop-a-1b2c3-2", "apply StatefulSet shop-a-1b2c3 for App v2" */
const char *action_text(const struct action *a, struct arena *arena);
const char *object_kind_name(enum object_kind kind);
