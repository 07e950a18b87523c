/* The user of a kubeconfig's context: what it takes to prove who we are. */
#pragma once

#include "entry.h"

/*
 * Fills C's certificate, token, password, impersonation and plugin from USER. CLUSTER, which was read into C before, is
 * what the plugin is told. Refused by name: auth-provider, a token and a password together, and a user without any.
 * Beside a token or a password a plugin is never run, as in client-go. Returns 0, or -1 with ERR.
 */
int kubeuser_read(const struct entry *user, const struct entry *cluster, struct credentials *c, struct err *err);
