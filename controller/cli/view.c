#include "view.h"

#include "reconcile/condition.h"
#include "text.h"

const char *view_text(const struct view *v, const char *text)
{
	return text_clean(v->arena, text);
}

struct cell view_state(const struct cluster *c)
{
	static const enum tone tones[] = {
		[CLUSTER_STATE_NONE] = TONE_PLAIN,
		[CLUSTER_STATE_CREATING] = TONE_BUSY,
		[CLUSTER_STATE_CONFIGURED] = TONE_GOOD,
		[CLUSTER_STATE_UPDATING] = TONE_BUSY,
	};
	enum cluster_state state = c->status ? c->status->state : CLUSTER_STATE_NONE;

	if (c->metadata->deletion_timestamp)
		return (struct cell){ "deleting", TONE_BUSY };
	return (struct cell){ state ? cluster_state_text(state) : "-", tones[state] };
}

const char *view_upgrade(const struct view *v, const struct cluster *c)
{
	const struct upgrade_info *info = c->status ? c->status->upgrade_info : NULL;

	if (!info)
		return NULL;
	return arena_printf(v->arena, "%s %s", info->is_rolling_back ? "back to" : "from", info->prev_app);
}

struct cell view_entry_state(const struct member *m, size_t i)
{
	const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];

	if (m->state == MEMBER_STATE_CONFIG_ERROR)
		return (struct cell){ "held", TONE_BAD };
	if (e->attempts > e->attempts_forgiven)
		return (struct cell){ "failed", TONE_BAD };
	return i == 0 ? (struct cell){ "next", TONE_BUSY } : (struct cell){ "waits", TONE_PLAIN };
}

const char *view_next_attempt(const struct view *v, const struct queue_entry *e)
{
	if (!e->next_attempt)
		return NULL;
	if (e->next_attempt <= v->now)
		return "now";
	/* Rounded up: "in 0s" would be "now". */
	return arena_printf(v->arena, "in %s", text_span(v->arena, e->next_attempt - v->now + 999));
}

/* Columns of the list; the ranks are the order in which help says that they go. */
enum { L_NAMESPACE, L_NAME, L_APP, L_STATE, L_READY, L_PENDING, L_UPGRADE, L_AGE, L_PLAN, L_MESSAGE, L_COUNT };

static const struct column list_columns[L_COUNT] = {
	[L_NAMESPACE] = { .title = "NAMESPACE" },
	[L_NAME] = { .title = "NAME" },
	[L_APP] = { .title = "APP", .rank = 3 },
	[L_STATE] = { .title = "STATE" },
	[L_READY] = { .title = "READY", .rank = 5 },
	[L_PENDING] = { .title = "PENDING", .rank = 4 },
	[L_UPGRADE] = { .title = "UPGRADE", .rank = 2 },
	[L_AGE] = { .title = "AGE", .rank = 1 },
	[L_PLAN] = { .title = "PLAN", .wide_only = true },
	[L_MESSAGE] = { .title = "MESSAGE", .wide_only = true, .free_text = true },
};

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

static void fill_status(const struct view *v, const struct cluster *c, struct cell *cells)
{
	const struct cluster_status *st = c->status;
	const struct condition *progressing = condition_find(st->conditions, st->conditions_count, "Progressing");

	cells[L_APP].text = or_dash(view_text(v, st->app));
	cells[L_READY].text = or_dash(view_text(v, st->ready_members));
	if (st->has_pending_notifies)
		cells[L_PENDING].text = arena_printf(v->arena, "%lld", (long long)st->pending_notifies);
	cells[L_PENDING].tone = st->pending_notifies ? TONE_BUSY : TONE_PLAIN;
	if (st->plan)
		cells[L_PLAN].text = arena_printf(v->arena, "%s %s", plan_kind_text(st->plan->kind),
		                                  plan_phase_text(st->plan->phase));
	if (progressing)
		cells[L_MESSAGE].text = view_text(v, progressing->message);
}

void view_list(const struct view *v, const struct cluster *clusters, size_t count, struct strbuf *out)
{
	struct table t = { .arena = v->arena };
	size_t first = v->namespaces ? L_NAMESPACE : L_NAME;

	t.columns = list_columns + first;
	t.column_count = L_COUNT - first;
	for (size_t i = 0; i < count; i++) {
		const struct cluster *c = &clusters[i];
		struct cell cells[L_COUNT] = { 0 };
		cells[L_NAMESPACE].text = view_text(v, c->metadata->namespace);
		cells[L_NAME].text = view_text(v, c->metadata->name);
		cells[L_STATE] = view_state(c);
		cells[L_UPGRADE].text = view_text(v, view_upgrade(v, c));
		cells[L_AGE].text = text_since(v->arena, v->now, c->metadata->creation_timestamp);
		if (c->status)
			fill_status(v, c, cells);
		struct table_row *row = table_add(&t, 0);
		for (size_t column = first; column < L_COUNT; column++) {
			cells[column].text = or_dash(cells[column].text);
			row->cells[column - first] = cells[column];
		}
	}
	table_print(&t, &v->style, out);
}
