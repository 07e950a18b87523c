#include "controller/work/failures.h"

#include "controller/mem.h"

struct failure *failures_find(const struct failures *f, const char *what)
{
	return strmap_get(&f->map, what);
}

bool failures_note(struct failures *f, const char *what, const struct err *err, bool shown, uint64_t body)
{
	struct failure *failure = failures_find(f, what);

	if (!failure) {
		failure = mem_new(sizeof(*failure));
		strmap_set(&f->map, what, failure);
	}

	bool was_shown = failure->shown;
	bool same = failure->message && failure->kind == err->kind && !strcmp(failure->message, err->msg);
	failure->kind = err->kind;
	failure->shown = shown;
	failure->body = body;
	failure->tries++;
	failure->asked = true;
	mem_replace(&failure->message, err->msg);
	return was_shown != shown || (shown && !same);
}

static bool drop(struct failures *f, const char *what)
{
	struct failure *failure = strmap_remove(&f->map, what);

	if (!failure)
		return false;

	bool shown = failure->shown;
	free(failure->message);
	free(failure);
	return shown;
}

bool failures_clear(struct failures *f, const char *what)
{
	return drop(f, what);
}

void failures_begin(struct failures *f)
{
	struct strmap_iter it = { 0 };

	while (strmap_next(&f->map, &it))
		((struct failure *)it.value)->asked = false;
}

bool failures_end(struct failures *f)
{
	struct strmap_iter it = { 0 };
	bool changed = false;

	for (const char *what; (what = strmap_next(&f->map, &it));) {
		if (!((struct failure *)it.value)->asked && drop(f, what))
			changed = true;
	}
	return changed;
}

const struct request_failure *failures_list(const struct failures *f, struct arena *a, size_t *ret_count)
{
	struct request_failure *list = arena_array(a, strmap_count(&f->map), sizeof(*list));
	struct strmap_iter it = { 0 };
	size_t count = 0;

	for (const char *what; (what = strmap_next(&f->map, &it));) {
		const struct failure *failure = it.value;

		if (failure->shown)
			list[count++] = (struct request_failure){ what, failure->kind, failure->message };
	}
	*ret_count = count;
	return list;
}

void failures_release(struct failures *f)
{
	failures_begin(f);
	(void)failures_end(f);
	strmap_release(&f->map);
}
