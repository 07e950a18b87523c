/* The kinds that kubesim serves, as discovery tells of them. */
#pragma once

#include "kubesim.h"

struct resource {
	enum kind kind;
	const char *singular;      /* NULL for kinds of ours: their CRDs say it, and the next two */
	const char *short_names;   /* separated by blanks */
	const char *categories;
	const char *verbs;
	const char *subresources;
};

#define RESOURCES_MAX KINDS
extern const struct resource resources[RESOURCES_MAX];

/* NULL for a path that is none of /api, /apis and what stands directly below: not discovery. */
const char *discovery_answer(struct kubesim *k, const char *path);
/* Whether METHOD may be used on what T names. */
bool resource_takes(const struct api_target *t, const char *method);
