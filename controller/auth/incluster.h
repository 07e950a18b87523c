/*
 * Credentials of a pod: its service account, and the API server's address from the environment.
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 */
#pragma once

#include "credentials.h"

#define INCLUSTER_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

/* Whether this process looks like one in a pod: KUBERNETES_SERVICE_HOST is set. */
bool incluster_is_here(void);

/* Fills RET from the environment and the files token, ca.crt and namespace in DIR. Returns 0, or -1 with ERR. */
int incluster_load(const char *dir, struct credentials *ret, struct err *err);
