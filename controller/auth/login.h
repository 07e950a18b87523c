/* The way in: who this process is to the API server, whichever way it was told. The operator and the command line share it. */
#pragma once

#include "credentials.h"

/*
 * What the user named comes first and must load: KUBECONFIG (--kubeconfig), CONTEXT (--context) or $KUBECONFIG. Else it is
 * a pod's service account, else the file in the home folder. There is no falling back from one that is broken: it would be
 * acting as somebody else.
 *
 * Asks a credential plugin and waits for it, at most PLUGIN_PERSON_TIMEOUT_MS: call it before the loop, and before signals
 * are blocked. Certificates are looked into. Returns 0, or -1 with ERR; RET is then untouched.
 */
int login(const char *kubeconfig, const char *context, struct credentials *ret, struct err *err);
