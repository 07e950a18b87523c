/*
 * What people see of Clusters: the list, the tree of one, the queues. Pure: decoded objects in, text out.
 *
 * Which columns go when there is no room: table.h and the ranks in the files.
 */
#pragma once

#include "crd/gen/types.h"
#include "table.h"

struct view {
	int64_t now; /* wall clock */
	struct style style;
	bool namespaces; /* a column for them */
	struct arena *arena;
};

/* One line for each of the COUNT Clusters. */
void view_list(const struct view *v, const struct cluster *clusters, size_t count, struct strbuf *out);
/* One Cluster: conditions that are not as they should be, plan, roles, members, queues. */
void view_tree(const struct view *v, const struct cluster *c, struct strbuf *out);
/* Every notification in the queues of the Clusters; of one MEMBER only, unless it is NULL. */
void view_queues(const struct view *v, const struct cluster *clusters, size_t count, const char *member,
                 struct strbuf *out);

/* These are shared by the views. */

/* Text of a Cluster or from a member, fit for a terminal. */
const char *view_text(const struct view *v, const char *text);
/* "configured", "deleting", ...; "-" while no operator has looked at it. */
struct cell view_state(const struct cluster *c);
/* "from shop-v1", "back to shop-v1"; NULL without an upgrade. */
const char *view_upgrade(const struct view *v, const struct cluster *c);
/* What entry I of M's queue is about to do: "next", "waits", "failed", "held". */
struct cell view_entry_state(const struct member *m, size_t i);
/* "in 20s", "now"; NULL when no time is set. */
const char *view_next_attempt(const struct view *v, const struct queue_entry *e);
