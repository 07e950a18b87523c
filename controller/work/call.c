#include "controller/work/steps.h"

#include "controller/exec/launcher.h"
#include "controller/mem.h"
#include "reconcile/member/member.h"

#include <stddef.h>
#include <utlist.h>

/* The configmeta of a thousand members is the same text of hundreds of KiB: one copy for all their calls. */
struct shared_text {
	size_t calls;          /* that hold it */
	const char *origin;    /* what it is a copy of; only good while the verdict is there */
	size_t len;
	char text[];
};

/* A word of a command line. */
struct word {
	size_t users;
	char text[];
};

/* One call of the launcher: prepared, then under way until the world answers, whatever becomes of the pass. */
struct call {
	struct call *prev, *next;
	struct pass *pass;     /* NULL: nobody waits for the answer any more */
	uint64_t number;       /* 0: not sent yet */
	char *namespace, *pod, *key;
	struct exec_call what; /* only .container (owned) and the plain fields are kept */
	const char **argv;     /* the texts of .words */
	struct word **words;
	size_t argc;
	struct shared_text *config; /* with .config_own what goes to standard input; NULL: nothing */
	char *config_own;
};

/* The copy that another call of this verdict holds already, or NULL. */
static struct shared_text *find_text(const struct pass *p, const char *origin)
{
	const struct call *call;

	DL_FOREACH(p->calls, call) {
		if (call->number == 0 && call->config && call->config->origin == origin)
			return call->config;
	}
	return NULL;
}

static struct shared_text *hold_text(const struct pass *p, const char *origin)
{
	struct shared_text *t = find_text(p, origin);

	if (!t) {
		size_t len = strlen(origin);
		t = mem_new(offsetof(struct shared_text, text) + len);
		t->origin = origin;
		t->len = len;
		memcpy(t->text, origin, len);
	}
	t->calls++;
	return t;
}

static void let_text_go(struct shared_text *t)
{
	if (t && --t->calls == 0)
		free(t);
}

static void free_call(struct call *call)
{
	for (size_t i = 0; i < call->argc; i++) {
		if (--call->words[i]->users == 0)
			free(call->words[i]);
	}
	free(call->words);
	free(call->argv);
	free(call->namespace);
	free(call->pod);
	free(call->key);
	free((void *)call->what.container);
	let_text_go(call->config);
	free(call->config_own);
	free(call);
}

static struct word *new_word(const char *text)
{
	size_t size = strlen(text) + 1;
	struct word *word = mem_new(sizeof(*word) + size);

	memcpy(word->text, text, size);
	return word;
}

/*
 * What the call BEFORE says as well is shared with it: a thousand members are told the same, and what they are told names
 * all of them.
 */
static void copy_argv(struct call *call, const struct call *before, const char *const *argv, size_t argc)
{
	call->words = mem_new(argc * sizeof(*call->words));
	call->argv = mem_new((argc + 1) * sizeof(*call->argv));
	call->argc = argc;
	for (size_t i = 0; i < argc; i++) {
		bool same = before && i < before->argc && !strcmp(before->argv[i], argv[i]);

		call->words[i] = same ? before->words[i] : new_word(argv[i]);
		call->words[i]->users++;
		call->argv[i] = call->words[i]->text;
	}
}

void call_prepare(struct pass *p, const struct action *action)
{
	struct arena *arena = &p->common->arena;
	const struct exec_call *what = &action->exec;
	size_t argc;

	struct call *call = mem_new(sizeof(*call));
	const char *const *argv = launcher_argv(p->uid, what, arena, &argc);
	call->pass = p;
	call->namespace = mem_strdup(p->namespace);
	call->pod = mem_strdup(action->name);
	call->key = mem_strdup(launcher_key(p->uid, what, arena));
	call->what = (struct exec_call){
		.container = mem_strdup(what->container),
		.id = what->id,
		.attempt = what->attempt,
		.is_urgent = what->is_urgent,
	};
	copy_argv(call, p->calls ? p->calls->prev : NULL, argv, argc);
	if (what->config) {
		call->config = hold_text(p, what->config);
		call->config_own = mem_strdup(what->config_own);
	}
	DL_APPEND(p->calls, call);
}

/* Answers of other members may be on their way; but where the next member's turn waits for this one, it does not wait. */
static int64_t gather_ms(const struct pass *p, const struct call *call)
{
	return p->calls && !call->what.is_urgent ? WORK_GATHER_MS : WORK_COALESCE_MS;
}

static void on_done(void *ctx, const struct exec_result *result)
{
	struct call *call = ctx;
	struct pass *p = call->pass;

	if (p) {
		struct pass_common *c = p->common;
		struct exec_report answer = { 0 };

		arena_reset(&c->arena);
		launcher_answer(result, call->key, &answer, &c->arena);
		DL_DELETE(p->calls, call);
		if (reports_end(&p->reports, call->pod, call->number, &answer, c->world->now(c->world->self)))
			pass_after(p, gather_ms(p, call));
	}
	free_call(call);
}

static void start(struct pass *p, struct call *call)
{
	const struct world *world = p->common->world;
	struct exec_request request = {
		.namespace = call->namespace,
		.pod = call->pod,
		.container = MEMBER_CONTAINER,
		.argv = call->argv,
		.argc = call->argc,
		.timeout_ms = PASS_EXEC_TIMEOUT_MS,
		.on_done = on_done,
		.ctx = call,
	};

	if (call->config) {
		request.input[0] = (struct exec_input){ call->config->text, call->config->len };
		request.input[1] = (struct exec_input){ call->config_own, strlen(call->config_own) };
	}
	call->number = ++p->common->calls;
	reports_start(&p->reports, call->pod, &call->what, call->number);
	p->common->stats->execs++;
	world->exec(world->self, &request);
}

void call_start_all(struct pass *p)
{
	struct call *call;

	DL_FOREACH(p->calls, call) {
		if (call->number == 0 && !reports_is_flying(&p->reports, call->pod, call->what.container))
			start(p, call);
	}
	call_drop(p);
}

void call_drop(struct pass *p)
{
	struct call *call, *next;

	DL_FOREACH_SAFE(p->calls, call, next) {
		if (call->number != 0)
			continue;
		DL_DELETE(p->calls, call);
		free_call(call);
	}
}

void call_orphan(struct pass *p)
{
	struct call *call, *next;

	call_drop(p);
	DL_FOREACH_SAFE(p->calls, call, next) {
		DL_DELETE(p->calls, call);
		call->pass = NULL;
	}
}
