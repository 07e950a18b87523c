/*
 * What somebody has switched on to go wrong, or to take longer, member by member; and requests that are answered with an
 * error.
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/base/strmap.h"
#include "crd/gen/types.h"

#include <stdbool.h>

struct sim;

/* Of one member, pod or no pod. */
struct steer {
	bool is_down;               /* its container does not start */
	bool is_lost;               /* no node takes its pod */
	int exit_code;              /* of its handler, 0: as it should */
	enum event_kind fails_on;   /* EVENT_KIND_NONE: on every event */
	int64_t handler_ms;         /* 0: as everywhere */
};

#define SWITCHES_DENY_MAX 96

struct switches {
	struct strmap steers;       /* "namespace/pod" -> struct steer */
	int64_t handler_ms;         /* how long a handler runs */
	bool no_quota;              /* no pod can be made */
	char deny[SWITCHES_DENY_MAX]; /* requests "METHOD PATH" with this in them are refused, "": none */
	int deny_code;
	int64_t deny_count;         /* so many more of them */
};

void switches_release(struct switches *w);
/* NULL when nothing was ever said about it. */
const struct steer *switches_of(const struct switches *w, const char *namespace, const char *pod);
/* Made when absent. POD is "NAMESPACE/POD", or a pod in "default". */
struct steer *switches_steer(struct switches *w, const char *pod);
/* The HTTP code that this request is refused with, or 0. Counts it. */
int switches_deny(struct switches *w, const char *method, const char *path);
