#include "controller/cache/object.h"

#include "controller/api/path.h"
#include "crd/base/json.h"

#include <errno.h>
#include <stdlib.h>

const struct crd_type *object_type(enum object_kind kind)
{
	static const struct crd_type *const types[OBJECT_KINDS] = {
		[OBJECT_APP] = &app_type,
		[OBJECT_CLUSTER] = &cluster_type,
		[OBJECT_STATEFULSET] = &statefulset_type,
		[OBJECT_SERVICE] = &service_type,
		[OBJECT_POD] = &pod_type,
		[OBJECT_SETBACK] = &setback_type,
	};

	return types[kind];
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static struct object_id id_of_ours(const struct object_meta *m)
{
	static const struct object_meta nothing;

	if (!m)
		m = &nothing;
	return (struct object_id){ or_empty(m->namespace), or_empty(m->name), or_empty(m->uid),
		                   or_empty(m->resource_version), "" };
}

static struct object_id id_of_child(const struct child_meta *m)
{
	static const struct child_meta nothing;

	if (!m)
		m = &nothing;
	return (struct object_id){ or_empty(m->namespace), or_empty(m->name), or_empty(m->uid),
		                   or_empty(m->resource_version), or_empty(m->labels ? m->labels->cluster : NULL) };
}

/* Grouped by the StatefulSet that it is about. */
static struct object_id id_of_setback(const struct setback *s)
{
	struct object_id id = id_of_child(s->metadata);

	id.cluster = or_empty(s->involved_object ? s->involved_object->name : NULL);
	return id;
}

struct object_id object_id(enum object_kind kind, const void *object)
{
	switch (kind) {
	case OBJECT_APP:
		return id_of_ours(((const struct app *)object)->metadata);
	case OBJECT_CLUSTER:
		return id_of_ours(((const struct cluster *)object)->metadata);
	case OBJECT_STATEFULSET:
		return id_of_child(((const struct statefulset *)object)->metadata);
	case OBJECT_SERVICE:
		return id_of_child(((const struct service *)object)->metadata);
	case OBJECT_POD:
		return id_of_child(((const struct pod *)object)->metadata);
	case OBJECT_SETBACK:
		return id_of_setback(object);
	case OBJECT_KINDS:
		break;
	}
	abort();
}

int object_decode(enum object_kind kind, struct cJSON *json, struct arena *a, const void **ret_object,
                  struct err *err)
{
	const struct crd_type *type = object_type(kind);
	void *object = arena_alloc(a, type->size);

	if (cJSON_IsObject(json) && !json_get(json, "kind")) {
		cJSON_AddStringToObject(json, "apiVersion", kind_api_version(kind));
		cJSON_AddStringToObject(json, "kind", kind_word(kind));
	}
	if (crd_decode(type, json, object, a, err) < 0)
		return err_wrap(err, "%s", kind_lower(kind));

	struct object_id id = object_id(kind, object);
	if (!*id.name || !*id.namespace)
		return err_set(err, ERR_PROTOCOL, "%s without name or namespace", kind_lower(kind));
	if (object_version(id.version) == 0)
		return err_set(err, ERR_PROTOCOL, "%s %s/%s: resourceVersion \"%s\" is no number", kind_lower(kind),
		               id.namespace, id.name, id.version);
	*ret_object = object;
	return 0;
}

uint64_t object_version(const char *text)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;

	unsigned long long version = strtoull(text, &end, 10);
	return *end || errno ? 0 : version;
}
