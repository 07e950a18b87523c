#include "view.h"

#include "text.h"

#include <string.h>

enum { Q_NAMESPACE, Q_CLUSTER, Q_MEMBER, Q_ID, Q_EVENT, Q_STATE, Q_TRIES, Q_EXIT, Q_NEXT, Q_ROLE, Q_ERROR, Q_COUNT };

static const struct column queue_columns[Q_COUNT] = {
	[Q_NAMESPACE] = { .title = "NAMESPACE" },
	[Q_CLUSTER] = { .title = "CLUSTER" },
	[Q_MEMBER] = { .title = "MEMBER" },
	[Q_ID] = { .title = "ID" },
	[Q_EVENT] = { .title = "EVENT" },
	[Q_STATE] = { .title = "STATE", .rank = 4 },
	[Q_TRIES] = { .title = "TRIES", .rank = 3 },
	[Q_EXIT] = { .title = "EXIT", .rank = 2 },
	[Q_NEXT] = { .title = "NEXT", .rank = 1 },
	[Q_ROLE] = { .title = "ROLE", .wide_only = true },
	[Q_ERROR] = { .title = "ERROR", .rank = 5, .free_text = true },
};

struct queues {
	const struct view *v;
	struct table t;
	size_t first; /* column that is shown */
	const struct cluster *cluster;
	const struct role_status *role;
};

/* What went wrong: with the entry, or with the member that has to hear it first. */
static const char *error_of(const struct queues *q, const struct member *m, size_t i)
{
	const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];

	if (e->last_error)
		return view_text(q->v, e->last_error);
	if (i == 0 && m->state_detail->down_reason)
		return arena_printf(q->v->arena, "down: %s", view_text(q->v, m->state_detail->down_reason));
	return NULL;
}

static void add_entry(struct queues *q, const struct member *m, size_t i)
{
	const struct view *v = q->v;
	const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];
	struct cell cells[Q_COUNT] = {
		[Q_NAMESPACE] = { view_text(v, q->cluster->metadata->namespace), TONE_PLAIN },
		[Q_CLUSTER] = { view_text(v, q->cluster->metadata->name), TONE_PLAIN },
		[Q_MEMBER] = { view_text(v, m->pod), TONE_PLAIN },
		[Q_ID] = { arena_printf(v->arena, "%lld", (long long)e->id), TONE_PLAIN },
		[Q_EVENT] = { event_kind_text(e->event), TONE_PLAIN },
		[Q_STATE] = view_entry_state(m, i),
		[Q_TRIES] = { arena_printf(v->arena, "%lld", (long long)e->attempts), TONE_PLAIN },
		[Q_NEXT] = { view_next_attempt(v, e), TONE_PLAIN },
		[Q_ROLE] = { view_text(v, q->role->id), TONE_PLAIN },
		[Q_ERROR] = { error_of(q, m, i), TONE_PLAIN },
	};

	if (e->has_last_exit_code)
		cells[Q_EXIT].text = arena_printf(v->arena, "%lld", (long long)e->last_exit_code);
	struct table_row *row = table_add(&q->t, 0);
	for (size_t c = q->first; c < Q_COUNT; c++) {
		row->cells[c - q->first] = cells[c];
		if (!cells[c].text)
			row->cells[c - q->first].text = "-";
	}
}

static void add_cluster(struct queues *q, const struct cluster *c, const char *member)
{
	const struct cluster_status *st = c->status;

	q->cluster = c;
	for (size_t r = 0; st && r < st->roles_count; r++) {
		q->role = &st->roles[r];
		for (size_t i = 0; i < q->role->members_count; i++) {
			const struct member *m = &q->role->members[i];
			if (!m->state_detail || (member && strcmp(member, m->pod) != 0))
				continue;
			for (size_t e = 0; e < m->state_detail->pending_notify_cmds_count; e++)
				add_entry(q, m, e);
		}
	}
}

void view_queues(const struct view *v, const struct cluster *clusters, size_t count, const char *member,
                 struct strbuf *out)
{
	struct queues q = { .v = v, .first = v->namespaces ? Q_NAMESPACE : count == 1 ? Q_MEMBER : Q_CLUSTER };

	q.t = (struct table){
		.columns = queue_columns + q.first,
		.column_count = Q_COUNT - q.first,
		.arena = v->arena,
	};
	for (size_t i = 0; i < count; i++)
		add_cluster(&q, &clusters[i], member);
	if (q.t.row_count > 0)
		table_print(&q.t, &v->style, out);
}
