/*
 * Credentials from kubeconfig files. https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 *
 * Nothing is guessed and there is no fallback: what was named and does not load is an error which names the file, the
 * entry in it and the way out.
 */
#pragma once

#include "credentials.h"

/* Whether the user named a file, by PATH (--kubeconfig) or $KUBECONFIG, so that nothing else may be tried. */
bool kubeconfig_is_named(const char *path);

/*
 * Fills RET from context CONTEXT (NULL: the current-context) of the file PATH. Without PATH it is the files of
 * $KUBECONFIG, merged as kubectl does, or else $HOME/.kube/config. .namespace is the context's. Certificates are not
 * looked into: credentials_check(). Returns 0, or -1 with ERR; RET is then untouched.
 */
int kubeconfig_load(const char *path, const char *context, struct credentials *ret, struct err *err);
