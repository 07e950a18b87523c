/*
 * An upgrade from App A to App B, as far as it can be told from status and pods (DESIGN section 5).
 *
 *   cluster:  spec.app = B --accepted--> upgradeInfo{prevApp A}, status.app B --all roles upgraded, all queues empty--> done
 *   role:     (nothing) --its turn--> upgrading --every member upgraded; role_upgraded is queued--> upgraded
 *   member:   (nothing) --its pod is replaced--> upgrading --B's hash, Ready, all answered with 0--> upgraded
 *             upgraded --another hash, or config error--> upgrading
 *
 * Going down later does not take "upgraded" back. upgrade_assert() holds the table of what goes together.
 */
#pragma once

#include "reconcile/draft.h"

#define UPGRADE_NOTIFY_STEP "notify" /* the plan's step in which cluster_upgraded is delivered */

/* Records that the cluster moves to App B: upgradeInfo and the plan, before anything moves. */
void upgrade_begin(struct draft *d, const struct app *b);
/* The plan of the upgrade or of the rollback that upgradeInfo tells of. */
void upgrade_plan(struct draft *d, enum plan_kind kind);
/*
 * Makes whole what somebody else left half in a status (a hand edit, a restored backup): an upgrade without its plan gets
 * one, a plan without its upgrade ends Unknown. After this upgrade_assert() holds.
 */
void upgrade_repair(struct draft *d);
/* The roles' ids in the order of the upgrade: roleOrder, then the App's, then the spec's. COUNT is status.roles'. */
struct role_status **upgrade_order(const struct draft *d);
/* Lets ROLE have its turn: marks, replaces and counts its members. */
void upgrade_role(struct draft *d, struct role_status *role);
bool role_is_upgraded(const struct role_status *role);
/* Every role is done and cluster_upgraded was queued: only the queues are left (U1). */
bool upgrade_waits_for_queues_only(const struct draft *d);
void upgrade_assert(const struct draft *d);
