#include "reconcile/steps/steps.h"

#include "reconcile/desired/names.h"
#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/accept.h"

/*
 * Which roles and members there are. A member is written down, with its nodeID and the configure that it must be told,
 * before the StatefulSet that makes its pod is applied (N1).
 */

static void add_role(struct draft *d, const struct cluster_role *spec)
{
	struct cluster_status *st = d->status;
	const struct app *app = d->s->app;
	st->roles = arena_grow(d->arena, st->roles, st->roles_count, st->roles_count + 1, sizeof *st->roles);
	struct role_status *role = &st->roles[st->roles_count++];
	role->id = spec->id;
	role->stateful_set = name_statefulset(d->arena, d->s->cluster->metadata->name, spec->id);
	role->members_count = wanted_members(app, spec);
	role->members = arena_array(d->arena, role->members_count, sizeof *role->members);

	bool told = role->members_count && event_is_heard(app, spec->id, EVENT_KIND_CONFIGURE);
	int64_t configure = told ? notification_new(d, EVENT_KIND_CONFIGURE, spec->id) : 0;
	for (size_t i = 0; i < role->members_count; i++)
		member_begin(d, role, i, configure);
}

static void begin_creation(struct draft *d)
{
	const struct cluster *c = d->s->cluster;
	const char **steps = arena_array(d->arena, c->spec->roles_count, sizeof *steps);
	for (size_t i = 0; i < c->spec->roles_count; i++)
		steps[i] = arena_printf(d->arena, "role %s", c->spec->roles[i].id);
	if (plan_is_running(d))
		plan_end(d, PLAN_OUTCOME_UNKNOWN, "StatusLost");
	d->status->app = c->spec->app;
	d->status->cluster_service = name_service(d->arena, c->metadata->name);
	d->status->spec_generation_to_process = 1;
	plan_begin(d, PLAN_KIND_CREATE, steps, c->spec->roles_count);
	for (size_t i = 0; i < c->spec->roles_count; i++)
		plan_step(d, steps[i], STEP_STATUS_RUNNING, NULL);
	draft_event(d, false, "Creating", "creating %zu roles from App %s", c->spec->roles_count, c->spec->app);
}

/* The App of a cluster whose status has lost it: that of an upgrade, or that of a member's pod. */
static const char *running_app(const struct draft *d)
{
	const struct upgrade_info *info = d->status->upgrade_info;
	const char *app = info ? (info->is_rolling_back ? info->prev_app : info->to_app) : NULL;
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			app = app ? app : member_look(d, m).app;
	return app ? app : d->s->cluster->spec->app;
}

/* What somebody else left half in a status (a hand edit, a restored backup) is made whole: names follow from names. */
static void mend(struct draft *d)
{
	struct cluster_status *st = d->status;
	const char *cluster = d->s->cluster->metadata->name;
	if (!st->app && st->roles_count) {
		st->app = running_app(d);
		d->accepted = false; /* the spec was judged as that of a new cluster: the next pass does it again */
		draft_requeue(d, d->s->now);
	}
	if (plan_is_running(d) && !st->plan->kind)
		plan_end(d, PLAN_OUTCOME_UNKNOWN, "PlanWithoutKind");
	if (st->app && !st->spec_generation_to_process)
		st->spec_generation_to_process = 1;
	if (st->app && !st->cluster_service)
		st->cluster_service = name_service(d->arena, cluster);
	FOR_EACH_ROLE(d, role)
		if (!role->stateful_set)
			role->stateful_set = name_statefulset(d->arena, cluster, role->id);
}

enum step_result step_roles(struct draft *d)
{
	mend(d);
	if (!d->accepted || d->status->app)
		return STEP_NEXT;
	begin_creation(d);
	for (size_t i = 0; i < d->s->cluster->spec->roles_count; i++)
		add_role(d, &d->s->cluster->spec->roles[i]);
	return STEP_NEXT;
}
