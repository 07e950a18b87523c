#include "reconcile/desired/children.h"

#include "crd/base/sha256.h"
#include "reconcile/member/member.h"

#include <string.h>

/* Lets a member know which pod it is, so that it takes no call that was meant for another of its name (exec_call.pod_uid). */
#define WHO_AM_I                                                                                                      \
	"{\"spec\":{\"containers\":[{\"name\":\"" MEMBER_CONTAINER "\",\"env\":[{\"name\":\"ROLECALL_POD_UID\","             \
	"\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.uid\"}}}]}]}}"

#define HASH_DIGITS 16
#define PLACEHOLDER_PORT 8888 /* a Service needs a port; a headless one is there for names, as in KubeDirector */

static const char *hash_of(struct arena *arena, const char *text)
{
	char *hex = arena_alloc(arena, HASH_DIGITS + 1);
	sha256_hex(text, strlen(text), hex, HASH_DIGITS);
	return hex;
}

static const char *image_of(const struct app *app, const struct app_role *role)
{
	return role->image_repo_tag ? role->image_repo_tag : app->spec->default_image_repo_tag;
}

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

static struct container *member_container(const struct draft *d, const struct app *app, const struct app_role *app_role,
                                          const struct cluster_role *role)
{
	struct container *c = arena_alloc(d->arena, sizeof *c);
	c->name = MEMBER_CONTAINER;
	c->image = image_of(app, app_role);
	c->env = arena_array(d->arena, role->env_count, sizeof *c->env);
	c->env_count = role->env_count;
	for (size_t i = 0; i < role->env_count; i++)
		c->env[i] = (struct container_env){ .name = role->env[i].name, .value = role->env[i].value };
	c->resources = role->resources;
	return c;
}

const char *desired_hash(const struct draft *d, const struct app *app, const char *role_id)
{
	const struct app_role *app_role = app_role_find(app, role_id);
	const struct cluster_role *role = draft_spec_role(d, role_id);
	if (!app_role || !role)
		return NULL;
	const struct container *c = member_container(d, app, app_role, role);
	const char *text = arena_printf(d->arena, "%s\n%s\n%s\n%s", app->metadata->name,
	                                crd_text(&container_type, c, d->arena), or_nothing(app_role->pod_template),
	                                or_nothing(role->pod_template));
	for (size_t i = 0; i < d->s->cluster->spec->image_pull_secrets_count; i++)
		text = arena_printf(d->arena, "%s\n%s", text, d->s->cluster->spec->image_pull_secrets[i].name);
	return hash_of(d->arena, text);
}

static struct owner_ref *owner(const struct draft *d)
{
	struct owner_ref *o = arena_alloc(d->arena, sizeof *o);
	o->api_version = "rolecall.dev/v1alpha1";
	o->kind = "Cluster";
	o->name = d->s->cluster->metadata->name;
	o->uid = d->s->cluster->metadata->uid;
	o->controller = true;
	return o;
}

static struct child_meta *child_meta(const struct draft *d, const char *name, const char *role)
{
	struct child_meta *meta = arena_alloc(d->arena, sizeof *meta);
	meta->name = name;
	meta->namespace = d->s->cluster->metadata->namespace;
	meta->labels = arena_alloc(d->arena, sizeof *meta->labels);
	meta->labels->cluster = d->s->cluster->metadata->name;
	meta->labels->role = role;
	meta->owner_references = owner(d);
	meta->owner_references_count = 1;
	meta->annotations = arena_alloc(d->arena, sizeof *meta->annotations);
	return meta;
}

static struct pod_template *pod_template(const struct draft *d, const struct app *app, const char *role_id)
{
	const struct cluster_spec *spec = d->s->cluster->spec;
	struct pod_template *t = arena_alloc(d->arena, sizeof *t);
	t->metadata = arena_alloc(d->arena, sizeof *t->metadata);
	t->metadata->labels = arena_alloc(d->arena, sizeof *t->metadata->labels);
	*t->metadata->labels = (struct child_labels){
		.cluster = d->s->cluster->metadata->name,
		.role = role_id,
		.app = app->metadata->name,
		.hash = desired_hash(d, app, role_id),
	};
	t->spec = arena_alloc(d->arena, sizeof *t->spec);
	t->spec->image_pull_secrets = spec->image_pull_secrets;
	t->spec->image_pull_secrets_count = spec->image_pull_secrets_count;
	t->spec->containers = member_container(d, app, app_role_find(app, role_id), draft_spec_role(d, role_id));
	t->spec->containers_count = 1;
	return t;
}

size_t desired_replicas(const struct role_status *role)
{
	size_t n = 0;
	for (size_t i = 0; i < role->members_count; i++)
		n += role->members[i].state != MEMBER_STATE_DELETING;
	return n;
}

static struct statefulset_spec *set_spec(const struct draft *d, const struct app *app, const struct role_status *role)
{
	struct statefulset_spec *spec = arena_alloc(d->arena, sizeof *spec);
	spec->service_name = d->status->cluster_service;
	spec->replicas = (int64_t)desired_replicas(role);
	spec->has_replicas = true;
	spec->pod_management_policy = "Parallel";
	spec->revision_history_limit = 2;
	spec->update_strategy = arena_alloc(d->arena, sizeof *spec->update_strategy);
	spec->update_strategy->type = "OnDelete";
	spec->selector = arena_alloc(d->arena, sizeof *spec->selector);
	spec->selector->match_labels = arena_alloc(d->arena, sizeof *spec->selector->match_labels);
	spec->selector->match_labels->cluster = d->s->cluster->metadata->name;
	spec->selector->match_labels->role = role->id;
	spec->template = pod_template(d, app, role->id);
	return spec;
}

struct desired_set desired_statefulset(const struct draft *d, const struct app *app, const struct role_status *role)
{
	struct desired_set out = { .overlays = arena_array(d->arena, 3, sizeof *out.overlays) };
	const char *parts[] = { app_role_find(app, role->id)->pod_template, draft_spec_role(d, role->id)->pod_template,
		                WHO_AM_I };
	for (size_t i = 0; i < 3; i++)
		if (parts[i])
			out.overlays[out.overlay_count++] = parts[i];

	struct statefulset *set = arena_alloc(d->arena, sizeof *set);
	set->api_version = "apps/v1";
	set->kind = "StatefulSet";
	set->metadata = child_meta(d, role->stateful_set, role->id);
	set->spec = set_spec(d, app, role);
	const char *text = crd_text(&statefulset_type, set, d->arena);
	for (size_t i = 0; i < out.overlay_count; i++)
		text = arena_printf(d->arena, "%s\n%s", text, out.overlays[i]);
	set->metadata->annotations->applied = hash_of(d->arena, text);
	out.set = set;
	return out;
}

struct service *desired_service(const struct draft *d)
{
	struct service *s = arena_alloc(d->arena, sizeof *s);
	s->api_version = "v1";
	s->kind = "Service";
	s->metadata = child_meta(d, d->status->cluster_service, NULL);
	s->spec = arena_alloc(d->arena, sizeof *s->spec);
	s->spec->cluster_ip = "None";
	s->spec->publish_not_ready_addresses = true;
	s->spec->selector = arena_alloc(d->arena, sizeof *s->spec->selector);
	s->spec->selector->cluster = d->s->cluster->metadata->name;
	s->spec->ports = arena_alloc(d->arena, sizeof *s->spec->ports);
	s->spec->ports[0] = (struct service_port){ .name = "members", .port = PLACEHOLDER_PORT };
	s->spec->ports_count = 1;
	s->metadata->annotations->applied = hash_of(d->arena, crd_text(&service_type, s, d->arena));
	return s;
}

bool child_is_ours(const struct draft *d, const struct child_meta *meta)
{
	for (size_t i = 0; i < meta->owner_references_count; i++)
		if (same_text(meta->owner_references[i].uid, d->s->cluster->metadata->uid))
			return true;
	return false;
}
