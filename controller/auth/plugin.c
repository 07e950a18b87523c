#include "plugin.h"

#include "controller/clock.h"
#include "crd/base/arena.h"
#include "pem.h"
#include "redact.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of a complaint or hint in a message, which has room for 511 characters. */
#define WORDS_MAX 240

static int64_t at_least(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

enum plugin_state plugin_state(const struct plugin *p, int64_t now_ms)
{
	bool under_way = p->runs || now_ms >= p->due_ms;

	if (p->answered && now_ms < p->expires_ms && !(p->refused && under_way))
		return PLUGIN_USABLE;
	return under_way ? PLUGIN_PENDING : PLUGIN_FAILED;
}

/* A program in the background may not read from the terminal: it would be stopped. */
static bool somebody_is_there(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void fail(struct plugin *p, int64_t now_ms)
{
	int64_t wait = PLUGIN_RETRY_MS;

	for (int i = 0; i < p->failures && wait < PLUGIN_RETRY_MAX_MS; i++)
		wait *= 2;
	p->failures++;
	p->due_ms = now_ms + (wait < PLUGIN_RETRY_MAX_MS ? wait : PLUGIN_RETRY_MAX_MS);
}

static bool is_named(const char *const *list, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;

	for (; *list; list++)
		if (strncmp(*list, entry, name) == 0)
			return true;
	return false;
}

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

/* Our own environment, with what the kubeconfig and the protocol put in place of it. */
static const char **make_env(const struct plugin_config *c, bool attended, struct arena *memory)
{
	cleanup_strbuf struct strbuf info = { 0 };
	const char *const *ours = (const char *const *)environ;
	const char **env = arena_array(memory, count(ours) + count(c->env) + 2, sizeof(*env));
	size_t n = 0;

	execcredential_write(c->api_version, c->cluster, attended, &info);
	env[n++] = arena_printf(memory, "KUBERNETES_EXEC_INFO=%s", info.data);
	for (size_t i = 0; c->env[i]; i++)
		if (!is_named(env, c->env[i]) && !is_named(c->env + i + 1, c->env[i]))
			env[n++] = c->env[i];
	for (size_t i = 0; ours[i]; i++)
		if (!is_named(env, ours[i]))
			env[n++] = ours[i];
	return env;
}

static int start(struct plugin *p, int64_t now_ms)
{
	const struct plugin_config *c = &p->config;
	bool attended = c->mode != PLUGIN_NEVER_ASKS && somebody_is_there();
	int64_t timeout_ms = attended ? PLUGIN_PERSON_TIMEOUT_MS : PLUGIN_TIMEOUT_MS;
	cleanup_arena struct arena memory = { 0 };

	if (c->mode == PLUGIN_MUST_ASK && !attended)
		return err_set(&p->err, ERR_INVALID, "%s must ask somebody (interactiveMode Always), and there is no terminal",
		               c->argv[0]);
	struct process_request request = {
		.argv = c->argv,
		.env = make_env(c, attended, &memory),
		.deadline = now_ms + (c->timeout_ms ? c->timeout_ms : timeout_ms),
		.attended = attended,
	};
	return process_start(&p->process, &request, &p->err);
}

static void add_words(struct err *err, const char *text)
{
	char words[WORDS_MAX];
	size_t len = strlen(err->msg);

	redact(text, words, sizeof(words));
	if (*words)
		snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", words);
}

/* Only the last of what it complained of, from the beginning of a word. */
static const char *end_of(const struct strbuf *complaint)
{
	const char *text = strbuf_str(complaint);

	if (complaint->len < WORDS_MAX)
		return text;
	text += complaint->len - WORDS_MAX + 1;
	return text + strcspn(text, " \n");
}

static int explain_end(struct plugin *p)
{
	const struct process *process = &p->process;
	const char *name = p->config.argv[0];

	switch (process->end) {
	case PROCESS_EXITED:
		if (process->code == 0)
			return 0;
		err_set(&p->err, ERR_UNAVAILABLE, "%s failed (exit code %d)", name, process->code);
		break;
	case PROCESS_KILLED:
		err_set(&p->err, ERR_UNAVAILABLE, "%s was killed (signal %d)", name, process->code);
		break;
	case PROCESS_TIMED_OUT:
		err_set(&p->err, ERR_UNAVAILABLE, "%s did not end in time and was killed", name);
		break;
	case PROCESS_TOO_LONG:
		return err_set(&p->err, ERR_LIMIT, "%s was killed: it answers with more than %zu bytes", name,
		               PROCESS_OUTPUT_MAX);
	case PROCESS_RUNS:
		return 0;
	}
	add_words(&p->err, end_of(&process->complaint));
	return -1;
}

/* What cannot be used shall not take the place of what can. */
static int check_answer(struct execcredential *e, struct err *err)
{
	struct material token = { .text = e->token, .source = "the token of its answer" };
	struct material cert = { .text = e->cert, .source = "the certificate of its answer" };
	struct material key = { .text = e->key, .source = "the key of its answer" };

	if (token.text.len > 0) {
		int clean = token_clean(&token, err);
		e->token = token.text;
		if (clean < 0)
			return -1;
	}
	return cert.text.len > 0 ? pem_check_pair(&cert, &key, err) : 0;
}

static int read_answer(struct plugin *p, struct execcredential *ret)
{
	cleanup_execcredential struct execcredential answer = { 0 };
	const struct process *process = &p->process;

	if (explain_end(p) < 0)
		return -1;
	if (execcredential_read(strbuf_str(&process->out), process->out.len, p->config.api_version, &answer, &p->err) < 0 ||
	    check_answer(&answer, &p->err) < 0) {
		err_wrap(&p->err, "%s", p->config.argv[0]);
		add_words(&p->err, end_of(&process->complaint));
		return -1;
	}
	*ret = answer;
	answer = (struct execcredential){ 0 };
	return 0;
}

static void plan_next(struct plugin *p, int64_t now_ms, int64_t expires_wall_ms)
{
	int64_t life = expires_wall_ms - clock_wall_ms();
	int64_t early = life / 4 < PLUGIN_EARLY_MS ? life / 4 : PLUGIN_EARLY_MS;

	p->answered = true;
	p->refused = false;
	p->failures = 0;
	p->expires_ms = p->due_ms = INT64_MAX;
	if (expires_wall_ms == 0)
		return;
	p->due_ms = now_ms + at_least(life - early, PLUGIN_REST_MS);
	p->expires_ms = now_ms + at_least(life, 2 * PLUGIN_REST_MS);
}

static int take(struct plugin *p, int64_t now_ms, struct execcredential *ret)
{
	int read = read_answer(p, ret);

	p->runs = false;
	process_release(&p->process);
	if (read < 0) {
		fail(p, now_ms);
		return -1;
	}
	plan_next(p, now_ms, ret->expires_ms);
	return 1;
}

static int begin(struct plugin *p, int64_t now_ms)
{
	if (start(p, now_ms) == 0) {
		p->runs = true;
		return 0;
	}
	if (p->err.kind == ERR_NOT_FOUND && p->config.install_hint)
		add_words(&p->err, p->config.install_hint);
	fail(p, now_ms);
	return -1;
}

int plugin_step(struct plugin *p, int64_t now_ms, struct execcredential *ret)
{
	if (!p->runs && now_ms >= p->due_ms && begin(p, now_ms) < 0)
		return -1;
	if (!p->runs || !process_step(&p->process, now_ms))
		return 0;
	return take(p, now_ms, ret);
}

void plugin_refused(struct plugin *p, int64_t now_ms)
{
	if (!p->runs && now_ms < p->refused_rest_ms)
		return;
	p->refused = true;
	p->refused_rest_ms = now_ms + PLUGIN_REFUSED_REST_MS;
	p->due_ms = now_ms;
}

size_t plugin_descriptors(const struct plugin *p, int fds[PROCESS_FDS_MAX])
{
	return p->runs ? process_descriptors(&p->process, fds) : 0;
}

int64_t plugin_deadline(const struct plugin *p)
{
	return p->runs ? p->process.deadline : p->due_ms;
}

void plugin_release(struct plugin *p)
{
	if (p->runs)
		process_release(&p->process);
	p->runs = false;
}
