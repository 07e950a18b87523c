/*
 * configmeta.json: what a member finds of its cluster in /etc/guestconfig, in KubeDirector's form (its catalog.configmeta): the
 * roles with the members in them, the App's family and version, and the member itself.
 *
 * One document for each member, in two parts that follow each other. The common part is the same for all members whose pods run
 * the same App; it grows with the cluster (about 300 bytes a member) and is made once a pass, and only when somebody is sent
 * it. The own part is the member's "node", and ends the document.
 *
 * Both follow from App, names and membership alone: the same generation and App give the same bytes.
 */
#pragma once

#include "reconcile/draft.h"

/* Bytes of a common part. What the CRDs allow (1,000 members, names of 63 bytes, configMeta) stays below. */
#define CONFIGMETA_MAX ((size_t)2 << 20)

const char *configmeta_common(struct draft *d, const struct app *app);
const char *configmeta_own(const struct draft *d, const struct app *app, const struct role_status *role,
                           const struct member *m);
