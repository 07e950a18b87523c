#include "tests/cases/case.h"

#include <string.h>

static enum answer answer_parse(const char *word)
{
	static const char *const words[] = { "none", "done", "running", "timeout", "no-setup", "setup",
	                                     "no-config", "refused", "unknown" };
	for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i], word) == 0)
			return (enum answer)i;
	return ANSWER_NONE;
}

/* "" is no reason. */
static const char *said_why(const cJSON *said)
{
	const char *why = json_str(said, "aside");
	return why && *why ? why : NULL;
}

struct exec_report case_said(const cJSON *said, const char *pod, const char *container, const struct snapshot *s)
{
	int64_t now = s->now, g = s->cluster->status->spec_generation_to_process;
	enum answer answer = answer_parse(json_str(said, "answer"));
	bool holds = answer == ANSWER_DONE || answer == ANSWER_RUNNING || answer == ANSWER_TIMEOUT || answer == ANSWER_SETUP;
	return (struct exec_report){
		.pod = pod,
		.container = json_str(said, "container") ? json_str(said, "container") : container,
		.id = json_int(said, "id", 0),
		.attempt = json_int(said, "attempt", json_int(said, "id", 0) ? 1 : 0),
		.flying = json_bool(said, "flying"),
		.answer = answer,
		.config = json_int(said, "config", holds ? g : 0),
		.config_aside = json_get(said, "aside") != NULL,
		.config_why = said_why(said),
		.exit_code = (int)json_int(said, "code", 0),
		.ran_again = json_bool(said, "again"),
		.detail = json_str(said, "detail"),
		.ended_at = now - 1000 * json_int(said, "ago", 0),
		.may_have_run = answer != ANSWER_REFUSED,
		.tries = (int)json_int(said, "tries", 0),
	};
}
