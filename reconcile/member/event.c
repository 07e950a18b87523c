#include "reconcile/member/event.h"

#include "reconcile/member/member.h"

#include <string.h>

#define TIMEOUT_DEFAULT_S 600
#define RETRY_LIMIT_DEFAULT 5

static bool list_has(const char *const *list, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], word) == 0)
			return true;
	return false;
}

bool event_is_heard(const struct app *app, const char *role, enum event_kind event)
{
	const struct app_role *r = app_role_find(app, role);
	if (!r || !r->handler || !r->handler->exec)
		return false;
	const char *word = event_kind_text(event);
	if (r->event_list)
		return list_has((const char *const *)r->event_list, r->event_list_count, word);
	if (app->spec->default_event_list)
		return list_has((const char *const *)app->spec->default_event_list, app->spec->default_event_list_count,
		                word);
	return true;
}

bool role_hears_anything(const struct app *app, const char *role)
{
	for (int event = EVENT_KIND_CONFIGURE; event <= EVENT_KIND_DELNODES; event++)
		if (event_is_heard(app, role, (enum event_kind)event))
			return true;
	return false;
}

bool role_has_setup(const struct app *app, const char *role)
{
	return event_is_heard(app, role, EVENT_KIND_CONFIGURE);
}

int64_t handler_timeout_s(const struct app_role *role)
{
	return role->handler->timeout_seconds ? role->handler->timeout_seconds : TIMEOUT_DEFAULT_S;
}

int64_t handler_retry_limit(const struct app_role *role)
{
	return role->handler->retry_limit ? role->handler->retry_limit : RETRY_LIMIT_DEFAULT;
}

static bool names_a_role(enum event_kind event)
{
	switch (event) {
	case EVENT_KIND_ROLE_UPGRADED:
	case EVENT_KIND_CLUSTER_UPGRADED:
	case EVENT_KIND_ROLE_REVERTED:
	case EVENT_KIND_CLUSTER_REVERTED:
	case EVENT_KIND_ADDNODES:
	case EVENT_KIND_DELNODES:
		return true;
	case EVENT_KIND_NONE:
	case EVENT_KIND_CONFIGURE:
	case EVENT_KIND_POD_UPGRADED:
	case EVENT_KIND_POD_REVERTED:
		return false;
	}
	return false;
}

static const char *join(struct arena *arena, const char *const *texts, size_t count)
{
	size_t len = 1;
	for (size_t i = 0; i < count; i++)
		len += strlen(texts[i]) + 1;
	char *list = arena_alloc(arena, len), *end = list;
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(texts[i]);
		if (i > 0)
			*end++ = ',';
		memcpy(end, texts[i], n);
		end += n;
	}
	*end = '\0';
	return list;
}

static const char **fqdns_of_role(const struct draft *d, const struct role_status *role)
{
	const char **fqdns = arena_array(d->arena, role->members_count, sizeof *fqdns);
	for (size_t i = 0; i < role->members_count; i++)
		fqdns[i] = member_fqdn(d, &role->members[i]);
	return fqdns;
}

/* Those that came or went: they may be gone by now. */
static bool names_members(const struct notification *n)
{
	return n->role && n->fqdns_count > 0;
}

/*
 * The members that N tells of: those that it names, else the receiver's role. Membership stands still during an upgrade, so that
 * list is the same at each try.
 */
static const char *fqdns_of(const struct draft *d, const struct notification *n, const struct role_status *receiver)
{
	bool stored = names_members(n);
	const void *of = stored ? (const void *)n->fqdns : receiver->members;
	size_t count = stored ? n->fqdns_count : receiver->members_count;
	if (d->fqdns->text && d->fqdns->of == of && d->fqdns->count == count)
		return d->fqdns->text;
	const char *const *fqdns = stored ? (const char *const *)n->fqdns : fqdns_of_role(d, receiver);
	*d->fqdns = (struct joined){ of, count, join(d->arena, fqdns, count) };
	return d->fqdns->text;
}

#define EVENT_ARGC_MAX 7

const char *const *event_argv(const struct draft *d, const struct app_role *app_role, const struct role_status *receiver,
                              const struct notification *n, size_t *ret_argc)
{
	const struct handler_exec *exec = app_role->handler->exec;
	const char **argv = arena_array(d->arena, exec->command_count + EVENT_ARGC_MAX, sizeof *argv);
	size_t argc = 0;
	for (; argc < exec->command_count; argc++)
		argv[argc] = exec->command[argc];
	argv[argc++] = arena_printf(d->arena, "--%s", event_kind_text(n->event));
	if (names_a_role(n->event)) {
		argv[argc++] = "--nodegroup";
		argv[argc++] = "1";
		argv[argc++] = "--role";
		argv[argc++] = names_members(n) ? n->role : receiver->id;
		argv[argc++] = "--fqdns";
		argv[argc++] = fqdns_of(d, n, receiver);
	}
	*ret_argc = argc;
	return argv;
}

size_t event_args_size(const struct draft *d, const struct app_role *app_role, const struct role_status *role)
{
	if (!app_role || !app_role->handler || !app_role->handler->exec)
		return 0;
	size_t argc, size = 0;
	const struct notification longest = { .event = EVENT_KIND_CLUSTER_UPGRADED };
	const char *const *argv = event_argv(d, app_role, role, &longest, &argc);
	for (size_t i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	return size;
}
