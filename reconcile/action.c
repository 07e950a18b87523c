#include "reconcile/action.h"

const char *object_kind_name(enum object_kind kind)
{
	switch (kind) {
	case OBJECT_APP:
		return "App";
	case OBJECT_CLUSTER:
		return "Cluster";
	case OBJECT_STATEFULSET:
		return "StatefulSet";
	case OBJECT_SERVICE:
		return "Service";
	case OBJECT_POD:
		return "Pod";
	case OBJECT_SETBACK:
		return "Event";
	case OBJECT_KINDS:
		break;
	}
	return "object";
}

/* The event of a call: the one argument of the handler that begins with "--" and comes first. */
static const char *event_of(const struct exec_call *call)
{
	for (size_t i = 0; i < call->argc; i++)
		if (call->argv[i][0] == '-' && call->argv[i][1] == '-')
			return call->argv[i] + 2;
	return "event";
}

static const char *exec_text(const struct action *a, struct arena *arena)
{
	if (!a->exec.id)
		return arena_printf(arena, "check %s", a->name);
	return arena_printf(arena, "exec %s %s %lld.%lld", a->name, event_of(&a->exec), (long long)a->exec.id,
	                    (long long)a->exec.attempt);
}

static const char *apply_text(const struct action *a, struct arena *arena)
{
	if (a->object != OBJECT_STATEFULSET)
		return arena_printf(arena, "apply %s %s", object_kind_name(a->object), a->name);
	const struct statefulset *set = a->body;
	return arena_printf(arena, "apply StatefulSet %s for App %s", a->name,
	                    set->spec->template->metadata->labels->app);
}

const char *action_text(const struct action *a, struct arena *arena)
{
	switch (a->kind) {
	case ACTION_APPLY:
		return apply_text(a, arena);
	case ACTION_DELETE:
		return arena_printf(arena, "delete %s %s", object_kind_name(a->object), a->name);
	case ACTION_EXEC:
		return exec_text(a, arena);
	case ACTION_EVENT:
		return arena_printf(arena, "event %s", a->reason);
	case ACTION_PATCH:
		return arena_printf(arena, "patch %s %s", object_kind_name(a->object), a->name);
	}
	return "";
}
