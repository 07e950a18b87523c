#include "controller/exec/launcher.h"

#include "build/gen/launcher_text.h"
#include "controller/exec/detail.h"
#include "controller/world.h"
#include "crd/base/arena.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* "/bin/sh -c TEXT rolecall KEY MODE SETUP TIMEOUT_S GENERATION LENGTH POD" */
#define FIXED_ARGS 11

#define ANSWER_PREFIX "rolecall/1 "
#define EXIT_CODE_MAX 255

struct span {
	const char *data;
	size_t len;
};

/* The words that end an answer; "again", "config" and "aside" come before. "no-state" is a reason for knowing nothing. */
static const struct {
	const char *word;
	enum answer answer;
} finals[] = {
	{"done", ANSWER_DONE},
	{"running", ANSWER_RUNNING},
	{"timeout", ANSWER_TIMEOUT},
	{"no-setup", ANSWER_NO_SETUP},
	{"setup", ANSWER_SETUP},
	{"no-config", ANSWER_NO_CONFIG},
	{"no-state", ANSWER_UNKNOWN},
	{"other-pod", ANSWER_REFUSED},
};

const char *launcher_key(const char *cluster_uid, const struct exec_call *call, struct arena *a)
{
	if (call->id == 0)
		return arena_printf(a, "%s.0.0", cluster_uid);
	return arena_printf(a, "%s.%" PRId64 ".%" PRId64, cluster_uid, call->id, call->attempt);
}

static const char *mode_of(const struct exec_call *call)
{
	if (call->id == 0)
		return "check";
	return call->is_configure ? "configure" : "run";
}

const char *const *launcher_argv(const char *cluster_uid, const struct exec_call *call, struct arena *a,
				 size_t *ret_argc)
{
	const char *fixed[FIXED_ARGS] = {
		"/bin/sh", "-c", launcher_text, "rolecall",
		launcher_key(cluster_uid, call, a),
		mode_of(call),
		call->setup ? call->setup : "-",
		arena_printf(a, "%" PRId64, call->timeout_s),
		arena_printf(a, "%" PRId64, call->generation),
		arena_printf(a, "%zu", call->config ? strlen(call->config) + strlen(call->config_own) : 0),
		call->pod_uid ? call->pod_uid : "-",
	};
	/* A check runs nothing, whatever the call carries. */
	size_t own = call->id == 0 ? 0 : call->argc;
	const char **argv = arena_array(a, FIXED_ARGS + own + 1, sizeof(*argv));

	assert(call->id == 0 || own > 0);
	memcpy(argv, fixed, sizeof(fixed));
	if (own > 0)
		memcpy(argv + FIXED_ARGS, call->argv, own * sizeof(*argv));
	*ret_argc = FIXED_ARGS + own;
	return argv;
}

/* Cuts the next whole line off REST. A line without its end may be half a line: there is none. */
static bool next_line(struct span *rest, struct span *ret_line)
{
	const char *end = rest->len > 0 ? memchr(rest->data, '\n', rest->len) : NULL;

	if (!end)
		return false;
	*ret_line = (struct span){rest->data, (size_t)(end - rest->data)};
	rest->data = end + 1;
	rest->len -= ret_line->len + 1;
	return true;
}

static bool skip(struct span *s, const char *text)
{
	size_t len = strlen(text);

	if (s->len < len || memcmp(s->data, text, len) != 0)
		return false;
	s->data += len;
	s->len -= len;
	return true;
}

/* All of S is an exit code. */
static bool parse_code(struct span s, int *ret_code)
{
	int code = 0;

	if (s.len == 0 || s.len > 3)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
		code = code * 10 + (s.data[i] - '0');
	}
	if (code > EXIT_CODE_MAX)
		return false;
	*ret_code = code;
	return true;
}

/* LINE is "rolecall/1 KEY WORD CODE". */
static bool is_answer(struct span line, const char *key, const char *word, int *ret_code)
{
	return skip(&line, ANSWER_PREFIX) && skip(&line, key) && skip(&line, " ") && skip(&line, word) &&
	       skip(&line, " ") && parse_code(line, ret_code);
}

/* Reads LINE if it is a final answer for KEY. */
static bool read_final(struct span line, const char *key, struct exec_report *report)
{
	int code;

	for (size_t i = 0; i < sizeof(finals) / sizeof(*finals); i++) {
		if (!is_answer(line, key, finals[i].word, &code))
			continue;
		report->answer = finals[i].answer;
		report->exit_code = finals[i].answer == ANSWER_DONE ? code : 0;
		return true;
	}
	return false;
}

/* Reads LINE if it is "rolecall/1 KEY config GENERATION" or "... aside GENERATION WHY". */
static bool read_config(struct span line, const char *key, struct exec_report *report, struct arena *a)
{
	int64_t generation = 0;

	if (!skip(&line, ANSWER_PREFIX) || !skip(&line, key))
		return false;
	bool aside = skip(&line, " aside ");
	if (!aside && !skip(&line, " config "))
		return false;
	for (; line.len > 0 && *line.data >= '0' && *line.data <= '9'; line.data++, line.len--) {
		if (generation > (INT64_MAX - 9) / 10)
			return false;
		generation = generation * 10 + (*line.data - '0');
	}
	if (line.len > 0 && *line.data != ' ')
		return false;
	report->config = generation;
	report->config_aside = aside;
	report->config_why = detail_head(line.data, line.len, LAUNCHER_DETAIL_MAX, a);
	return true;
}

/* Reads REST up to the final answer, and leaves in it what comes after. */
static bool find_final(struct span *rest, const char *key, struct exec_report *report, struct arena *a)
{
	struct span line;
	int code;

	while (next_line(rest, &line)) {
		if (is_answer(line, key, "again", &code))
			report->ran_again = true;
		else if (!read_config(line, key, report, a) && read_final(line, key, report))
			return true;
	}
	return false;
}

/* Why nothing is known although the call ended: what was printed instead of an answer says most. */
static const char *no_answer(const struct exec_result *r, struct arena *a)
{
	const char *tail;

	if (r->end != EXEC_EXITED)
		return detail_head(r->message, r->message ? strlen(r->message) : 0, LAUNCHER_DETAIL_MAX, a);
	tail = detail_tail(r->output, r->len, LAUNCHER_DETAIL_MAX, a);
	if (!tail)
		return arena_printf(a, "the exec ended with %d and gave no answer", r->exit_code);
	tail = arena_printf(a, "exec %d: %s", r->exit_code, tail);
	return detail_head(tail, strlen(tail), LAUNCHER_DETAIL_MAX, a);
}

void launcher_answer(const struct exec_result *r, const char *key, struct exec_report *report, struct arena *a)
{
	struct span rest = {r->output, r->output ? r->len : 0};

	report->answer = ANSWER_UNKNOWN;
	report->exit_code = 0;
	report->ran_again = false;
	report->config = 0;
	report->config_aside = false;
	report->config_why = NULL;
	report->detail = NULL;
	if (r->end == EXEC_REFUSED) {
		report->answer = ANSWER_REFUSED;
		report->detail = no_answer(r, a);
	} else if (find_final(&rest, key, report, a)) {
		report->detail = detail_tail(rest.data, rest.len, LAUNCHER_DETAIL_MAX, a);
	} else {
		report->detail = no_answer(r, a);
	}
}
