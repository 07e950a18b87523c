#include "form.h"

#include "crd/base/time.h"

#include <string.h>

#define SECOND 1000
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * (int64_t)HOUR)

/* Two units where the larger one alone would say too little, as apimachinery's HumanDuration. */
static const char *two_units(struct arena *a, int64_t ms, int64_t large, char large_unit, int64_t small, char small_unit)
{
	int64_t rest = ms % large / small;

	return rest ? arena_printf(a, "%lld%c%lld%c", (long long)(ms / large), large_unit, (long long)rest, small_unit)
	            : arena_printf(a, "%lld%c", (long long)(ms / large), large_unit);
}

static const char *duration(struct arena *a, int64_t ms)
{
	if (ms < 2 * MINUTE)
		return arena_printf(a, "%llds", (long long)((ms < 0 ? 0 : ms) / SECOND));
	if (ms < 10 * MINUTE)
		return two_units(a, ms, MINUTE, 'm', SECOND, 's');
	if (ms < 3 * HOUR)
		return arena_printf(a, "%lldm", (long long)(ms / MINUTE));
	if (ms < 8 * HOUR)
		return two_units(a, ms, HOUR, 'h', MINUTE, 'm');
	if (ms < 2 * DAY)
		return arena_printf(a, "%lldh", (long long)(ms / HOUR));
	if (ms < 8 * DAY)
		return two_units(a, ms, DAY, 'd', HOUR, 'h');
	return arena_printf(a, "%lldd", (long long)(ms / DAY));
}

const char *columns_age(struct kubesim *k, const char *time)
{
	int64_t at;

	if (!time || time_parse(time, &at) < 0)
		return "<unknown>";
	return duration(&k->scratch, k->sim.clock.now - at);
}

static const char *text(const cJSON *object, const char *key)
{
	const char *s = json_str(object, key);

	return s ? s : "";
}

static void add_age(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	strbuf_add_json(b, columns_age(k, json_str(json_get(o, "metadata"), "creationTimestamp")));
}

static const cJSON *container_of_pod(const cJSON *pod)
{
	const cJSON *list = json_get(json_get(pod, "status"), "containerStatuses");

	return list ? list->child : NULL;
}

static void add_pod_ready(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	(void)k;
	strbuf_addf(b, "\"%d/%d\"", json_bool(container_of_pod(o), "ready"),
	            cJSON_GetArraySize(json_get(json_get(o, "spec"), "containers")));
}

/* What kubectl shows as STATUS: the most telling of several fields. */
static void add_pod_status(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	const cJSON *state = json_get(container_of_pod(o), "state");
	const char *waiting = json_str(json_get(state, "waiting"), "reason");
	const char *ended = json_str(json_get(state, "terminated"), "reason");

	(void)k;
	if (json_get(json_get(o, "metadata"), "deletionTimestamp"))
		strbuf_adds(b, "\"Terminating\"");
	else
		strbuf_add_json(b, waiting ? waiting : ended ? ended : text(json_get(o, "status"), "phase"));
}

static void add_pod_restarts(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	(void)k;
	strbuf_addf(b, "\"%lld\"", (long long)json_int(container_of_pod(o), "restartCount", 0));
}

static void add_set_ready(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	(void)k;
	strbuf_addf(b, "\"%lld/%lld\"", (long long)json_int(json_get(o, "status"), "readyReplicas", 0),
	            (long long)json_int(json_get(o, "spec"), "replicas", 1));
}

static void add_containers(const cJSON *set, const char *key, struct strbuf *b)
{
	const cJSON *template = json_get(json_get(json_get(set, "spec"), "template"), "spec"), *c;
	const char *comma = "";

	strbuf_addc(b, '"');
	cJSON_ArrayForEach(c, json_get(template, "containers")) {
		strbuf_addf(b, "%s%s", comma, text(c, key));
		comma = ",";
	}
	strbuf_addc(b, '"');
}

static void add_set_containers(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	(void)k;
	add_containers(o, "name", b);
}

static void add_set_images(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	(void)k;
	add_containers(o, "image", b);
}

static void add_service_ports(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	const cJSON *port, *ports = json_get(json_get(o, "spec"), "ports");
	const char *comma = "";

	(void)k;
	strbuf_adds(b, ports ? "\"" : "\"<none>");
	cJSON_ArrayForEach(port, ports) {
		const char *protocol = json_str(port, "protocol");

		strbuf_addf(b, "%s%lld/%s", comma, (long long)json_int(port, "port", 0), protocol ? protocol : "TCP");
		comma = ",";
	}
	strbuf_addc(b, '"');
}

static void add_service_selector(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	const cJSON *label, *selector = json_get(json_get(o, "spec"), "selector");
	const char *comma = "";

	(void)k;
	strbuf_adds(b, selector ? "\"" : "\"<none>");
	cJSON_ArrayForEach(label, selector) {
		strbuf_addf(b, "%s%s=%s", comma, label->string, cJSON_GetStringValue(label));
		comma = ",";
	}
	strbuf_addc(b, '"');
}

static const char *first_given(const cJSON *o, const char *a, const char *b)
{
	return json_str(o, a) ? json_str(o, a) : json_str(o, b);
}

static void add_event_last(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	strbuf_add_json(b, columns_age(k, first_given(o, "lastTimestamp", "eventTime")));
}

static void add_event_first(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	strbuf_add_json(b, columns_age(k, first_given(o, "firstTimestamp", "eventTime")));
}

static void add_event_object(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	const cJSON *about = json_get(o, "involvedObject");
	char *kind = arena_strdup(&k->scratch, text(about, "kind"));

	for (char *c = kind; *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	strbuf_add_json(b, arena_printf(&k->scratch, "%s/%s", kind, text(about, "name")));
}

static void add_event_source(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	const char *who = json_str(json_get(o, "source"), "component"), *host = json_str(o, "reportingInstance");

	if (!who)
		who = text(o, "reportingComponent");
	strbuf_add_json(b, host && *host ? arena_printf(&k->scratch, "%s, %s", who, host) : who);
}

static void add_event_count(struct kubesim *k, const cJSON *o, struct strbuf *b)
{
	(void)k;
	strbuf_addf(b, "%lld", (long long)json_int(o, "count", 1));
}

#define NAME {"Name", 0, ".metadata.name", "", NULL}
#define AGE {"Age", 0, NULL, NULL, add_age}
#define NONE "<none>"

static const struct column namespace_columns[] = {NAME, {"Status", 0, ".status.phase", "", NULL}, AGE, {0}};
static const struct column pod_columns[] = {
	NAME,
	{"Ready", 0, NULL, NULL, add_pod_ready},
	{"Status", 0, NULL, NULL, add_pod_status},
	{"Restarts", 0, NULL, NULL, add_pod_restarts},
	AGE,
	{"IP", 1, ".status.podIP", NONE, NULL},
	{"Node", 1, ".spec.nodeName", NONE, NULL},
	{"Nominated Node", 1, ".status.nominatedNodeName", NONE, NULL},
	{"Readiness Gates", 1, "", NONE, NULL},
	{0},
};
static const struct column set_columns[] = {
	NAME,
	{"Ready", 0, NULL, NULL, add_set_ready},
	AGE,
	{"Containers", 1, NULL, NULL, add_set_containers},
	{"Images", 1, NULL, NULL, add_set_images},
	{0},
};
static const struct column service_columns[] = {
	NAME,
	{"Type", 0, ".spec.type", "ClusterIP", NULL},
	{"Cluster-IP", 0, ".spec.clusterIP", NONE, NULL},
	{"External-IP", 0, "", NONE, NULL},
	{"Port(s)", 0, NULL, NULL, add_service_ports},
	AGE,
	{"Selector", 1, NULL, NULL, add_service_selector},
	{0},
};
static const struct column event_columns[] = {
	{"Last Seen", 0, NULL, NULL, add_event_last},
	{"Type", 0, ".type", "", NULL},
	{"Reason", 0, ".reason", "", NULL},
	{"Object", 0, NULL, NULL, add_event_object},
	{"Subobject", 1, ".involvedObject.fieldPath", "", NULL},
	{"Source", 1, NULL, NULL, add_event_source},
	{"Message", 0, ".message", "", NULL},
	{"First Seen", 1, NULL, NULL, add_event_first},
	{"Count", 1, NULL, NULL, add_event_count},
	{"Name", 1, ".metadata.name", "", NULL},
	{0},
};
/* Ours: the rest is in their CRDs. */
static const struct column custom_columns[] = {NAME, {0}};

const struct column *columns_of(enum kind kind)
{
	static const struct column *const all[KINDS] = {
		[KIND_APP] = custom_columns, [KIND_CLUSTER] = custom_columns, [KIND_SET] = set_columns,
		[KIND_SERVICE] = service_columns, [KIND_POD] = pod_columns, [KIND_EVENT] = event_columns,
		[KIND_SETBACK] = event_columns, [KIND_NAMESPACE] = namespace_columns,
	};

	return all[kind];
}
