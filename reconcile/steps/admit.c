#include "reconcile/steps/steps.h"

#include "reconcile/condition.h"
#include "reconcile/upgrade/accept.h"

/*
 * What the CRD's rules cannot say because it needs the App. A spec that cannot be followed is no error of the cluster's:
 * SpecAccepted says why, and what was accepted last keeps running.
 */

static bool is_held(const struct app *app, const char *cluster)
{
	for (size_t i = 0; app->status && i < app->status->used_by_count; i++)
		if (same_text(app->status->used_by[i], cluster))
			return true;
	return false;
}

static bool is_rolled_back(const struct cluster_status *st, const struct cluster *c)
{
	return st->rolled_back && same_text(st->rolled_back->app, c->spec->app);
}

static struct refusal judge(const struct draft *d)
{
	const struct cluster *c = d->s->cluster;
	const struct cluster_status *st = d->status;
	if (!d->s->app)
		return (struct refusal){ "AppNotFound",
		                         arena_printf(d->arena, "spec.app: there is no App %s in namespace %s",
		                                      c->spec->app, c->metadata->namespace) };
	/* The hold comes first: an App that could vanish under an upgrade could not be gone back to. */
	if (!is_held(d->s->app, c->metadata->name))
		return (struct refusal){ "AppNotHeld",
		                         arena_printf(d->arena, "App %s does not list this cluster in status.usedBy yet",
		                                      c->spec->app) };
	if (!st->app || same_text(c->spec->app, st->app)) {
		struct refusal no = accept_roles(d, d->s->app);
		return no.reason || !st->app || draft_is_upgrading(d) ? no : accept_scale(d, d->s->app);
	}
	if (is_rolled_back(st, c))
		return (struct refusal){ "UpgradeRolledBack",
		                         arena_printf(d->arena, "the upgrade to App %s was rolled back; it is tried again when "
		                                      "spec.app has been something else", c->spec->app) };
	if (st->upgrade_info)
		return (struct refusal){ .reason = NULL };
	const struct app *running = draft_app(d, st->app);
	if (!running)
		return (struct refusal){ "AppNotFound",
		                         arena_printf(d->arena, "App %s, which the cluster runs, is gone", st->app) };
	return accept_upgrade(d, running, d->s->app);
}

enum step_result step_admit(struct draft *d)
{
	struct cluster_status *st = d->status;
	const struct object_meta *meta = d->s->cluster->metadata;
	if (st->rolled_back && !is_rolled_back(st, d->s->cluster))
		st->rolled_back = NULL;
	struct refusal no = judge(d);
	d->accepted = !no.reason;
	if (same_text(no.reason, "AppNotHeld"))
		return STEP_NEXT; /* a matter of milliseconds, and of our own: not worth a status write */

	const struct condition *old = condition_find(st->conditions, st->conditions_count, "SpecAccepted");
	if (no.reason && !(old && same_text(old->reason, no.reason) && old->observed_generation == meta->generation))
		draft_event(d, true, "SpecRefused", "%s: %s", no.reason, no.message);
	condition_set((struct condition_list){ &st->conditions, &st->conditions_count, d->s->now, meta->generation },
	              d->arena, "SpecAccepted", d->accepted, no.reason ? no.reason : "Accepted",
	              no.reason ? no.message : "the spec can be followed");
	st->observed_generation = meta->generation;
	return STEP_NEXT;
}
