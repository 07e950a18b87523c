#include "view.h"

#include "reconcile/condition.h"
#include "text.h"

#include <string.h>

enum { T_NAME, T_STATE, T_UPGRADE, T_SINCE, T_CONTAINER, T_DETAIL, T_COUNT };

static const struct column tree_columns[T_COUNT] = {
	[T_NAME] = { .title = "NAME" },
	[T_STATE] = { .title = "STATE" },
	[T_UPGRADE] = { .title = "UPGRADE", .rank = 1 },
	[T_SINCE] = { .title = "SINCE", .rank = 2 },
	[T_CONTAINER] = { .title = "CONTAINER", .wide_only = true },
	[T_DETAIL] = { .title = "DETAIL", .rank = 3, .free_text = true },
};

struct tree {
	const struct view *v;
	const struct cluster *c;
	struct table t;
};

static const char *join(struct tree *t, const char *a, const char *between, const char *b)
{
	if (!a || !b)
		return a ? a : b;
	return arena_printf(t->v->arena, "%s%s%s", a, between, b);
}

static struct cell *add(struct tree *t, size_t depth, const char *name)
{
	struct cell *cells = table_add(&t->t, depth)->cells;

	cells[T_NAME].text = view_text(t->v, name);
	return cells;
}

static struct cell upgrade_cell(enum upgrade_state state)
{
	static const enum tone tones[] = {
		[UPGRADE_STATE_NONE] = TONE_PLAIN,        [UPGRADE_STATE_UPGRADING] = TONE_BUSY,
		[UPGRADE_STATE_UPGRADED] = TONE_GOOD,     [UPGRADE_STATE_ROLLING_BACK] = TONE_BUSY,
		[UPGRADE_STATE_ROLLED_BACK] = TONE_GOOD,
	};

	return (struct cell){ upgrade_state_text(state), tones[state] };
}

static void add_entry(struct tree *t, const struct member *m, size_t i)
{
	const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];
	struct arena *a = t->v->arena;
	const char *next = view_next_attempt(t->v, e), *detail = NULL;
	struct cell *cells = add(t, 3, arena_printf(a, "%lld %s", (long long)e->id, event_kind_text(e->event)));

	cells[T_STATE] = view_entry_state(m, i);
	if (e->attempts)
		detail = arena_printf(a, "tried %lld time%s", (long long)e->attempts, e->attempts == 1 ? "" : "s");
	if (e->has_last_exit_code)
		detail = join(t, detail, ", ", arena_printf(a, "exit %lld", (long long)e->last_exit_code));
	if (next)
		detail = join(t, detail, ", ", arena_printf(a, "again %s", next));
	cells[T_DETAIL].text = join(t, detail, ": ", view_text(t->v, e->last_error));
}

static struct cell member_cell(const struct member *m)
{
	static const enum tone tones[] = {
		[MEMBER_STATE_NONE] = TONE_PLAIN,          [MEMBER_STATE_CREATE_PENDING] = TONE_BUSY,
		[MEMBER_STATE_CREATING] = TONE_BUSY,       [MEMBER_STATE_CONFIGURED] = TONE_GOOD,
		[MEMBER_STATE_CONFIG_ERROR] = TONE_BAD,    [MEMBER_STATE_DELETE_PENDING] = TONE_BUSY,
		[MEMBER_STATE_DELETING] = TONE_BUSY,
	};

	if (m->given_up)
		return (struct cell){ "given up", TONE_BAD };
	return (struct cell){ member_state_text(m->state), tones[m->state] };
}

static void add_member(struct tree *t, const struct member *m)
{
	const struct state_detail *d = m->state_detail;
	struct cell *cells = add(t, 2, m->pod);

	cells[T_STATE] = member_cell(m);
	cells[T_UPGRADE] = upgrade_cell(m->pod_upgrade_status);
	if (!d)
		return;
	cells[T_SINCE].text = text_since(t->v->arena, t->v->now, d->down_since);
	cells[T_CONTAINER].text = container_state_text(d->last_known_container_state);
	if (d->down_since || d->down_reason)
		cells[T_DETAIL] = (struct cell){ join(t, "down", ": ", view_text(t->v, d->down_reason)), TONE_BAD };
	if (d->config_error_detail)
		cells[T_DETAIL] = (struct cell){ view_text(t->v, d->config_error_detail), TONE_BAD };
	for (size_t i = 0; i < d->pending_notify_cmds_count; i++)
		add_entry(t, m, i);
}

static void add_role(struct tree *t, const struct cluster_role *role)
{
	const struct cluster_status *st = t->c->status;
	const struct role_status *seen = NULL;
	struct arena *a = t->v->arena;
	struct cell *cells = add(t, 1, arena_printf(a, "role %s", role->id));

	for (size_t i = 0; st && i < st->roles_count; i++)
		if (strcmp(st->roles[i].id, role->id) == 0)
			seen = &st->roles[i];
	size_t there = seen ? seen->members_count : 0;
	const char *detail = arena_printf(a, "%zu member%s", there, there == 1 ? "" : "s");
	if (role->has_members && (size_t)role->members != there)
		detail = arena_printf(a, "%s, %lld wanted", detail, (long long)role->members);
	if (seen && seen->waiting_for)
		detail = arena_printf(a, "%s; waits for %s", detail, view_text(t->v, seen->waiting_for));
	cells[T_DETAIL].text = detail;
	cells[T_UPGRADE] = upgrade_cell(seen ? seen->role_upgrade_status : UPGRADE_STATE_NONE);
	for (size_t i = 0; i < there; i++)
		add_member(t, &seen->members[i]);
}

static void add_step(struct tree *t, const struct plan_step *s)
{
	static const enum tone tones[] = {
		[STEP_STATUS_NONE] = TONE_PLAIN, [STEP_STATUS_PENDING] = TONE_PLAIN, [STEP_STATUS_RUNNING] = TONE_BUSY,
		[STEP_STATUS_DONE] = TONE_GOOD,  [STEP_STATUS_FAILED] = TONE_BAD,
	};
	struct cell *cells = add(t, 2, s->name);

	cells[T_STATE] = (struct cell){ step_status_text(s->status), tones[s->status] };
	cells[T_SINCE].text = text_since(t->v->arena, t->v->now, s->completed_at ? s->completed_at : s->started_at);
	cells[T_DETAIL].text = view_text(t->v, s->message);
}

static void add_warning(struct tree *t, const struct plan_warning *w)
{
	struct cell *cells = add(t, 2, "warning");

	if (w->count > 1)
		cells[T_STATE].text = arena_printf(t->v->arena, "%lld times", (long long)w->count);
	cells[T_SINCE].text = text_since(t->v->arena, t->v->now, w->time);
	cells[T_DETAIL].text = view_text(t->v, join(t, w->step, ": ", w->message));
}

static struct cell plan_cell(const struct plan *p)
{
	if (p->phase == PLAN_PHASE_STALLED)
		return (struct cell){ plan_phase_text(p->phase), TONE_BAD };
	if (p->phase != PLAN_PHASE_DONE)
		return (struct cell){ plan_phase_text(p->phase), TONE_BUSY };
	return (struct cell){ plan_outcome_text(p->outcome),
		              p->outcome == PLAN_OUTCOME_SUCCEEDED ? TONE_GOOD : TONE_BAD };
}

/* The steps of a plan that went well say nothing more. */
static void add_plan(struct tree *t, const struct plan *p)
{
	struct arena *a = t->v->arena;
	struct cell *cells = add(t, 1, arena_printf(a, "plan %lld %s", (long long)p->id, plan_kind_text(p->kind)));
	const char *apps = join(t, view_text(t->v, p->from_app), " -> ", view_text(t->v, p->to_app));

	cells[T_STATE] = plan_cell(p);
	cells[T_SINCE].text = text_since(a, t->v->now, p->completed_at ? p->completed_at : p->started_at);
	cells[T_DETAIL].text = join(t, apps, ": ", view_text(t->v, p->reason));
	for (size_t i = 0; (p->outcome != PLAN_OUTCOME_SUCCEEDED || t->v->style.wide) && i < p->steps_count; i++)
		add_step(t, &p->steps[i]);
	for (size_t i = 0; i < p->warnings_count; i++)
		add_warning(t, &p->warnings[i]);
	if (p->warnings_dropped)
		add(t, 2, "warnings")[T_DETAIL].text =
			arena_printf(a, "and %lld more, which were not kept", (long long)p->warnings_dropped);
}

/* The plan that runs, else the last one; when there is room for everything, all that are kept. */
static void add_plans(struct tree *t)
{
	const struct cluster_status *st = t->c->status;
	size_t shown = t->v->style.wide ? st->last_plans_count : st->plan || st->last_plans_count == 0 ? 0 : 1;

	if (st->plan)
		add_plan(t, st->plan);
	for (size_t i = 0; i < shown; i++)
		add_plan(t, &st->last_plans[i]);
}

/* Notified is left out: the queues themselves are shown. */
static void add_conditions(struct tree *t)
{
	static const struct {
		const char *type;
		enum truth bad;
	} rows[] = {
		{ "SpecAccepted", TRUTH_FALSE },
		{ "Progressing", TRUTH_FALSE },
		{ "Degraded", TRUTH_TRUE },
		{ "Ready", TRUTH_FALSE },
	};
	const struct cluster_status *st = t->c->status;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct condition *c = condition_find(st->conditions, st->conditions_count, rows[i].type);
		if (!c || c->status != rows[i].bad)
			continue;
		struct cell *cells = add(t, 1, c->type);
		cells[T_STATE] = (struct cell){ truth_text(c->status), TONE_BAD };
		cells[T_SINCE].text = text_since(t->v->arena, t->v->now, c->last_transition_time);
		cells[T_DETAIL].text = view_text(t->v, join(t, c->reason, ": ", c->message));
	}
}

/* What was asked for by annotation and not acted on yet. */
static void add_commands(struct tree *t)
{
	const struct object_meta *meta = t->c->metadata;

	for (size_t i = 0; i < meta->annotations_count; i++) {
		const struct crd_pair *p = &meta->annotations[i];
		if (strncmp(p->key, "rolecall.dev/", 13) == 0)
			add(t, 1, p->key + 13)[T_DETAIL].text =
				view_text(t->v, arena_printf(t->v->arena, "asked for: %s", p->value));
	}
}

static void add_status(struct tree *t)
{
	const struct cluster_status *st = t->c->status;

	if (st->rolled_back)
		add(t, 1, "rolled back")[T_DETAIL].text =
			arena_printf(t->v->arena, "from App %s, which is not tried again until spec.app changes",
		                     view_text(t->v, st->rolled_back->app));
	add_conditions(t);
	add_plans(t);
}

void view_tree(const struct view *v, const struct cluster *c, struct strbuf *out)
{
	struct tree t = { .v = v, .c = c };
	const struct cluster_status *st = c->status;

	t.t = (struct table){
		.columns = tree_columns,
		.column_count = T_COUNT,
		.leave_out_empty = true,
		.arena = v->arena,
	};
	struct cell *cells = add(&t, 0, c->metadata->name);
	cells[T_STATE] = view_state(c);
	cells[T_SINCE].text = text_since(v->arena, v->now, c->metadata->creation_timestamp);
	cells[T_UPGRADE].text = view_text(v, view_upgrade(v, c));
	if (st && st->app)
		cells[T_DETAIL].text = arena_printf(v->arena, "App %s, %s ready, %lld to be told",
		                                    view_text(v, st->app),
		                                    st->ready_members ? view_text(v, st->ready_members) : "0/0",
		                                    (long long)st->pending_notifies);
	else
		cells[T_DETAIL].text = "no operator has looked at it yet: does one run?";
	add_commands(&t);
	if (st)
		add_status(&t);
	for (size_t i = 0; i < c->spec->roles_count; i++)
		add_role(&t, &c->spec->roles[i]);
	table_print(&t.t, &v->style, out);
}
