#include "controller/work/steps.h"

static const void **children(struct pass *p, enum object_kind kind, const char *cluster, size_t *ret_count)
{
	const struct store_entry *first = store_group(p->common->store, kind, p->namespace, cluster);
	size_t count = 0;

	for (const struct store_entry *e = first; e; e = e->next)
		count++;

	const void **list = arena_array(&p->common->arena, count, sizeof(*list));
	size_t i = 0;
	for (const struct store_entry *e = first; e; e = e->next)
		list[i++] = e->object;
	*ret_count = count;
	return list;
}

/* Why pods of these StatefulSets could not be made. */
static void add_setbacks(struct pass *p, struct snapshot *s)
{
	size_t found, room = 0;

	for (size_t i = 0; i < s->set_count; i++) {
		children(p, OBJECT_SETBACK, s->sets[i]->metadata->name, &found);
		room += found;
	}
	const struct setback **list = arena_array(&p->common->arena, room, sizeof(*list));
	for (size_t i = 0; i < s->set_count; i++) {
		const void **of_set = children(p, OBJECT_SETBACK, s->sets[i]->metadata->name, &found);

		for (size_t k = 0; k < found; k++)
			list[s->setback_count++] = of_set[k];
	}
	s->setbacks = list;
}

static const struct app *app_of(const struct pass *p, const char *name)
{
	return name ? store_get(p->common->store, OBJECT_APP, p->namespace, name) : NULL;
}

static void keep_report(struct pass *p, const char *pod)
{
	struct report *report = pod ? reports_find(&p->reports, pod) : NULL;

	if (report)
		report->is_member = true;
}

/* A pod that is away for a moment still has its place in the status: what it said last is not forgotten. */
static void forget_leavers(struct pass *p, const struct cluster_status *status, const struct pod *const *pods,
                           size_t pod_count)
{
	for (size_t i = 0; i < pod_count; i++)
		keep_report(p, pods[i]->metadata->name);
	for (size_t i = 0; status && i < status->roles_count; i++) {
		for (size_t k = 0; k < status->roles[i].members_count; k++)
			keep_report(p, status->roles[i].members[k].pod);
	}
	reports_sweep(&p->reports);
}

struct snapshot observe_cluster(struct pass *p, const struct cluster *cluster, int64_t now)
{
	struct arena *arena = &p->common->arena;
	const struct cluster_status *status = cluster->status;
	struct snapshot s = {
		.now = now,
		.cluster = cluster,
		.app = app_of(p, cluster->spec ? cluster->spec->app : NULL),
		.running_app = app_of(p, status ? status->app : NULL),
		.prev_app = app_of(p, status && status->upgrade_info ? status->upgrade_info->prev_app : NULL),
		.to_app = app_of(p, status && status->upgrade_info ? status->upgrade_info->to_app : NULL),
	};

	s.sets = (const struct statefulset *const *)children(p, OBJECT_STATEFULSET, p->name, &s.set_count);
	s.services = (const struct service *const *)children(p, OBJECT_SERVICE, p->name, &s.service_count);
	s.pods = (const struct pod *const *)children(p, OBJECT_POD, p->name, &s.pod_count);
	add_setbacks(p, &s);
	forget_leavers(p, status, s.pods, s.pod_count);
	s.execs = reports_list(&p->reports, arena, &s.exec_count);
	s.failures = failures_list(&p->failures, arena, &s.failure_count);
	return s;
}

struct app_snapshot observe_app(struct pass *p, const struct app *app, int64_t now)
{
	struct app_snapshot s = { .now = now, .app = app };

	s.clusters = (const struct cluster *const *)children(p, OBJECT_CLUSTER, "", &s.cluster_count);
	return s;
}
