#include "reconcile/desired/configmeta.h"

#include "crd/codec.h"
#include "reconcile/desired/quantity.h"
#include "reconcile/member/member.h"

#include <assert.h>
#include <string.h>

#define MIB ((int64_t)1 << 20)

/* KubeDirector's word for what is not known. */
#define UNKNOWN "n/a"

/* "KEY":"VALUE" */
static void add(struct strbuf *b, const char *key, const char *value)
{
	strbuf_addf(b, "\"%s\":", key);
	strbuf_add_json(b, value);
}

static bool is_listed(const struct member *m)
{
	return !member_is_leaving(m);
}

static bool has_members(const struct role_status *role)
{
	FOR_EACH_MEMBER(role, m)
		if (is_listed(m))
			return true;
	return false;
}

static void add_node_ids(struct strbuf *b, const struct role_status *role)
{
	const char *comma = "";
	FOR_EACH_MEMBER(role, m) {
		if (!is_listed(m))
			continue;
		strbuf_addf(b, "%s\"%lld\"", comma, (long long)m->node_id);
		comma = ",";
	}
}

/* Names of pods and domains are DNS labels: nothing in them needs escaping. */
static void add_names(struct strbuf *b, const char *domain, const struct role_status *role, bool with_ids)
{
	const char *comma = "\"";
	FOR_EACH_MEMBER(role, m) {
		if (!is_listed(m))
			continue;
		strbuf_adds(b, comma);
		strbuf_adds(b, m->pod);
		strbuf_addc(b, '.');
		strbuf_adds(b, domain);
		strbuf_addc(b, '"');
		if (with_ids)
			strbuf_addf(b, ":\"%lld\"", (long long)m->node_id);
		comma = ",\"";
	}
}

/* An amount that is not limited, or not readable, is not known. */
static void add_amount(struct strbuf *b, const char *key, const char *quantity, int64_t unit, bool up)
{
	int64_t amount = quantity ? quantity_in(quantity, unit, up) : -1;
	if (amount < 0)
		strbuf_addf(b, ",\"%s\":\"" UNKNOWN "\"", key);
	else
		strbuf_addf(b, ",\"%s\":\"%lld\"", key, (long long)amount);
}

static void add_flavor(struct strbuf *b, const struct draft *d, const struct role_status *role)
{
	const struct cluster_role *spec = draft_spec_role(d, role->id);
	const char *limits = spec && spec->resources ? spec->resources->limits : NULL;
	struct compute compute = { .cpu = NULL };
	if (limits)
		(void)crd_decode_text(&compute_type, limits, strlen(limits), &compute, d->arena, NULL);
	strbuf_adds(b, "\"flavor\":{\"storage\":\"" UNKNOWN "\",\"name\":\"" UNKNOWN "\",\"description\":\"" UNKNOWN "\"");
	add_amount(b, "memory", compute.memory, MIB, false);
	add_amount(b, "cores", compute.cpu, 1, true);
	strbuf_addc(b, '}');
}

static void add_role(struct strbuf *b, const struct draft *d, const struct role_status *role)
{
	const char *domain = members_domain(d);
	strbuf_add_json(b, role->id);
	strbuf_adds(b, ":{\"services\":{},\"node_ids\":[");
	add_node_ids(b, role);
	strbuf_adds(b, "],\"hostnames\":[");
	add_names(b, domain, role, false);
	strbuf_adds(b, "],\"fqdns\":[");
	add_names(b, domain, role, false);
	strbuf_adds(b, "],\"fqdn_mappings\":{");
	add_names(b, domain, role, true);
	strbuf_adds(b, "},");
	add_flavor(b, d, role);
	strbuf_addc(b, '}');
}

static void add_roles(struct strbuf *b, const struct draft *d)
{
	const char *comma = "";
	FOR_EACH_ROLE(d, role) {
		if (!has_members(role))
			continue;
		strbuf_adds(b, comma);
		add_role(b, d, role);
		comma = ",";
	}
}

static void add_nodegroup(struct strbuf *b, const struct draft *d, const struct app *app)
{
	const char *config_meta = app->spec->config ? app->spec->config->config_meta : NULL;
	strbuf_adds(b, "\"nodegroups\":{\"1\":{\"roles\":{");
	add_roles(b, d);
	strbuf_adds(b, "},");
	add(b, "distro_id", app->spec->distro_id);
	strbuf_addc(b, ',');
	add(b, "catalog_entry_version", app->spec->version);
	strbuf_addf(b, ",\"config_metadata\":");
	strbuf_adds(b, config_meta ? config_meta : "null");
	strbuf_adds(b, "}},\"distros\":{");
	strbuf_add_json(b, app->spec->distro_id);
	strbuf_adds(b, ":{\"1\":{\"bdvlibrefkey\":[\"nodegroups\",\"1\"]}}},");
}

static const char *make_common(const struct draft *d, const struct app *app)
{
	const struct object_meta *meta = d->s->cluster->metadata;
	struct strbuf b = { .arena = d->arena, .cap = CONFIGMETA_MAX };
	/* Apps name no services as yet; KubeDirector writes the empty map, too. */
	strbuf_addf(&b, "{\"version\":\"%lld\",\"services\":{},", (long long)app->spec->config_schema_version);
	add_nodegroup(&b, d, app);
	strbuf_adds(&b, "\"cluster\":{");
	add(&b, "name", meta->name);
	strbuf_adds(&b, ",\"isolated\":false,");
	add(&b, "id", meta->uid);
	strbuf_adds(&b, ",\"config_metadata\":{\"1\":{\"bdvlibrefkey\":[\"nodegroups\",\"1\",\"config_metadata\"]}}},");
	assert(!b.full);
	return strbuf_str(&b);
}

const char *configmeta_common(struct draft *d, const struct app *app)
{
	size_t free = 0;
	for (; free < DRAFT_APPS && d->configs[free].app; free++)
		if (d->configs[free].app == app)
			return d->configs[free].text;
	assert(free < DRAFT_APPS);
	d->configs[free] = (struct draft_config){ app, make_common(d, app) };
	return d->configs[free].text;
}

const char *configmeta_own(const struct draft *d, const struct app *app, const struct role_status *role,
                           const struct member *m)
{
	const char *fqdn = member_fqdn(d, m);
	struct strbuf b = { .arena = d->arena };
	strbuf_adds(&b, "\"node\":{");
	add(&b, "role_id", role->id);
	strbuf_addf(&b, ",\"nodegroup_id\":\"1\",\"id\":\"%lld\",", (long long)m->node_id);
	add(&b, "hostname", fqdn);
	strbuf_addc(&b, ',');
	add(&b, "fqdn", fqdn);
	strbuf_addc(&b, ',');
	add(&b, "domain", members_domain(d));
	strbuf_addc(&b, ',');
	add(&b, "distro_id", app->spec->distro_id);
	strbuf_adds(&b, ",\"depends_on\":{}},\"connections\":{\"clusters\":{},\"configmaps\":{},\"secrets\":{}}}\n");
	return strbuf_str(&b);
}
