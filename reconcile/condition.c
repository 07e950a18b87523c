#include "reconcile/condition.h"

#include <string.h>

#define MESSAGE_MAX 1024 /* the CRD's maxLength */

static struct condition *find_or_add(struct condition_list list, struct arena *arena, const char *type)
{
	for (size_t i = 0; i < *list.count; i++)
		if (strcmp((*list.items)[i].type, type) == 0)
			return &(*list.items)[i];
	*list.items = arena_grow(arena, *list.items, *list.count, *list.count + 1, sizeof **list.items);
	struct condition *c = &(*list.items)[(*list.count)++];
	c->type = type;
	return c;
}

void condition_set(struct condition_list list, struct arena *arena, const char *type, bool is_true, const char *reason,
                   const char *message)
{
	struct condition *c = find_or_add(list, arena, type);
	enum truth status = is_true ? TRUTH_TRUE : TRUTH_FALSE;
	if (c->status != status)
		c->last_transition_time = list.now - list.now % 1000;
	c->status = status;
	c->observed_generation = list.generation;
	c->reason = reason;
	c->message = strlen(message) > MESSAGE_MAX ? arena_strndup(arena, message, MESSAGE_MAX) : message;
}

const struct condition *condition_find(const struct condition *items, size_t count, const char *type)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(items[i].type, type) == 0)
			return &items[i];
	return NULL;
}
