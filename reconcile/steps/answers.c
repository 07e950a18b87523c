#include "reconcile/steps/steps.h"

#include "reconcile/member/call.h"
#include "reconcile/member/config.h"
#include "reconcile/member/event.h"
#include "reconcile/member/queue.h"
#include "reconcile/plan/plan.h"
#include "reconcile/upgrade/rollback.h"

/*
 * What members answered since the last pass. Only a handler's own answer moves a queue: 0 takes the entry off (N2), another
 * code is a failure that counts (N5), and everything else, from a refused exec to a lost connection, counts nothing (N4).
 */

#define RETRY_FIRST_MS 5000
#define RETRY_MAX_MS 300000
#define ERROR_MAX 128 /* the CRD's maxLength of lastError */

/* The shell's words for a command that cannot be run at all: the same image will say the same again. */
#define CODE_NOT_EXECUTABLE 126
#define CODE_NOT_FOUND 127

static int64_t retry_pause_ms(int64_t attempts)
{
	int64_t ms = RETRY_FIRST_MS;
	for (int64_t i = 1; i < attempts && ms < RETRY_MAX_MS; i++)
		ms *= 2;
	return ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS;
}

static const char *step_of(const struct draft *d, const struct role_status *role)
{
	return arena_printf(d->arena, "role %s", role->id);
}

static void succeed(struct draft *d, struct member *m, const struct exec_report *r)
{
	enum event_kind event = queue_head(m)->event;
	queue_pop(m);
	if (draft_is_upgrading(d))
		trace_sent(d, m, event);
	plan_progress(d);
	if (event == EVENT_KIND_CONFIGURE) {
		m->state = MEMBER_STATE_CONFIGURED;
		m->state_detail->config_error_detail = NULL;
		m->state_detail->last_setup_generation = config_digested(d, m); /* it reads what it holds */
	}
	m->state_detail->last_configured_container = r->container;
	draft_note(d, "%s digested %s %lld", m->pod, event_kind_text(event), (long long)r->id);
}

static const char *failure_text(const struct draft *d, const struct exec_report *r, const struct app_role *role)
{
	if (r->answer == ANSWER_TIMEOUT)
		return arena_printf(d->arena, "killed after %lld s", (long long)handler_timeout_s(role));
	return r->detail && *r->detail ? arena_strndup(d->arena, r->detail, ERROR_MAX) : "no output";
}

static void hold_queue(struct draft *d, struct member *m, const char *why)
{
	member_set_config_error(d, m, why);
	draft_event(d, true, "ConfigError", "%s: its queue is held", m->state_detail->config_error_detail);
}

static void fail(struct draft *d, const struct role_status *role, struct member *m, const struct exec_report *r,
                 const struct app_role *app_role)
{
	struct queue_entry *head = queue_head(m);
	bool can_never_run = r->answer == ANSWER_DONE &&
	                     (r->exit_code == CODE_NOT_EXECUTABLE || r->exit_code == CODE_NOT_FOUND);
	head->attempts++;
	head->has_last_exit_code = r->answer == ANSWER_DONE;
	head->last_exit_code = head->has_last_exit_code ? r->exit_code : 0;
	head->last_error = failure_text(d, r, app_role);
	head->next_attempt = d->s->now + retry_pause_ms(head->attempts - head->attempts_forgiven);

	const char *what = arena_printf(d->arena, "%s: %s %lld failed%s", m->pod, event_kind_text(head->event),
	                                (long long)head->id,
	                                r->answer == ANSWER_DONE
	                                        ? arena_printf(d->arena, " with code %d", r->exit_code) : "");
	plan_warn(d, step_of(d, role), "%s: %s", what, head->last_error);
	draft_event(d, true, "NotificationFailed", "%s, attempt %lld: %s", what, (long long)head->attempts,
	            head->last_error);
	if (!can_never_run && head->attempts - head->attempts_forgiven < handler_retry_limit(app_role))
		return;
	head->next_attempt = 0;
	hold_queue(d, m, arena_printf(d->arena, "%s; attempt %lld: %s", what, (long long)head->attempts, head->last_error));
}

/* What a configure makes pointless: it reads what these would tell. Upgrade events stay, in their order (N3). */
static void supersede(struct draft *d, struct member *m)
{
	for (size_t i = m->state_detail->pending_notify_cmds_count; i-- > 0;) {
		const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];
		if (e->event != EVENT_KIND_ADDNODES && e->event != EVENT_KIND_DELNODES)
			continue;
		plan_warn(d, NULL, "%s: %s %lld superseded by a configure", m->pod, event_kind_text(e->event),
		          (long long)e->id);
		queue_remove(d, m, i);
	}
}

/* N3: what came up without its set-up cannot digest anything else first. */
static void configure_anew(struct draft *d, const struct role_status *role, struct member *m)
{
	const struct queue_entry *head = queue_head(m);
	if (head && head->event == EVENT_KIND_CONFIGURE)
		return;
	supersede(d, m);
	if (queue_is_full(m)) {
		hold_queue(d, m, arena_printf(d->arena, "%s: QueueFull: its set-up is gone, and configure does not fit in its "
		                              "queue", m->pod));
		return;
	}
	queue_push_head(d, m, notification_new(d, EVENT_KIND_CONFIGURE, role->id), EVENT_KIND_CONFIGURE);
	m->state = MEMBER_STATE_CREATING;
	m->state_detail->last_configured_container = NULL;
	draft_note(d, "%s has lost its set-up", m->pod);
}

/* Said with every answer of such a run; worth a warning once, when the run has ended. */
static void warn_of_second_run(struct draft *d, const struct role_status *role, const struct member *m,
                               const struct exec_report *r)
{
	if (!r->ran_again)
		return;
	plan_warn(d, step_of(d, role), "%s: %s %lld may have run twice: its first run was cut with its container", m->pod,
	          event_kind_text(queue_head(m)->event), (long long)r->id);
	draft_event(d, true, "MayHaveRunTwice", "%s: %s %lld: its first run was cut with its container", m->pod,
	            event_kind_text(queue_head(m)->event), (long long)r->id);
}

static void take_head_answer(struct draft *d, const struct role_status *role, struct member *m,
                             const struct exec_report *r, const struct app_role *app_role)
{
	switch (r->answer) {
	case ANSWER_DONE:
		warn_of_second_run(d, role, m, r);
		if (r->exit_code == 0)
			succeed(d, m, r);
		else
			fail(d, role, m, r, app_role);
		return;
	case ANSWER_TIMEOUT:
		warn_of_second_run(d, role, m, r);
		fail(d, role, m, r, app_role);
		return;
	case ANSWER_NO_SETUP:
		configure_anew(d, role, m);
		return;
	case ANSWER_RUNNING:
		if (queue_head(m)->event == EVENT_KIND_CONFIGURE && m->state == MEMBER_STATE_CREATE_PENDING)
			m->state = MEMBER_STATE_CREATING;
		return;
	case ANSWER_NONE:
	case ANSWER_SETUP:
	case ANSWER_NO_CONFIG:
	case ANSWER_REFUSED:
	case ANSWER_UNKNOWN:
		return;
	}
}

/* The member was asked only whether its set-up is there: its container is a new one, or it was brought a configmeta. */
static void take_check_answer(struct draft *d, const struct role_status *role, struct member *m,
                              const struct exec_report *r)
{
	if (r->answer == ANSWER_SETUP)
		m->state_detail->last_configured_container = r->container;
	else if (r->answer == ANSWER_NO_SETUP)
		configure_anew(d, role, m);
}

static void take_answer(struct draft *d, const struct role_status *role, struct member *m)
{
	struct member_view v = member_look(d, m);
	const struct app *app = member_app(d, role, &v);
	const struct app_role *app_role = app_role_find(app, role->id);
	const struct exec_report *r = call_report_of_head(d, m);
	if (r && app_role && app_role->handler && m->state != MEMBER_STATE_CONFIG_ERROR) {
		take_head_answer(d, role, m, r, app_role);
		return;
	}
	r = draft_exec(d, m->pod);
	if (r && !r->flying && r->id == 0 && queue_is_empty(m) && same_text(r->container, v.container) && app &&
	    role_has_setup(app, role->id))
		take_check_answer(d, role, m, r);
}

static void take_config(struct draft *d, const struct role_status *role, struct member *m)
{
	const struct exec_report *r = draft_exec(d, m->pod);
	if (r)
		config_take_answer(d, role, m, r);
}

enum step_result step_answers(struct draft *d)
{
	FOR_EACH_ROLE(d, role)
		FOR_EACH_MEMBER(role, m)
			if (!member_is_leaving(m)) {
				take_config(d, role, m);
				take_answer(d, role, m);
				config_settle(d, m);
			}
	return STEP_NEXT;
}
