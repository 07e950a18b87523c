/*
 * A member as it is seen now: its pod, the container in it, and whether it can be told anything.
 *
 *   create pending --(its configure is being run)--> creating --(configure answered 0)--> configured
 *        any of these --(a handler failed retryLimit times, or can never run)--> config error
 *        configured  --(its container came up without its set-up)--> creating
 *        config error --(its pod is replaced)--> create pending
 *        any --(the role is made smaller)--> delete pending --(survivors have been told)--> deleting --(no pod)--> gone
 *
 * What is said of a pod is read from the pod, never from what was asked for (DESIGN section 3).
 */
#pragma once

#include "reconcile/draft.h"

#define MEMBER_CONTAINER "app" /* the container of a member in its pod; KubeDirector's name for it */

struct member_view {
	const struct pod *pod;        /* NULL: there is none, or it is not this cluster's */
	enum container_state state;   /* running, waiting, terminated or absent */
	const char *container;        /* ID of the running container; NULL when none runs */
	bool leaving;                 /* the pod is being deleted */
	bool ready;                   /* condition Ready, and not leaving */
	const char *app, *hash;       /* what the pod was made from; NULL without a pod */
	const char *reason;           /* why nothing runs, for people; NULL when something does */
	bool in_trouble;              /* the reason will not go away by waiting a little */
};

struct member_view member_look(const struct draft *d, const struct member *m);

/* A container of POD has run, whether or not it does now. */
bool pod_has_run(const struct pod *pod);

/* On its way out of the cluster (steps/scale.c). */
static inline bool member_is_leaving(const struct member *m)
{
	return m->state == MEMBER_STATE_DELETE_PENDING || m->state == MEMBER_STATE_DELETING;
}
/* Its pod is being replaced: marked, and not yet judged to be done. */
static inline bool member_is_moving(const struct member *m)
{
	return m->pod_upgrade_status == UPGRADE_STATE_UPGRADING || m->pod_upgrade_status == UPGRADE_STATE_ROLLING_BACK;
}
/* Serving: its pod is ready and it has digested all that it needs to serve. */
bool member_is_serving(const struct draft *d, const struct member *m);
/* The member is on its way up, by our own doing: not running is no trouble yet. */
bool member_is_expected_down(const struct member *m);
/* Writes what is seen into the member's detail (N4): container state, downSince and the reason. */
void member_observe(struct draft *d, struct member *m);
/* Writes down the new member at ORDINAL of ROLE, and that it must be told CONFIGURE (0: it hears none). */
void member_begin(struct draft *d, struct role_status *role, size_t ordinal, int64_t configure);
/* Holds the queue: nothing more is tried until the user or a replacement changes something (N5); it has not been upgraded (U4). */
void member_set_config_error(struct draft *d, struct member *m, const char *why);
/* Its pod is about to be another one: failures of the old image no longer count. */
void member_forgive(struct member *m);

/* "<headless service>.<namespace>.svc.cluster.local" */
const char *members_domain(const struct draft *d);
/* "<pod>.<domain>" */
const char *member_fqdn(const struct draft *d, const struct member *m);
/* The set-up that the launcher shall find: "<cluster UID>/<nodeID>". */
const char *member_setup(const struct draft *d, const struct member *m);

/* Loops over the roles of a draft and the members of a role. */
#define FOR_EACH_ROLE(d, role) \
	for (struct role_status *role = (d)->status->roles; role < (d)->status->roles + (d)->status->roles_count; role++)
#define FOR_EACH_MEMBER(role, m) \
	for (struct member *m = (role)->members; m < (role)->members + (role)->members_count; m++)
