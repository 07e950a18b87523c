/*
 * The ExecCredential object in which we and a credential plugin talk, both ways. No IO.
 * https://kubernetes.io/docs/reference/config-api/client-authentication.v1/ and .../client-authentication.v1beta1/
 */
#pragma once

#include "crd/base/err.h"
#include "crd/base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* What a plugin answered. Certificate and key are PEM, and come together or not at all. */
struct execcredential {
	struct strbuf token, cert, key; /* empty: not given; one of token and cert is */
	int64_t expires_ms;             /* wall clock; 0: not told */
};

/*
 * Reads TEXT, JSON or YAML. It must be of API_VERSION, the one that was asked for. Returns 0, or -1 with what is wrong with
 * it; no part of TEXT gets into ERR.
 */
int execcredential_read(const char *text, size_t len, const char *api_version, struct execcredential *ret,
                        struct err *err);

/* What the plugin gets in $KUBERNETES_EXEC_INFO. CLUSTER is JSON, or NULL: the plugin is not told. */
void execcredential_write(const char *api_version, const char *cluster, bool interactive, struct strbuf *out);

void execcredential_release(struct execcredential *e);
#define cleanup_execcredential __attribute__((cleanup(execcredential_release)))
