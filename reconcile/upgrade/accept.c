#include "reconcile/upgrade/accept.h"

#include "reconcile/member/event.h"
#include "reconcile/member/member.h"
#include "reconcile/member/queue.h"
#include "reconcile/upgrade/version.h"

#include <stdlib.h>
#include <string.h>

#define ACCEPTED (struct refusal){ .reason = NULL }
#define REFUSED(why, ...) (struct refusal){ .reason = (why), .message = arena_printf(d->arena, __VA_ARGS__) }

int64_t cardinality_number(const char *cardinality, bool *ret_exact)
{
	char *end;
	long n = strtol(cardinality, &end, 10);
	*ret_exact = *end != '+';
	return n;
}

size_t wanted_members(const struct app *app, const struct cluster_role *role)
{
	bool exact;
	if (role->has_members)
		return (size_t)role->members;
	return (size_t)cardinality_number(app_role_find(app, role->id)->cardinality, &exact);
}

static bool is_selected(const struct app *app, const char *role)
{
	for (size_t i = 0; i < app->spec->config->selected_roles_count; i++)
		if (same_text(app->spec->config->selected_roles[i], role))
			return true;
	return false;
}

static struct refusal accept_cardinality(const struct draft *d, const struct app *app, const struct cluster_role *role)
{
	const struct app_role *app_role = app_role_find(app, role->id);
	bool exact;
	int64_t n = cardinality_number(app_role->cardinality, &exact);
	if (!role->has_members || role->members == n || (!exact && role->members > n))
		return ACCEPTED;
	return REFUSED("WrongCardinality", "spec.roles[%s].members is %lld, but App %s wants %s%lld", role->id,
	               (long long)role->members, app->metadata->name, exact ? "exactly " : "at least ", (long long)n);
}

static struct refusal accept_role(const struct draft *d, const struct app *app, const struct cluster_role *role)
{
	if (!app_role_find(app, role->id) || !is_selected(app, role->id))
		return REFUSED("UnknownRole", "spec.roles[%s]: App %s has no such role in config.selectedRoles", role->id,
		               app->metadata->name);
	return accept_cardinality(d, app, role);
}

/* A selected role that has members by its cardinality must be in the spec. */
static struct refusal accept_completeness(const struct draft *d, const struct app *app)
{
	for (size_t i = 0; i < app->spec->config->selected_roles_count; i++) {
		const char *id = app->spec->config->selected_roles[i];
		const struct app_role *app_role = app_role_find(app, id);
		bool exact;
		if (app_role && cardinality_number(app_role->cardinality, &exact) > 0 && !draft_spec_role(d, id))
			return REFUSED("MissingRole", "spec.roles lacks role %s, of which App %s wants %s", id,
			               app->metadata->name, app_role->cardinality);
	}
	return ACCEPTED;
}

struct refusal accept_roles(const struct draft *d, const struct app *app)
{
	const struct cluster_spec *spec = d->s->cluster->spec;
	for (size_t i = 0; i < spec->roles_count; i++) {
		struct refusal no = accept_role(d, app, &spec->roles[i]);
		if (no.reason)
			return no;
	}
	for (size_t i = 0; i < d->status->roles_count; i++) {
		const struct role_status *role = &d->status->roles[i];
		if (event_args_size(d, app_role_find(app, role->id), role) > EVENT_ARGS_MAX)
			return REFUSED("ArgumentsTooLong", "the names of role %s's members do not fit in the %d KiB of a "
			               "handler's arguments", role->id, EVENT_ARGS_MAX / 1024);
	}
	return accept_completeness(d, app);
}

/* Each of these is a notification of its own. */
static size_t roles_that_want_other_members(const struct draft *d, const struct app *app)
{
	size_t count = 0;
	for (size_t i = 0; i < d->status->roles_count; i++) {
		const struct role_status *role = &d->status->roles[i];
		const struct cluster_role *spec = draft_spec_role(d, role->id);
		count += spec && app_role_find(app, role->id) && wanted_members(app, spec) != role->members_count;
	}
	return count;
}

struct refusal accept_scale(const struct draft *d, const struct app *app)
{
	size_t changes = roles_that_want_other_members(d, app);
	if (!changes)
		return ACCEPTED;
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			if (queue_is_full_for_scaling(m, changes))
				return REFUSED("QueueFull", "%s has %zu notifications waiting: members may come and go again "
				               "when it has digested them, or is given up%s", m->pod,
				               m->state_detail->pending_notify_cmds_count,
				               changes > 1 ? ", or in fewer roles at once" : "");
	return ACCEPTED;
}

static struct refusal accept_version(const struct draft *d, const struct app *a, const struct app *b)
{
	int order;
	if (!version_compare(b->spec->version, a->spec->version, &order))
		return REFUSED("UpgradeRefused", "version %s of App %s or %s of App %s is not MAJOR.MINOR[.PATCH][-pre]",
		               b->spec->version, b->metadata->name, a->spec->version, a->metadata->name);
	if (order <= 0)
		return REFUSED("UpgradeRefused", "version %s of App %s is not newer than %s of App %s", b->spec->version,
		               b->metadata->name, a->spec->version, a->metadata->name);
	return ACCEPTED;
}

static bool same_list(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	if (!a != !b || a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

static struct refusal accept_same_shape(const struct draft *d, const struct app *a, const struct app *b)
{
	if (a->spec->roles_count != b->spec->roles_count)
		return REFUSED("UpgradeRefused", "spec.roles: App %s has other roles than App %s", b->metadata->name,
		               a->metadata->name);
	if (!same_list((char *const *)a->spec->default_event_list, a->spec->default_event_list_count,
	               (char *const *)b->spec->default_event_list, b->spec->default_event_list_count))
		return REFUSED("UpgradeRefused", "spec.defaultEventList of App %s differs from App %s'", b->metadata->name,
		               a->metadata->name);
	for (size_t i = 0; i < a->spec->roles_count; i++) {
		const struct app_role *x = &a->spec->roles[i], *y = app_role_find(b, x->id);
		if (!y)
			return REFUSED("UpgradeRefused", "spec.roles: App %s has no role %s, which App %s has",
			               b->metadata->name, x->id, a->metadata->name);
		if (!same_list((char *const *)x->event_list, x->event_list_count, (char *const *)y->event_list,
		               y->event_list_count))
			return REFUSED("UpgradeRefused", "spec.roles[%s].eventList of App %s differs from App %s'", x->id,
			               b->metadata->name, a->metadata->name);
	}
	return ACCEPTED;
}

static struct refusal accept_room(const struct draft *d)
{
	const struct member *m = queue_without_room(d, QUEUE_STEP);
	if (!m)
		return ACCEPTED;
	return REFUSED("QueueFull", "%s has %zu notifications waiting: the cluster is upgraded when it has digested some of them, or "
	               "is given up", m->pod, m->state_detail->pending_notify_cmds_count);
}

struct refusal accept_upgrade(const struct draft *d, const struct app *a, const struct app *b)
{
	if (!same_text(a->spec->distro_id, b->spec->distro_id))
		return REFUSED("UpgradeRefused", "distroID %s of App %s is another than %s of App %s", b->spec->distro_id,
		               b->metadata->name, a->spec->distro_id, a->metadata->name);
	if (!a->spec->upgradable)
		return REFUSED("UpgradeRefused", "App %s is not upgradable", a->metadata->name);
	struct refusal no = accept_version(d, a, b);
	if (!no.reason)
		no = accept_same_shape(d, a, b);
	if (!no.reason)
		no = accept_roles(d, b);
	if (!no.reason)
		no = accept_room(d);
	return no;
}
