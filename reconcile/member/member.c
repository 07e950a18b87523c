#include "reconcile/member/member.h"

#include "reconcile/desired/names.h"
#include "reconcile/member/queue.h"

#include <string.h>

#define REASON_MAX 256      /* the CRD's maxLength of downReason and configErrorDetail */
#define UNRESPONSIVE_TRIES 2 /* one lost connection is not worth a status write */

static bool is_ours(const struct draft *d, const struct pod *pod)
{
	const struct child_labels *labels = pod->metadata->labels;
	return labels && same_text(labels->cluster, d->s->cluster->metadata->name);
}

static const struct container_status *container_of(const struct pod *pod)
{
	for (size_t i = 0; pod->status && i < pod->status->container_statuses_count; i++)
		if (same_text(pod->status->container_statuses[i].name, MEMBER_CONTAINER))
			return &pod->status->container_statuses[i];
	return NULL;
}

static const struct pod_condition *condition_of(const struct pod *pod, const char *type)
{
	for (size_t i = 0; pod->status && i < pod->status->conditions_count; i++)
		if (same_text(pod->status->conditions[i].type, type))
			return &pod->status->conditions[i];
	return NULL;
}

/* What kubelet calls these while a container is simply being started. */
static bool is_starting(const char *reason)
{
	return !reason || strcmp(reason, "ContainerCreating") == 0 || strcmp(reason, "PodInitializing") == 0;
}

static const char *with_message(struct arena *arena, const char *reason, const char *message)
{
	if (!message || !*message)
		return reason;
	return arena_printf(arena, "%.64s: %.*s", reason, REASON_MAX - 70, message);
}

/* No container status: the pod has not been started by a kubelet; the scheduler may have said why. */
static void look_at_unstarted(struct member_view *v, struct arena *arena)
{
	const struct pod_condition *scheduled = condition_of(v->pod, "PodScheduled");
	v->state = CONTAINER_STATE_WAITING;
	v->reason = "Pending";
	if (scheduled && same_text(scheduled->status, "False")) {
		v->reason = with_message(arena, scheduled->reason ? scheduled->reason : "Unschedulable", scheduled->message);
		v->in_trouble = true;
	}
}

static void look_at_container(struct member_view *v, const struct container_status *c, struct arena *arena)
{
	const struct container_run *run = c->state;
	if (run && run->running) {
		v->state = CONTAINER_STATE_RUNNING;
		v->container = c->container_id;
	} else if (run && run->terminated) {
		v->state = CONTAINER_STATE_TERMINATED;
		v->reason = arena_printf(arena, "%.64s: the container ended with code %d",
		                         run->terminated->reason ? run->terminated->reason : "Terminated",
		                         (int)run->terminated->exit_code);
		v->in_trouble = true;
	} else {
		const char *why = run && run->waiting ? run->waiting->reason : NULL;
		v->state = CONTAINER_STATE_WAITING;
		v->reason = with_message(arena, why ? why : "Waiting", run && run->waiting ? run->waiting->message : NULL);
		v->in_trouble = !is_starting(why);
	}
}

/* "create Pod NAME in StatefulSet ... failed error: REASON", as the StatefulSet's controller says it. */
static const char *setback_reason(const struct setback *s, const struct draft *d, const struct member *m)
{
	const char *pod = s->message ? strstr(s->message, arena_printf(d->arena, "Pod %s ", m->pod)) : NULL;
	const char *error = pod ? strstr(pod, "error: ") : NULL;
	return error ? error + strlen("error: ") : NULL;
}

/* The newest setback of the pod that is not older than what went forward last: one before that was got over. */
static const char *why_not_made(const struct draft *d, const struct member *m)
{
	int64_t since = m->state_detail->down_since;
	if (d->status->plan && d->status->plan->last_progress_at > since)
		since = d->status->plan->last_progress_at;
	const char *reason = NULL;
	for (size_t i = 0; i < d->s->setback_count; i++) {
		const struct setback *s = d->s->setbacks[i];
		const char *why = s->last_timestamp >= since - 1000 ? setback_reason(s, d, m) : NULL;
		if (why) {
			reason = arena_strndup(d->arena, why, REASON_MAX);
			since = s->last_timestamp;
		}
	}
	return reason;
}

/*
 * The node controller takes Ready away and leaves all else as kubelet said it last; kubelet itself gives a reason, and does not
 * call a container ready meanwhile.
 */
static bool node_is_silent(const struct pod *pod)
{
	const struct pod_condition *ready = condition_of(pod, "Ready");
	const struct container_status *c = container_of(pod);
	return ready && same_text(ready->status, "False") && !(ready->reason && *ready->reason) && c && c->ready;
}

struct member_view member_look(const struct draft *d, const struct member *m)
{
	struct member_view v = { .pod = draft_pod(d, m->pod), .state = CONTAINER_STATE_ABSENT };
	if (v.pod && !is_ours(d, v.pod))
		v.pod = NULL;
	if (!v.pod) {
		v.reason = why_not_made(d, m);
		v.in_trouble = v.reason != NULL;
		v.reason = v.reason ? v.reason : "there is no pod";
		return v;
	}
	v.app = v.pod->metadata->labels->app;
	v.hash = v.pod->metadata->labels->hash;
	v.leaving = v.pod->metadata->deletion_timestamp != 0;
	if (node_is_silent(v.pod)) {
		/* What kubelet said last of the container is no longer known to be true. */
		v.state = CONTAINER_STATE_UNRESPONSIVE;
		v.reason = "NodeNotReady: the node does not report";
		v.in_trouble = true;
		return v;
	}
	if (v.leaving) {
		v.state = CONTAINER_STATE_TERMINATED;
		v.reason = "the pod is being deleted";
		return v;
	}
	const struct container_status *c = container_of(v.pod);
	if (c)
		look_at_container(&v, c, d->arena);
	else
		look_at_unstarted(&v, d->arena);
	const struct pod_condition *ready = condition_of(v.pod, "Ready");
	v.ready = v.container && ready && same_text(ready->status, "True");
	return v;
}

bool pod_has_run(const struct pod *pod)
{
	const struct container_status *c = container_of(pod);
	return c && (c->restart_count > 0 || (c->container_id && c->state && (c->state->running || c->state->terminated)));
}

bool member_is_serving(const struct draft *d, const struct member *m)
{
	return m->state == MEMBER_STATE_CONFIGURED && !member_is_moving(m) && member_look(d, m).ready;
}

bool member_is_expected_down(const struct member *m)
{
	return m->state == MEMBER_STATE_CREATE_PENDING || member_is_moving(m);
}

/* What the last call to the running container says of it: it answered, it does not, or nothing is known. */
static bool does_not_answer(const struct exec_report *r)
{
	return r && (r->answer == ANSWER_REFUSED || r->answer == ANSWER_UNKNOWN) && r->tries >= UNRESPONSIVE_TRIES;
}

static bool has_answered(const struct exec_report *r)
{
	return r && r->answer != ANSWER_NONE && r->answer != ANSWER_REFUSED && r->answer != ANSWER_UNKNOWN;
}

static void set_down(struct draft *d, struct member *m, enum container_state state, const char *reason)
{
	struct state_detail *detail = m->state_detail;
	detail->last_known_container_state = state;
	if (!detail->down_since)
		detail->down_since = d->s->now - d->s->now % 1000;
	detail->down_reason = strlen(reason) > REASON_MAX ? arena_strndup(d->arena, reason, REASON_MAX) : reason;
}

static void set_up(struct member *m, enum container_state state)
{
	m->state_detail->last_known_container_state = state;
	m->state_detail->down_since = 0;
	m->state_detail->down_reason = NULL;
}

void member_observe(struct draft *d, struct member *m)
{
	struct member_view v = member_look(d, m);
	const struct exec_report *r = draft_exec(d, m->pod);
	if (r && !same_text(r->container, v.container))
		r = NULL;
	bool expected = member_is_expected_down(m) || member_is_leaving(m);

	if (v.container && does_not_answer(r))
		set_down(d, m, CONTAINER_STATE_UNRESPONSIVE, r->detail ? r->detail : "the member does not answer");
	else if (v.container && expected && !has_answered(r) && m->state_detail->pending_notify_cmds_count &&
	         m->state_detail->last_known_container_state != CONTAINER_STATE_RUNNING)
		set_up(m, CONTAINER_STATE_WAITING); /* "running" is written with the first answer: one write, not two */
	else if (v.container)
		set_up(m, CONTAINER_STATE_RUNNING);
	else if (expected && !v.in_trouble)
		set_up(m, CONTAINER_STATE_WAITING);
	else
		set_down(d, m, v.state, v.reason);
}

void member_begin(struct draft *d, struct role_status *role, size_t ordinal, int64_t configure)
{
	struct member *m = &role->members[ordinal];
	m->pod = name_pod(d->arena, role->stateful_set, ordinal);
	m->node_id = ++d->status->last_node_id;
	m->state = MEMBER_STATE_CREATE_PENDING;
	m->state_detail = arena_alloc(d->arena, sizeof *m->state_detail);
	if (configure)
		queue_push(d, m, configure, EVENT_KIND_CONFIGURE);
}

void member_set_config_error(struct draft *d, struct member *m, const char *why)
{
	m->state = MEMBER_STATE_CONFIG_ERROR;
	m->state_detail->config_error_detail = strlen(why) > REASON_MAX ? arena_strndup(d->arena, why, REASON_MAX) : why;
	if (m->pod_upgrade_status == UPGRADE_STATE_UPGRADED)
		m->pod_upgrade_status = UPGRADE_STATE_UPGRADING;
	if (m->pod_upgrade_status == UPGRADE_STATE_ROLLED_BACK)
		m->pod_upgrade_status = UPGRADE_STATE_ROLLING_BACK;
}

void member_forgive(struct member *m)
{
	struct state_detail *detail = m->state_detail;
	for (size_t i = 0; i < detail->pending_notify_cmds_count; i++) {
		detail->pending_notify_cmds[i].attempts_forgiven = detail->pending_notify_cmds[i].attempts;
		detail->pending_notify_cmds[i].next_attempt = 0;
	}
	bool unconfigured = detail->pending_notify_cmds_count &&
	                    detail->pending_notify_cmds[0].event == EVENT_KIND_CONFIGURE;
	if (m->state == MEMBER_STATE_CONFIG_ERROR)
		m->state = unconfigured ? MEMBER_STATE_CREATE_PENDING : MEMBER_STATE_CONFIGURED;
	detail->config_error_detail = NULL;
}

const char *members_domain(const struct draft *d)
{
	return arena_printf(d->arena, "%s.%s.svc.cluster.local", d->status->cluster_service,
	                    d->s->cluster->metadata->namespace);
}

const char *member_fqdn(const struct draft *d, const struct member *m)
{
	return arena_printf(d->arena, "%s.%s", m->pod, members_domain(d));
}

const char *member_setup(const struct draft *d, const struct member *m)
{
	return arena_printf(d->arena, "%s/%lld", d->s->cluster->metadata->uid, (long long)m->node_id);
}
