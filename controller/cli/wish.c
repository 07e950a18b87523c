#include "wish.h"

#include "crd/base/strbuf.h"
#include "nearest.h"

#include <string.h>

struct judge {
	const struct wish *w;
	const struct cluster *c;
	const char *name;   /* of the Cluster */
	const char *where;  /* " -n NAMESPACE" for commands that are named in answers, if this one was given it */
	const char *target; /* name and where */
	struct arena *a;
};

/* What to say, printf-like; EXIT_OK: nothing is to be sent, and nothing is wrong. */
#define ANSWER(j, exit, ...) ((struct wish_answer){ .code = (exit), .text = arena_printf((j)->a, __VA_ARGS__) })
static const struct wish_answer no_objection;

static const char *annotation_of(enum command command)
{
	if (command == COMMAND_RETRY)
		return "rolecall.dev/retry";
	if (command == COMMAND_SKIP)
		return "rolecall.dev/skip-notify";
	return command == COMMAND_GIVE_UP ? "rolecall.dev/give-up" : "rolecall.dev/paused";
}

static const char *annotation(const struct judge *j, const char *key)
{
	const struct object_meta *meta = j->c->metadata;

	for (size_t i = 0; i < meta->annotations_count; i++)
		if (strcmp(meta->annotations[i].key, key) == 0)
			return meta->annotations[i].value;
	return NULL;
}

static bool is_paused(const struct judge *j)
{
	const char *value = annotation(j, "rolecall.dev/paused");

	return value && strcmp(value, "true") == 0;
}

/* {"metadata":{"resourceVersion":...,"annotations":{KEY:VALUE}}}; VALUE NULL takes it away (RFC 7396). */
static const char *patch_annotation(const struct judge *j, const char *key, const char *value)
{
	struct strbuf out = { .arena = j->a };

	strbuf_adds(&out, "{\"metadata\":{\"resourceVersion\":");
	strbuf_add_json(&out, j->c->metadata->resource_version);
	strbuf_adds(&out, ",\"annotations\":{");
	strbuf_add_json(&out, key);
	strbuf_addc(&out, ':');
	if (value)
		strbuf_add_json(&out, value);
	else
		strbuf_adds(&out, "null");
	strbuf_adds(&out, "}}}");
	return strbuf_str(&out);
}

/* SPEC is JSON: what changes in the spec. */
static const char *patch_spec(const struct judge *j, const char *spec)
{
	struct strbuf out = { .arena = j->a };

	strbuf_adds(&out, "{\"metadata\":{\"resourceVersion\":");
	strbuf_add_json(&out, j->c->metadata->resource_version);
	strbuf_addf(&out, "},\"spec\":%s}", spec);
	return strbuf_str(&out);
}

static const struct member *find_member(const struct cluster *c, const char *pod)
{
	for (size_t r = 0; c->status && r < c->status->roles_count; r++)
		for (size_t m = 0; m < c->status->roles[r].members_count; m++)
			if (strcmp(c->status->roles[r].members[m].pod, pod) == 0)
				return &c->status->roles[r].members[m];
	return NULL;
}

const char *wish_no_member(const struct cluster *c, const char *pod, struct arena *a)
{
	const struct cluster_status *st = c->status;
	const char **pods = NULL;
	size_t count = 0;

	if (find_member(c, pod))
		return NULL;
	for (size_t r = 0; st && r < st->roles_count; r++) {
		pods = arena_grow(a, pods, count, count + st->roles[r].members_count, sizeof(*pods));
		for (size_t m = 0; m < st->roles[r].members_count; m++)
			pods[count++] = st->roles[r].members[m].pod;
	}
	return arena_printf(a, "%s has no member %s%s", c->metadata->name, pod,
	                    count ? nearest_suggest(a, pod, pods, count) : ", nor any other yet");
}

static const struct queue_entry *find_entry(const struct member *m, int64_t id)
{
	const struct state_detail *d = m->state_detail;

	for (size_t i = 0; d && i < d->pending_notify_cmds_count; i++)
		if (d->pending_notify_cmds[i].id == id)
			return &d->pending_notify_cmds[i];
	return NULL;
}

/* "12 pod_upgraded, 14 cluster_upgraded" */
static const char *list_queue(const struct judge *j, const struct member *m)
{
	const struct state_detail *d = m->state_detail;
	const char *list = "";

	for (size_t i = 0; i < d->pending_notify_cmds_count; i++)
		list = arena_printf(j->a, "%s%s%lld %s", list, i ? ", " : "", (long long)d->pending_notify_cmds[i].id,
		                    event_kind_text(d->pending_notify_cmds[i].event));
	return list;
}

static bool queue_is_empty(const struct member *m)
{
	return !m->state_detail || m->state_detail->pending_notify_cmds_count == 0;
}

static struct wish_answer judge_retry(const struct judge *j, const struct member *m)
{
	if (queue_is_empty(m))
		return ANSWER(j, EXIT_REFUSED, "the queue of %s is empty: there is nothing to retry", m->pod);
	const struct queue_entry *head = &m->state_detail->pending_notify_cmds[0];
	if (m->state == MEMBER_STATE_CONFIG_ERROR || head->attempts > head->attempts_forgiven)
		return no_objection;
	const char *why = m->state_detail->down_reason;
	return ANSWER(j, EXIT_REFUSED, "%s has failed at nothing: %lld %s is delivered as soon as it can hear it%s%s%s",
	              m->pod, (long long)head->id, event_kind_text(head->event), why ? " (down: " : "",
	              why ? why : "", why ? ")" : "");
}

static struct wish_answer judge_skip(const struct judge *j, const struct member *m)
{
	if (queue_is_empty(m))
		return ANSWER(j, EXIT_NOT_FOUND, "the queue of %s is empty: there is nothing to skip", m->pod);
	if (j->w->id == 0)
		return ANSWER(j, EXIT_USAGE, "which one? The queue of %s: %s", m->pod, list_queue(j, m));
	const struct queue_entry *e = find_entry(m, j->w->id);
	if (!e)
		return ANSWER(j, EXIT_NOT_FOUND, "the queue of %s has no %lld; it has: %s", m->pod, (long long)j->w->id,
		              list_queue(j, m));
	if (e->event != EVENT_KIND_CONFIGURE)
		return no_objection;
	return ANSWER(j, EXIT_REFUSED,
	              "configure cannot be skipped: without its set-up %s can digest nothing else. Mend what keeps it "
	              "from being configured and \"%s retry %s %s\", or go on without it: \"%s give-up %s %s\"",
	              m->pod, j->w->program, j->target, m->pod, j->w->program, j->target, m->pod);
}

static struct wish_answer judge_target(const struct judge *j)
{
	const char *missing = wish_no_member(j->c, j->w->member, j->a);

	if (missing)
		return ANSWER(j, EXIT_NOT_FOUND, "%s", missing);
	const struct member *m = find_member(j->c, j->w->member);
	if (j->w->command == COMMAND_SKIP)
		return judge_skip(j, m);
	if (j->w->command == COMMAND_RETRY)
		return judge_retry(j, m);
	return m->given_up ? ANSWER(j, EXIT_OK, "%s: %s has been given up already", j->name, m->pod) : no_objection;
}

static const char *wished_value(const struct judge *j)
{
	if (j->w->command != COMMAND_SKIP)
		return j->w->member;
	return arena_printf(j->a, "%s/%lld", j->w->member, (long long)j->w->id);
}

/*
 * A command that the operator has acted on leaves a note until its annotation is gone (handledCommands): the same one
 * set before that would be taken for the old one.
 */
static bool is_being_cleared(const struct judge *j, const char *key)
{
	const struct cluster_status *st = j->c->status;
	size_t len = strlen(key);

	for (size_t i = 0; st && i < st->handled_commands_count; i++)
		if (strncmp(st->handled_commands[i], key, len) == 0 && st->handled_commands[i][len] == '=')
			return true;
	return false;
}

static struct wish_answer judge_command(const struct judge *j)
{
	const char *key = annotation_of(j->w->command), *there = annotation(j, key), *value = wished_value(j);
	const char *word = command_words[j->w->command].name;
	struct wish_answer answer = judge_target(j);

	if (answer.text)
		return answer;
	if (is_being_cleared(j, key) || (there && strcmp(there, value) != 0)) {
		answer = ANSWER(j, EXIT_TIMEOUT,
		                "%s: an earlier %s (%s) has not been acted on: does an operator run, and is the "
		                "Cluster not paused?",
		                j->name, word, there ? there : "its note");
		answer.later = true;
		return answer;
	}
	answer = ANSWER(j, EXIT_OK, "%s: %s of %s asked for%s%s", j->name, word, value, there ? " already" : "",
	                is_paused(j) ? "; the Cluster is paused, so nothing happens before it is resumed" : "");
	if (!there)
		answer.patch = patch_annotation(j, key, value);
	return answer;
}

/* pause and resume differ in what they wish. */
static struct wish_answer judge_pause(const struct judge *j)
{
	bool wanted = j->w->command == COMMAND_PAUSE;
	const struct upgrade_policy *policy = j->c->spec->upgrade;
	bool is = j->w->upgrade ? policy && policy->paused : is_paused(j);
	const char *what = j->w->upgrade ? "the replacement of members is " : "";

	if (is == wanted)
		return ANSWER(j, EXIT_OK, "%s: %s%s", j->name, what, is ? "paused already" : "not paused");
	struct wish_answer answer = ANSWER(j, EXIT_OK, "%s: %s%s", j->name, what, wanted ? "paused" : "resumed");
	if (j->w->upgrade)
		answer.patch = patch_spec(j, wanted ? "{\"upgrade\":{\"paused\":true}}"
		                                    : "{\"upgrade\":{\"paused\":false}}");
	else
		answer.patch = patch_annotation(j, annotation_of(j->w->command), wanted ? "true" : NULL);
	if (!wanted && !j->w->upgrade && policy && policy->paused)
		answer.text = arena_printf(j->a,
		                           "%s; the replacement of members stays paused: \"%s resume %s --upgrade\"",
		                           answer.text, j->w->program, j->target);
	return answer;
}

static struct wish_answer go_back_to(const struct judge *j, const char *app)
{
	struct wish_answer answer =
		ANSWER(j, EXIT_OK, "%s: spec.app goes back from %s to %s; follow it with \"%s get %s --watch\"",
	               j->name, j->c->spec->app, app, j->w->program, j->target);
	struct strbuf spec = { .arena = j->a };

	strbuf_adds(&spec, "{\"app\":");
	strbuf_add_json(&spec, app);
	strbuf_addc(&spec, '}');
	answer.patch = patch_spec(j, strbuf_str(&spec));
	return answer;
}

static struct wish_answer judge_rollback(const struct judge *j)
{
	const struct cluster_status *st = j->c->status;
	const struct upgrade_info *info = st ? st->upgrade_info : NULL;
	const char *app = j->c->spec->app;

	if (info && info->is_rolling_back)
		return ANSWER(j, EXIT_REFUSED,
		              "%s is on its way back to %s already, and that cannot be turned round; follow it with "
		              "\"%s get %s --watch\"",
		              j->name, info->prev_app, j->w->program, j->target);
	/* Asked for and not begun, or refused, or left by an automatic rollback: the spec alone is to be set right. */
	const char *back = info ? info->prev_app : st ? st->app : NULL;
	if (back && strcmp(app, back) != 0)
		return go_back_to(j, back);
	if (info)
		return ANSWER(j, EXIT_OK, "%s: spec.app is %s already; the operator has yet to turn round", j->name,
		              app);
	return ANSWER(j, EXIT_REFUSED,
	              "%s: no upgrade is in progress, so there is nothing to go back from; it runs App %s. To move it "
	              "to another App, edit spec.app: kubectl edit rcl %s",
	              j->name, app, j->target);
}

static struct judge judge_of(const struct wish *w, const struct cluster *c, struct arena *a)
{
	const char *name = c->metadata->name, *where = w->namespace ? arena_printf(a, " -n %s", w->namespace) : "";

	return (struct judge){
		.w = w, .c = c, .name = name, .where = where, .target = arena_printf(a, "%s%s", name, where), .a = a,
	};
}

struct wish_answer wish_judge(const struct wish *w, const struct cluster *c, struct arena *a)
{
	struct judge j = judge_of(w, c, a);

	if (c->metadata->deletion_timestamp)
		return ANSWER(&j, EXIT_REFUSED, "%s is being deleted", j.name);
	if (w->command == COMMAND_PAUSE || w->command == COMMAND_RESUME)
		return judge_pause(&j);
	return w->command == COMMAND_ROLLBACK ? judge_rollback(&j) : judge_command(&j);
}

/* The operator refuses what has gone in the meantime, which is as good; a configure it does not skip. */
struct wish_answer wish_outcome(const struct wish *w, const struct cluster *c, struct arena *a)
{
	struct judge j = judge_of(w, c, a);
	const char *there = annotation(&j, annotation_of(w->command)), *value = wished_value(&j);
	const char *word = command_words[w->command].name;
	const struct member *m = find_member(c, w->member);

	if (there && strcmp(there, value) == 0) {
		struct wish_answer answer =
			ANSWER(&j, EXIT_TIMEOUT,
		               "%s: %s of %s was not acted on in time: does an operator run, and is the Cluster not "
		               "paused? It stays asked for",
		               j.name, word, value);
		answer.later = true;
		return answer;
	}
	if (w->command == COMMAND_SKIP && m && find_entry(m, w->id))
		return ANSWER(&j, EXIT_REFUSED,
		              "%s: the operator refused to skip %s; why: kubectl get events%s --field-selector "
		              "reason=CommandRefused",
		              j.name, value, j.where);
	return ANSWER(&j, EXIT_OK, "%s: the operator has acted on the %s of %s", j.name, word, value);
}
