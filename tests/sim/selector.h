/*
 * Label and field selectors as in queries: "a=b,c!=d,e in (f,g),h notin (i),j,!k".
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/base/json.h"

#include <stdbool.h>
#include <stddef.h>

struct requirement {
	const char *key;
	bool is_negated;
	bool has_values;           /* else the key's presence counts */
	const char **values;       /* one of them; NULL-terminated */
};

struct selector {
	struct requirement *items; /* all must hold; none: everything is selected */
	size_t count;
};

/* False when TEXT is no selector. */
bool selector_parse(struct arena *a, const char *text, struct selector *ret_selector);
bool selector_takes(const struct selector *s, const cJSON *labels);
/* Keys are paths of fields, "metadata.name"; an absent field is "". */
bool selector_takes_fields(const struct selector *s, const cJSON *object);
/* The one value that KEY must have, or NULL. */
const char *selector_value(const struct selector *s, const char *key);
