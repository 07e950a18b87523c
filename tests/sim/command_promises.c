/*
 * What the user's annotations do, as in promises.c: each command is acted on once, whatever becomes of requests and of the
 * operator, and has the effect that it has; while "paused" is there nothing is changed.
 */
#include "sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What has been so for this long, and was told, the operator is held to know. */
#define KNOWN_MS 5000

static bool is_handled(const struct cluster *c, const char *text)
{
	for (size_t i = 0; c && c->status && i < c->status->handled_commands_count; i++) {
		if (strcmp(c->status->handled_commands[i], text) == 0)
			return true;
	}
	return false;
}

static bool is_about(const struct command *c, const char *key, const char *pod)
{
	size_t len = strcspn(c->value, "/");

	return strcmp(c->key, key) == 0 && strlen(pod) == len && strncmp(c->value, pod, len) == 0;
}

/* A command that this very step says to have been handled. */
static bool is_new(const struct sim *sim, const struct command *c)
{
	return is_handled(sim->book.is, c->text) && !is_handled(sim->book.was, c->text);
}

bool was_commanded(struct sim *sim, const struct entry_change *e)
{
	struct book_member *m = book_member(sim, e->was_in->pod);
	struct entry *entry = book_entry(m, e->was->id);

	for (const struct command *c = sim->book.commands; c; c = c->next) {
		const char *slash = strchr(c->value, '/');

		if (!is_new(sim, c) || c->done_at != sim->clock.now)
			continue;
		if (is_about(c, "rolecall.dev/give-up", e->was_in->pod))
			return true;
		if (is_about(c, "rolecall.dev/skip-notify", e->was_in->pod) && slash &&
		    strtoll(slash + 1, NULL, 10) == e->was->id && e->was->event != EVENT_KIND_CONFIGURE) {
			entry->is_skipped = true;
			return true;
		}
	}
	return false;
}

/* M as it was when command C was acted on. */
static void has_its_effect(struct sim *sim, const struct command *c, const struct member *m)
{
	const char *slash = strchr(c->value, '/');
	int64_t id = slash ? strtoll(slash + 1, NULL, 10) : 0;
	const struct queue_entry *e = book_find_entry(m, id, NULL);
	const struct cluster_status *was = sim->book.was ? sim->book.was->status : NULL;

	if (is_about(c, "rolecall.dev/give-up", m->pod) && !slash) {
		book_member(sim, m->pod)->given_up = true;
		/* With nothing going on it is taken back at once. */
		if (was && was->plan && sim->book.is->status->plan && (!m->given_up || book_queue_length(m)))
			violation(sim, RULE_COMMAND, "%s was given up, and its status does not say so", m->pod);
	} else if (is_about(c, "rolecall.dev/retry", m->pod) && !slash) {
		if (m->state == MEMBER_STATE_CONFIG_ERROR && book_queue_length(m))
			violation(sim, RULE_COMMAND, "%s is tried again, and is still a config error", m->pod);
	} else if (is_about(c, "rolecall.dev/skip-notify", m->pod) && e && e->event != EVENT_KIND_CONFIGURE) {
		violation(sim, RULE_COMMAND, "id=%" PRId64 " of %s was skipped, and still stands in its queue", id, m->pod);
	}
}

static void each_member(struct sim *sim, const struct command *c)
{
	const struct cluster_status *s = sim->book.is->status;

	for (size_t r = 0; r < s->roles_count; r++) {
		for (size_t i = 0; i < s->roles[r].members_count; i++)
			has_its_effect(sim, c, &s->roles[r].members[i]);
	}
}

/* How often Events speak of C. One may get lost, but there are never two. */
static int events_of(const struct sim *sim, const struct command *c)
{
	const char *about = arena_printf((struct arena *)&sim->arena, "%s: %s", c->key, c->value);
	size_t len = strlen(about);
	int n = 0;

	for (size_t i = 0; i < sim->etcd.count[KIND_EVENT]; i++) {
		const cJSON *event = sim->etcd.objects[KIND_EVENT][i]->tree;
		const char *reason = json_str(event, "reason"), *note = json_str(event, "note");

		n += reason && strncmp(reason, "Command", 7) == 0 && strncmp(note, about, len) == 0 &&
		     (note[len] == '\0' || note[len] == ':');
	}
	return n;
}

static int given(const struct sim *sim, const struct command *like)
{
	int n = 0;

	for (const struct command *c = sim->book.commands; c; c = c->next)
		n += strcmp(c->text, like->text) == 0;
	return n;
}

void check_command(struct sim *sim)
{
	struct book *b = &sim->book;

	if (!b->written || !b->is || !b->is->status)
		return;
	for (struct command *c = b->commands; c && !sim->broken; c = c->next) {
		if (!is_new(sim, c))
			continue;
		/* The newest of that text is the one that stands in the annotation. */
		arose(RULE_COMMAND);
		if (c->done_at)
			violation(sim, RULE_COMMAND, "%s is acted on for a second time", c->text);
		c->done_at = b->moved_at = sim->clock.now;
		each_member(sim, c);
		break;
	}
}

void commands_are_through(struct sim *sim)
{
	for (const struct command *c = sim->book.commands; c && !sim->broken; c = c->next) {
		if (!c->done_at)
			violation(sim, RULE_COMMAND, "%s was given and never acted on", c->text);
		if (events_of(sim, c) > given(sim, c))
			violation(sim, RULE_COMMAND, "more Events than commands say %s", c->text);
	}
}

void held_means_held(struct sim *sim, const char *what, bool is_change)
{
	const struct book *b = &sim->book;

	if (!b->held_at || b->held_at + KNOWN_MS > sim->clock.now || !stream_is_current(sim, KIND_CLUSTER, KNOWN_MS))
		return;
	arose(RULE_HELD);
	if (is_change)
		violation(sim, RULE_HELD, "%s while the annotation paused is there", what);
}
