/*
 * The events that members are told: who hears one, and the command line that tells it.
 *
 * N8: the receiver's own eventList decides; without one the App's default; without that, all. A role without a handler
 * hears nothing.
 */
#pragma once

#include "reconcile/draft.h"

/* All handler arguments together. One argument of 128 KiB fails in exec looking like a handler's own exit 1. */
#define EVENT_ARGS_MAX (96 * 1024)

bool event_is_heard(const struct app *app, const char *role, enum event_kind event);
/* Whether members of ROLE can be told anything. If not they are never called, and need no /bin/sh. */
bool role_hears_anything(const struct app *app, const char *role);
/* Whether members of ROLE have a set-up that a new container may lack. */
bool role_has_setup(const struct app *app, const char *role);

/* The handler's limits, with the defaults of the CRD where the App is older than they are. */
int64_t handler_timeout_s(const struct app_role *role);
int64_t handler_retry_limit(const struct app_role *role);

/*
 * KubeDirector's command lines: "--configure", "--pod_upgraded", "--role_upgraded --nodegroup 1 --role R --fqdns F1,F2".
 * The role of role_ and cluster_ events is the receiver's own, that of addnodes and delnodes the one that changed (N1).
 */
const char *const *event_argv(const struct draft *d, const struct app_role *app_role, const struct role_status *receiver,
                              const struct notification *n, size_t *ret_argc);
/* Bytes of the longest command line that members of ROLE can be sent, for the check before anything is queued. */
size_t event_args_size(const struct draft *d, const struct app_role *app_role, const struct role_status *role);
