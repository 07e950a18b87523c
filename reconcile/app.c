#include "reconcile/reconcile.h"

#include "reconcile/draft.h"

#include <stdlib.h>
#include <string.h>

/*
 * An App: the clusters that it must stay for. status.usedBy is what the admission policy crd/app-in-use.yaml reads; the
 * finalizer is the second net, for servers on which that policy is not installed.
 */

#define APP_FINALIZER "rolecall.dev/in-use"
#define USED_BY_MAX 1000 /* the CRD's maxItems */

static bool uses(const struct cluster *c, const char *app)
{
	const struct cluster_status *st = c->status;
	const struct upgrade_info *info = st ? st->upgrade_info : NULL;
	return same_text(c->spec->app, app) || (st && same_text(st->app, app)) ||
	       (info && (same_text(info->prev_app, app) || same_text(info->to_app, app)));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_finalizer(const struct object_meta *meta)
{
	for (size_t i = 0; i < meta->finalizers_count; i++)
		if (strcmp(meta->finalizers[i], APP_FINALIZER) == 0)
			return true;
	return false;
}

/* Others' finalizers are written back as they are: a merge patch replaces a list whole. */
static const char *finalizers_patch(const struct object_meta *meta, bool ours, struct arena *arena)
{
	struct object_meta want = { .resource_version = meta->resource_version };
	const char **list = arena_array(arena, meta->finalizers_count + 1, sizeof *list);
	for (size_t i = 0; i < meta->finalizers_count; i++)
		if (strcmp(meta->finalizers[i], APP_FINALIZER) != 0)
			list[want.finalizers_count++] = meta->finalizers[i];
	if (ours)
		list[want.finalizers_count++] = APP_FINALIZER;
	want.finalizers = list;
	return arena_printf(arena, "{\"metadata\":%s}", crd_text(&object_meta_type, &want, arena));
}

struct verdict decide_app(const struct app_snapshot *s, struct arena *arena)
{
	const struct object_meta *meta = s->app->metadata;
	struct app_status *st = s->app->status ? crd_copy(&app_status_type, s->app->status, arena)
	                                       : arena_alloc(arena, sizeof *st);
	const char **users = arena_array(arena, s->cluster_count + 1, sizeof *users);
	size_t count = 0;
	for (size_t i = 0; i < s->cluster_count && count < USED_BY_MAX; i++)
		if (uses(s->clusters[i], meta->name))
			users[count++] = s->clusters[i]->metadata->name;
	qsort(users, count, sizeof *users, by_text);
	st->used_by = count ? users : NULL;
	st->used_by_count = count;
	st->observed_generation = meta->generation;

	struct verdict v = { .status = st, .trace = count ? "in use" : "not in use" };
	bool held = count > 0;
	if (!s->app->status || !crd_equal(&app_status_type, st, s->app->status)) {
		v.requeue_at = s->now; /* the write moves the resourceVersion that the patch below must name */
		return v;
	}
	if (has_finalizer(meta) == held || (held && meta->deletion_timestamp))
		return v; /* an object that is being deleted takes no new finalizer */
	struct action *patch = arena_alloc(arena, sizeof *patch);
	*patch = (struct action){
		.kind = ACTION_PATCH,
		.object = OBJECT_APP,
		.name = meta->name,
		.resource_version = meta->resource_version,
		.patch = finalizers_patch(meta, held, arena),
	};
	v.actions = patch;
	v.action_count = 1;
	return v;
}
