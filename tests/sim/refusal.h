/*
 * Why the API server refuses an object: all that is wrong with it, each by field. As in the Status of a 422
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/, metav1.StatusCause).
 */
#pragma once

#include "crd/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Who made so many mistakes need not be told of the others. */
#define REFUSAL_CAUSES_MAX 12

enum cause_kind {
	CAUSE_INVALID,
	CAUSE_DUPLICATE,
	CAUSE_TYPE,        /* from here on the rules in CEL are not asked any more */
	CAUSE_REQUIRED,
	CAUSE_UNSUPPORTED,
	CAUSE_TOO_LONG,
	CAUSE_TOO_MANY,
};

struct cause {
	enum cause_kind kind;
	char field[192];   /* "spec.roles[0].id"; "<nil>": the object as a whole */
	char message[448]; /* with the words that Kubernetes puts before it: "Invalid value: ..." */
};

struct refusal {
	size_t count;
	struct cause causes[REFUSAL_CAUSES_MAX];
};

/* Adds "Invalid value: ..."; returns false, so that "return refusal_add(...)" ends a check. */
bool refusal_add(struct refusal *r, const char *field, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds a message as it is. */
bool refusal_add_as(struct refusal *r, enum cause_kind kind, const char *field, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Nothing was found that keeps the rules in CEL from being asked. */
bool refusal_lets_rules_speak(const struct refusal *r);

/* "FIELD: MESSAGE", or "[FIELD: MESSAGE, ...]" when there are several. */
void refusal_print(const struct refusal *r, struct strbuf *b);
/* "causes":[...] of a Status. */
void refusal_print_causes(const struct refusal *r, struct strbuf *b);
