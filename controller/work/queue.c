#include "controller/work/queue.h"

#include "controller/mem.h"

#include <stdio.h>

/* A kind's number, and namespace and name of at most 253 bytes each. */
#define KEY_SIZE 520

static void make_key(char out[KEY_SIZE], enum object_kind kind, const char *namespace, const char *name)
{
	snprintf(out, KEY_SIZE, "%d/%s/%s", (int)kind, namespace, name);
}

static struct work_item *new_item(enum object_kind kind, const char *namespace, const char *name, int64_t due)
{
	size_t namespace_size = strlen(namespace) + 1, name_size = strlen(name) + 1;
	struct work_item *item = mem_new(sizeof(*item) + namespace_size + name_size);

	item->kind = kind;
	item->due = due;
	item->namespace = memcpy(item->text, namespace, namespace_size);
	item->name = memcpy(item->text + namespace_size, name, name_size);
	return item;
}

void workqueue_push(struct workqueue *q, enum object_kind kind, const char *namespace, const char *name, int64_t due)
{
	char key[KEY_SIZE];

	make_key(key, kind, namespace, name);
	if (workqueue_count(q) == 0 || due < q->next)
		q->next = due;

	struct work_item *item = strmap_get(&q->items, key);
	if (!item)
		strmap_set(&q->items, key, new_item(kind, namespace, name, due));
	else if (due < item->due)
		item->due = due;
}

/* The earliest item; *RET_SECOND is the time of the next after it. */
static struct work_item *earliest(const struct workqueue *q, int64_t *ret_second)
{
	struct strmap_iter it = { 0 };
	struct work_item *first = NULL;

	*ret_second = INT64_MAX;
	while (strmap_next(&q->items, &it)) {
		struct work_item *item = it.value;

		if (!first || item->due < first->due) {
			*ret_second = first ? first->due : INT64_MAX;
			first = item;
		} else if (item->due < *ret_second) {
			*ret_second = item->due;
		}
	}
	return first;
}

struct work_item *workqueue_pop(struct workqueue *q, int64_t now)
{
	char key[KEY_SIZE];
	int64_t second;

	if (workqueue_next(q) > now)
		return NULL;

	struct work_item *item = earliest(q, &second);
	if (item->due > now) {
		q->next = item->due;
		return NULL;
	}
	make_key(key, item->kind, item->namespace, item->name);
	strmap_remove(&q->items, key);
	q->next = second;
	return item;
}

int64_t workqueue_next(const struct workqueue *q)
{
	return workqueue_count(q) > 0 ? q->next : INT64_MAX;
}

size_t workqueue_count(const struct workqueue *q)
{
	return strmap_count(&q->items);
}

void workqueue_release(struct workqueue *q)
{
	struct strmap_iter it = { 0 };

	while (strmap_next(&q->items, &it))
		free(it.value);
	strmap_release(&q->items);
}
