/* The user of a kubeconfig's context: what it takes to prove who we are. */
#pragma once

#include "entry.h"

/*
 * Fills C's certificate, token, password and impersonation from E. Refused by name: auth-provider, two ways of proving
 * at once that kubectl would refuse, and a user without any. Returns 0, or -1 with ERR.
 */
int kubeuser_read(const struct entry *e, struct credentials *c, struct err *err);
