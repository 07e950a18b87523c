/*
 * OpenAPI v3: of our kinds the schemas of their CRDs, for "kubectl explain"; of all kinds what a PATCH may be asked with,
 * for kubectl looks there before it leaves validation and dry runs to the server.
 */
#pragma once

#include "kubesim.h"

/* NULL when PATH is none of /openapi/v3. */
const char *openapi_answer(struct kubesim *k, const char *path);
