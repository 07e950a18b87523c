/*
 * An object against its OpenAPI schema, as the API server does it for a CustomResourceDefinition: fields that the schema
 * does not know are taken out, defaults are put in, and the rest must be what the schema says. As much of the language as
 * crd/ uses; rules in CEL are tests/sim/rules_custom.c, by hand.
 */
#pragma once

#include "tests/sim/refusal.h"

#include <cjson/cJSON.h>

/*
 * Changes TREE. What is wrong goes to WHY; UNKNOWN gets "unknown field "x", unknown field "y"".
 * ONLY: the one top-level field that is looked at ("status"), or NULL for all.
 */
void schema_check(const cJSON *schema, cJSON *tree, const char *only, struct refusal *why, struct strbuf *unknown);
