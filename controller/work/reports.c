#include "controller/work/reports.h"

#include "crd/base/slabs.h"

#include <string.h>

struct report *reports_find(const struct reports *r, const char *pod)
{
	return strmap_get(&r->map, pod);
}

static bool same_container(const struct exec_report *seen, const char *container)
{
	return seen->container && container && !strcmp(seen->container, container);
}

bool reports_is_flying(const struct reports *r, const char *pod, const char *container)
{
	const struct report *report = reports_find(r, pod);

	return report && report->seen.flying && same_container(&report->seen, container);
}

/* The struct that decide reads is made of const texts; here is who owns them. */
static void replace(struct reports *r, const char **at, const char *text)
{
	const char *copy = slabs_strdup(r->map.slabs, text);

	slabs_free_text(r->map.slabs, *at);
	*at = copy;
}

void reports_start(struct reports *r, const char *pod, const struct exec_call *call, uint64_t number)
{
	struct report *report = reports_find(r, pod);

	if (!report) {
		report = slabs_new(r->map.slabs, sizeof(*report));
		replace(r, &report->seen.pod, pod);
		strmap_set(&r->map, pod, report);
	}

	struct exec_report *seen = &report->seen;
	bool same_run = seen->id == call->id && seen->attempt == call->attempt;
	if (!same_run)
		seen->may_have_run = false;
	if (!same_run || !same_container(seen, call->container)) {
		seen->tries = 0;
		seen->answer = ANSWER_NONE; /* of another run, or from another container */
	}
	replace(r, &seen->container, call->container);
	seen->id = call->id;
	seen->attempt = call->attempt;
	seen->flying = true;
	report->call = number;
}

static bool brought_no_end(enum answer answer)
{
	return answer == ANSWER_RUNNING || answer == ANSWER_REFUSED || answer == ANSWER_UNKNOWN;
}

bool reports_end(struct reports *r, const char *pod, uint64_t number, const struct exec_report *answer, int64_t now)
{
	struct report *report = reports_find(r, pod);

	if (!report || report->call != number)
		return false;

	struct exec_report *seen = &report->seen;
	seen->flying = false;
	seen->answer = answer->answer;
	seen->may_have_run |= answer->answer != ANSWER_REFUSED;
	seen->exit_code = answer->exit_code;
	seen->ran_again = answer->ran_again;
	seen->config = answer->config;
	seen->config_aside = answer->config_aside;
	seen->ended_at = now;
	seen->tries = brought_no_end(answer->answer) ? seen->tries + 1 : 0;
	replace(r, &seen->detail, answer->detail);
	replace(r, &seen->config_why, answer->config_why);
	return true;
}

static void free_report(struct reports *r, struct report *report)
{
	slabs_free_text(r->map.slabs, report->seen.pod);
	slabs_free_text(r->map.slabs, report->seen.container);
	slabs_free_text(r->map.slabs, report->seen.detail);
	slabs_free_text(r->map.slabs, report->seen.config_why);
	slabs_free(r->map.slabs, report, sizeof(*report));
}

void reports_sweep(struct reports *r)
{
	struct strmap_iter it = { 0 };

	for (const char *pod; (pod = strmap_next(&r->map, &it));) {
		struct report *report = it.value;

		if (report->is_member)
			report->is_member = false;
		else
			free_report(r, strmap_remove(&r->map, pod));
	}
}

const struct exec_report *reports_list(const struct reports *r, struct arena *a, size_t *ret_count)
{
	struct exec_report *list = arena_array(a, strmap_count(&r->map), sizeof(*list));
	struct strmap_iter it = { 0 };
	size_t count = 0;

	while (strmap_next(&r->map, &it))
		list[count++] = ((const struct report *)it.value)->seen;
	*ret_count = count;
	return list;
}

void reports_release(struct reports *r)
{
	struct strmap_iter it = { 0 };

	while (strmap_next(&r->map, &it))
		((struct report *)it.value)->is_member = false;
	reports_sweep(r);
	strmap_release(&r->map);
}
