/* Versions of Apps: MAJOR.MINOR[.PATCH][-pre], ordered as Semantic Versioning 2.0.0 section 11 says. */
#pragma once

#include <stdbool.h>

/* *RET < 0, 0 or > 0 as A is older than, equal to or newer than B. false when one of them is no version. */
bool version_compare(const char *a, const char *b, int *ret);
