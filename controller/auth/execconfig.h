/* The "exec" of a kubeconfig's user: which credential plugin to run, and what it is told of the cluster. */
#pragma once

#include "entry.h"
#include "plugin.h"

/*
 * Fills RET from the exec of USER; CA is CLUSTER's, read already. All texts are in USER's memory. Returns 1, 0 when there is
 * no exec, or -1 with ERR.
 */
int execconfig_read(const struct entry *user, const struct entry *cluster, const struct material *ca,
                    struct plugin_config *ret, struct err *err);
