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
		return true;
	case EVENT_KIND_NONE:
	case EVENT_KIND_CONFIGURE:
	case EVENT_KIND_POD_UPGRADED:
	case EVENT_KIND_POD_REVERTED:
		return false;
	}
	return false;
}

/* Members of a role joined by commas. Membership stands still during an upgrade, so the list is the same at each try. */
static const char *fqdn_list(const struct draft *d, const struct role_status *role)
{
	size_t len = 1;
	FOR_EACH_MEMBER(role, m)
		len += strlen(member_fqdn(d, m)) + 1;
	char *list = arena_alloc(d->arena, len), *end = list;
	FOR_EACH_MEMBER(role, m) {
		if (end != list)
			*end++ = ',';
		const char *fqdn = member_fqdn(d, m);
		size_t n = strlen(fqdn);
		memcpy(end, fqdn, n);
		end += n;
	}
	*end = '\0';
	return list;
}

#define EVENT_ARGC_MAX 7

const char *const *event_argv(const struct draft *d, const struct app_role *app_role, const struct role_status *receiver,
                              enum event_kind event, size_t *ret_argc)
{
	const struct handler_exec *exec = app_role->handler->exec;
	const char **argv = arena_array(d->arena, exec->command_count + EVENT_ARGC_MAX, sizeof *argv);
	size_t n = 0;
	for (; n < exec->command_count; n++)
		argv[n] = exec->command[n];
	argv[n++] = arena_printf(d->arena, "--%s", event_kind_text(event));
	if (names_a_role(event)) {
		argv[n++] = "--nodegroup";
		argv[n++] = "1";
		argv[n++] = "--role";
		argv[n++] = receiver->id;
		argv[n++] = "--fqdns";
		argv[n++] = fqdn_list(d, receiver);
	}
	*ret_argc = n;
	return argv;
}

size_t event_args_size(const struct draft *d, const struct app_role *app_role, const struct role_status *role)
{
	if (!app_role->handler || !app_role->handler->exec)
		return 0;
	size_t argc, size = 0;
	const char *const *argv = event_argv(d, app_role, role, EVENT_KIND_CLUSTER_UPGRADED, &argc);
	for (size_t i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	return size;
}
