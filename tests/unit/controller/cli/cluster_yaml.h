/* Clusters for the tests of the command line: YAML in, decoded structs out, and one upgrade in which much goes wrong. */
#pragma once

#include "crd/base/arena.h"
#include "crd/base/json.h"
#include "crd/base/time.h"
#include "crd/base/yaml.h"
#include "crd/gen/types.h"
#include "tests/unit/unit.h"

#include <string.h>

/* 2026-01-02T03:00:00Z */
#define CLUSTER_NOW INT64_C(1767322800000)

static inline struct cluster cluster_read(struct arena *a, const char *yaml)
{
	struct cluster c = { 0 };
	struct err err = { 0 };
	cleanup_json cJSON *tree = yaml_parse(yaml, strlen(yaml), &err);

	assert_string_equal(err.msg, "");
	crd_decode(&cluster_type, tree, &c, a, &err);
	assert_string_equal(err.msg, "");
	return c;
}

#define CLUSTER_NEW                                                                      \
	"metadata: {name: new, namespace: default, creationTimestamp: '2026-01-02T02:59:15Z'}\n" \
	"spec: {app: shop-v1, roles: [{id: front, members: 2}]}\n"

#define CLUSTER_QUIET                                                                                              \
	"metadata: {name: cart, namespace: default, creationTimestamp: '2026-01-01T03:00:00Z', resourceVersion: '7'}\n"   \
	"spec: {app: shop-v1, roles: [{id: front, members: 1}]}\n"                                                 \
	"status:\n"                                                                                                \
	"  state: configured\n"                                                                                    \
	"  app: shop-v1\n"                                                                                         \
	"  readyMembers: 1/1\n"                                                                                    \
	"  pendingNotifies: 0\n"                                                                                   \
	"  roles: [{id: front, members: [{pod: cart-front-1a2b3-0, state: configured, stateDetail: {}}]}]\n"       \
	"  lastPlans:\n"                                                                                           \
	"  - {id: 1, kind: create, phase: Done, outcome: Succeeded, toApp: shop-v1, startedAt: '2026-01-01T03:00:00Z',\n" \
	"     completedAt: '2026-01-01T03:01:00Z', steps: [{name: plan-completed, status: Done}],\n"               \
	"     warnings: [{step: role front, message: cart-front-1a2b3-0 was down, time: '2026-01-01T03:00:30Z', count: 1}]}\n" \
	"  conditions: [{type: Progressing, status: 'True', reason: PlanCompleted, message: 'create: Succeeded'}]\n"

/* From shop-v1 to shop-v2: one member in config error, one down. */
#define CLUSTER_UPGRADE                                                                                            \
	"metadata: {name: shop, namespace: default, creationTimestamp: '2025-12-31T03:00:00Z', resourceVersion: '42'}\n"  \
	"spec: {app: shop-v2, roles: [{id: front, members: 2}, {id: db, members: 3}]}\n"                           \
	"status:\n"                                                                                                \
	"  state: updating\n"                                                                                      \
	"  app: shop-v2\n"                                                                                         \
	"  readyMembers: 2/4\n"                                                                                    \
	"  pendingNotifies: 5\n"                                                                                   \
	"  upgradeInfo: {prevApp: shop-v1, toApp: shop-v2}\n"                                                      \
	"  conditions:\n"                                                                                          \
	"  - {type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: 'upgrade: waiting for shop-db-9c8d7-1',\n" \
	"     lastTransitionTime: '2026-01-02T02:50:00Z'}\n"                                                       \
	"  - {type: SpecAccepted, status: 'True', reason: Accepted}\n"                                             \
	"  - {type: Notified, status: 'False', reason: Pending, message: x}\n"                                     \
	"  plan:\n"                                                                                                \
	"    id: 2\n"                                                                                              \
	"    kind: upgrade\n"                                                                                      \
	"    phase: Stalled\n"                                                                                     \
	"    fromApp: shop-v1\n"                                                                                   \
	"    toApp: shop-v2\n"                                                                                     \
	"    startedAt: '2026-01-02T02:30:00Z'\n"                                                                  \
	"    steps:\n"                                                                                             \
	"    - {name: role front, status: Done, startedAt: '2026-01-02T02:30:00Z', completedAt: '2026-01-02T02:31:00Z'}\n" \
	"    - {name: role db, status: Running, startedAt: '2026-01-02T02:31:00Z'}\n"                              \
	"    - {name: plan-completed, status: Pending}\n"                                                          \
	"    warnings: [{step: role db, message: pod_upgraded ended with 1, time: '2026-01-02T02:40:00Z', count: 5}]\n" \
	"    warningsDropped: 3\n"                                                                                 \
	"  roles:\n"                                                                                               \
	"  - id: front\n"                                                                                          \
	"    roleUpgradeStatus: upgraded\n"                                                                        \
	"    members:\n"                                                                                           \
	"    - {pod: shop-front-1a2b3-0, state: configured, podUpgradeStatus: upgraded, stateDetail: {\n"          \
	"         lastKnownContainerState: running, pendingNotifyCmds: [\n"                                        \
	"         {id: 9, event: role_upgraded, attempts: 2, lastExitCode: 1, lastError: busy, nextAttempt: '2026-01-02T03:00:19.5Z'}]}}\n" \
	"    - {pod: shop-front-1a2b3-1, state: configured, podUpgradeStatus: upgraded, stateDetail: {\n"          \
	"         lastKnownContainerState: absent, downSince: '2026-01-02T02:58:30Z', downReason: there is no pod,\n" \
	"         pendingNotifyCmds: [{id: 11, event: configure}, {id: 9, event: role_upgraded}]}}\n"              \
	"  - id: db\n"                                                                                             \
	"    roleUpgradeStatus: upgrading\n"                                                                       \
	"    waitingFor: 'MaxUnavailable: 1 of 1 is not serving'\n"                                                \
	"    members:\n"                                                                                           \
	"    - {pod: shop-db-9c8d7-0, state: configured, givenUp: true, stateDetail: {}}\n"                        \
	"    - {pod: shop-db-9c8d7-1, state: config error, podUpgradeStatus: upgrading, stateDetail: {\n"          \
	"         configErrorDetail: pod_upgraded failed 5 times, lastKnownContainerState: running, pendingNotifyCmds: [\n" \
	"         {id: 8, event: pod_upgraded, attempts: 5, lastExitCode: 1, lastError: \"disk\\n\\e[31mfull\"},\n" \
	"         {id: 10, event: cluster_upgraded}]}}\n"

/* Held, asked for something, on its way back from an App that it will not try again, and being deleted meanwhile. */
#define CLUSTER_BACK                                                                                               \
	"metadata:\n"                                                                                              \
	"  name: back\n"                                                                                           \
	"  namespace: default\n"                                                                                   \
	"  creationTimestamp: '2026-01-01T03:00:00Z'\n"                                                            \
	"  deletionTimestamp: '2026-01-02T02:59:00Z'\n"                                                            \
	"  annotations: {rolecall.dev/paused: 'true', rolecall.dev/retry: back-front-1a2b3-0, other.example/x: there}\n" \
	"spec: {app: shop-v2, roles: [{id: front, members: 1}]}\n"                                                 \
	"status:\n"                                                                                                \
	"  state: updating\n"                                                                                      \
	"  app: shop-v1\n"                                                                                         \
	"  readyMembers: 1/1\n"                                                                                    \
	"  pendingNotifies: 1\n"                                                                                   \
	"  upgradeInfo: {prevApp: shop-v1, toApp: shop-v2, isRollingBack: true}\n"                                 \
	"  rolledBack: {app: shop-v2, generation: 2}\n"                                                            \
	"  plan: {id: 3, kind: rollback, phase: Running, fromApp: shop-v2, toApp: shop-v1, startedAt: '2026-01-02T02:50:00Z'}\n" \
	"  roles: [{id: front, members: [{pod: back-front-1a2b3-0, state: configured, stateDetail: {pendingNotifyCmds: [\n" \
	"    {id: 9, event: pod_reverted, attempts: 1, lastExitCode: 1, nextAttempt: '2026-01-02T02:59:00Z'}]}}]}]\n"
