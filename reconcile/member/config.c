#include "reconcile/member/config.h"

#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"

#define WHY_MAX 128

static void note_place(struct draft *d, const struct role_status *role, struct member *m, const struct exec_report *r)
{
	struct state_detail *detail = m->state_detail;
	if (!r->config_aside) {
		detail->config_data_detail = NULL;
		return;
	}
	if (!r->config_why && detail->config_data_detail)
		return; /* it was said by the call that wrote it */
	const char *where = arena_printf(d->arena, "configmeta.json is in /var/lib/rolecall: %.*s", WHY_MAX,
	                                 r->config_why ? r->config_why : "/etc/guestconfig cannot be written");
	if (same_text(where, detail->config_data_detail))
		return;
	detail->config_data_detail = where;
	plan_warn(d, arena_printf(d->arena, "role %s", role->id), "%s: %s", m->pod, where);
}

void config_take_answer(struct draft *d, const struct role_status *role, struct member *m, const struct exec_report *r)
{
	if (r->flying || !r->config)
		return;
	m->state_detail->last_config_data_generation = r->config;
	note_place(d, role, m, r);
}

/* The new members of this generation are not all up yet, and M is none of them: it will be told of them. */
static bool will_be_told(const struct draft *d, const struct member *m)
{
	if (m->joined_generation)
		return false;
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, other)
			if (other->joined_generation)
				return true;
	return false;
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t config_digested(const struct draft *d, const struct member *m)
{
	const struct state_detail *detail = m->state_detail;
	int64_t digested = detail->last_config_data_generation;
	for (size_t i = 0; i < detail->pending_notify_cmds_count; i++) {
		const struct notification *n = notification_find(d, detail->pending_notify_cmds[i].id);
		if (n && n->generation)
			digested = lesser(digested, n->generation - 1);
	}
	return digested;
}

void config_settle(struct draft *d, struct member *m)
{
	struct state_detail *detail = m->state_detail;
	int64_t digested = config_digested(d, m);
	if (queue_has(m, EVENT_KIND_CONFIGURE))
		return;
	if (digested > detail->last_setup_generation && will_be_told(d, m))
		digested = lesser(digested, d->status->spec_generation_to_process - 1);
	if (digested > detail->last_setup_generation)
		detail->last_setup_generation = digested;
}

bool config_goes_with(const struct draft *d, const struct member *m, const struct member_view *v,
                      const struct queue_entry *entry)
{
	const struct exec_report *r = draft_exec(d, m->pod);
	if (r && same_text(r->container, v->container) && r->id == entry->id && r->attempt == entry->attempts + 1) {
		if (r->answer == ANSWER_RUNNING)
			return false; /* it has it, or it would not run */
		if (r->answer == ANSWER_NO_CONFIG)
			return true;
	}
	return entry->event == EVENT_KIND_CONFIGURE ||
	       m->state_detail->last_config_data_generation < d->status->spec_generation_to_process;
}

bool config_is_behind(const struct draft *d, const struct member *m)
{
	return m->state == MEMBER_STATE_CONFIGURED &&
	       m->state_detail->last_config_data_generation < d->status->spec_generation_to_process && !will_be_told(d, m);
}
