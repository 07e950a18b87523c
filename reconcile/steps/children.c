#include "reconcile/steps/steps.h"

#include "reconcile/desired/children.h"
#include "reconcile/member/member.h"

/*
 * Service and StatefulSets as they shall be now. They are applied only when they differ from what was applied last, and
 * never over a child of somebody else.
 */

/* Whether the child may be applied: it is not there yet, or it is ours, not on its way out, and not what it shall be. */
static bool needs_apply(struct draft *d, const struct child_meta *seen, const char *applied, const char *kind)
{
	if (!seen)
		return true;
	if (!child_is_ours(d, seen)) {
		if (!seen->deletion_timestamp)
			d->trouble = arena_printf(d->arena, "%s %s exists and belongs to another owner: delete it, or rename "
			                          "this cluster", kind, seen->name);
		return false;
	}
	return !seen->deletion_timestamp && !(seen->annotations && same_text(seen->annotations->applied, applied));
}

static const struct service *find_service(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->s->service_count; i++)
		if (same_text(d->s->services[i]->metadata->name, name))
			return d->s->services[i];
	return NULL;
}

static void apply_service(struct draft *d)
{
	const struct service *seen = find_service(d, d->status->cluster_service);
	struct service *want = desired_service(d);
	if (!needs_apply(d, seen ? seen->metadata : NULL, want->metadata->annotations->applied, "Service"))
		return;
	draft_act(d, (struct action){
		.kind = ACTION_APPLY,
		.object = OBJECT_SERVICE,
		.name = want->metadata->name,
		.resource_version = seen ? seen->metadata->resource_version : NULL,
		.body = want,
	});
	draft_note(d, "apply Service %s", want->metadata->name);
}

static bool has_replicas(const struct statefulset *seen, const struct role_status *role)
{
	return seen->spec && seen->spec->has_replicas && seen->spec->replicas == (int64_t)desired_replicas(role);
}

static void apply_set(struct draft *d, const struct role_status *role)
{
	const struct app *app = draft_role_app(d, role);
	if (!app || !app_role_find(app, role->id) || !draft_spec_role(d, role->id))
		return;
	const struct statefulset *seen = draft_set(d, role->stateful_set);
	struct desired_set want = desired_statefulset(d, app, role);
	bool differs = needs_apply(d, seen ? seen->metadata : NULL, want.set->metadata->annotations->applied, "StatefulSet");
	if (!differs && (!seen || !child_is_ours(d, seen->metadata) || seen->metadata->deletion_timestamp ||
	                 has_replicas(seen, role)))
		return;
	draft_act(d, (struct action){
		.kind = ACTION_APPLY,
		.object = OBJECT_STATEFULSET,
		.name = role->stateful_set,
		.resource_version = seen ? seen->metadata->resource_version : NULL,
		.body = want.set,
		.overlays = want.overlays,
		.overlay_count = want.overlay_count,
	});
	draft_note(d, "apply StatefulSet %s for App %s", role->stateful_set, app->metadata->name);
}

enum step_result step_children(struct draft *d)
{
	if (!d->status->app)
		return STEP_NEXT;
	apply_service(d);
	FOR_EACH_ROLE(d, role)
		apply_set(d, role);
	return STEP_NEXT;
}
