/*
 * Credentials from a kubeconfig file.
 * https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 *
 * Nothing is guessed and there is no fallback: a file that was named and does not load is an error which names the
 * file, the entry in it and the way out. Refused by name: exec plugins, auth-provider, username and password,
 * impersonation.
 */
#pragma once

#include "credentials.h"

/*
 * The file to read: OPTION (--kubeconfig), else the first existing file in the list $KUBECONFIG, else
 * $HOME/.kube/config. The name is put into MEMORY. Returns 0, or -1 when $KUBECONFIG names no existing file or there
 * is no home.
 */
int kubeconfig_find(const char *option, struct arena *memory, const char **ret_path, struct err *err);

/* Whether the user named a file, by OPTION or $KUBECONFIG, so that nothing else may be tried. */
bool kubeconfig_is_named(const char *option);

/*
 * Reads PATH and fills RET from context CONTEXT (NULL: the file's current-context). Certificates are not looked into:
 * credentials_check(). Returns 0, or -1 with ERR.
 */
int kubeconfig_load(const char *path, const char *context, struct credentials *ret, struct err *err);
