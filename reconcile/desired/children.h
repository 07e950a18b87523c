/*
 * The children of a cluster as they shall be: a headless Service, and a StatefulSet per role.
 *
 * A role's pod template follows the App that draft_role_app() gives; so it changes only at the role's turn in an upgrade,
 * and a pod lost before comes back as it was (DESIGN section 3).
 */
#pragma once

#include "reconcile/draft.h"

/* Hash of all that the user asked for a member of ROLE on APP. A new version of rolecall never changes it. */
const char *desired_hash(const struct draft *d, const struct app *app, const char *role);

/* Members of ROLE that shall have a pod: all but those whose time to go has come. */
size_t desired_replicas(const struct role_status *role);

struct desired_set {
	struct statefulset *set;
	const char **overlays; /* the user's own parts of the pod template, JSON text */
	size_t overlay_count;
};
/* ROLE on APP; its annotation "applied" is the hash of everything else in it. */
struct desired_set desired_statefulset(const struct draft *d, const struct app *app, const struct role_status *role);
struct service *desired_service(const struct draft *d);

/* Whether a child belongs to the draft's cluster, by its owner's UID. */
bool child_is_ours(const struct draft *d, const struct child_meta *meta);
