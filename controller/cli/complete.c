#include "complete.h"

#include "clusters.h"
#include "option_rows.h"
#include "terminal.h"

#include <signal.h>
#include <string.h>

struct completion {
	struct cli cli;
	struct options o;
	const char *typed; /* what stands at the cursor so far */
};

static void offer(struct completion *c, const char *candidate)
{
	if (strncmp(candidate, c->typed, strlen(c->typed)) == 0)
		strbuf_addf(&c->cli.out, "%s\n", candidate);
}

static void offer_all(struct completion *c, const char *const *candidates)
{
	for (; *candidates; candidates++)
		offer(c, *candidates);
}

static void offer_commands(struct completion *c)
{
	for (enum command i = 0; i < COMMANDS; i++)
		offer(c, command_words[i].name);
}

static void offer_options(struct completion *c)
{
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (c->o.command == COMMAND_HELP || option_rows[i].commands & OPTION_OF(c->o.command))
			offer(c, arena_printf(&c->cli.arena, "--%s", option_rows[i].name));
}

/* The option that WORD is, if its value is what comes next. */
static const struct option_row *option_before(const char *word)
{
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *row = &option_rows[i];
		bool is_letter = row->letter && word[0] == '-' && word[1] == row->letter && word[2] == '\0';
		bool is_name = strncmp(word, "--", 2) == 0 && strcmp(word + 2, row->name) == 0;
		if ((is_letter || is_name) && row->value != VALUE_NONE)
			return row;
	}
	return NULL;
}

static void offer_values(struct completion *c, const struct option_row *row)
{
	static const char *const formats[] = { "table", "wide", "json", "yaml", "name", NULL };
	static const char *const levels[] = { "error", "warn", "info", "debug", NULL };

	if (row->value == VALUE_OUTPUT)
		offer_all(c, formats);
	else if (row->value == VALUE_LEVEL)
		offer_all(c, levels);
}

static void offer_clusters(struct completion *c, const struct clusters *found)
{
	for (size_t i = 0; i < found->count; i++)
		offer(c, found->items[i].metadata->name);
}

static void offer_members(struct completion *c, const struct cluster *cluster)
{
	const struct cluster_status *st = cluster->status;

	for (size_t r = 0; st && r < st->roles_count; r++)
		for (size_t m = 0; m < st->roles[r].members_count; m++)
			offer(c, st->roles[r].members[m].pod);
}

static void offer_ids(struct completion *c, const struct cluster *cluster)
{
	const struct cluster_status *st = cluster->status;

	for (size_t r = 0; st && r < st->roles_count; r++)
		for (size_t m = 0; m < st->roles[r].members_count; m++) {
			const struct member *member = &st->roles[r].members[m];
			if (strcmp(member->pod, c->o.operands[1]) != 0)
				continue;
			for (size_t i = 0; i < member->state_detail->pending_notify_cmds_count; i++)
				offer(c, arena_printf(&c->cli.arena, "%lld",
				                      (long long)member->state_detail->pending_notify_cmds[i].id));
		}
}

static void offer_names(struct completion *c)
{
	cleanup_clusters struct clusters found = { 0 };
	size_t at = c->o.operand_count;
	struct err err;

	if (at >= command_words[c->o.command].max || session_open(&c->cli.session, &c->o, &err) < 0)
		return;
	if (clusters_read(&c->cli, at ? c->o.operands[0] : NULL, &found, &err) < 0)
		return;
	if (at == 0)
		offer_clusters(c, &found);
	else if (found.count == 1 && at == 1)
		offer_members(c, found.items);
	else if (found.count == 1)
		offer_ids(c, found.items);
}

static void offer_operands(struct completion *c)
{
	static const char *const shells[] = { "bash", "zsh", "fish", NULL };

	if (c->o.command == COMMAND_HELP)
		offer_commands(c);
	else if (c->o.command == COMMAND_COMPLETION)
		offer_all(c, shells);
	else if (OPTIONS_ASK & OPTION_OF(c->o.command))
		offer_names(c);
}

static bool is_asked_by_kubectl(char **argv)
{
	const char *slash = argv[0] ? strrchr(argv[0], '/') : NULL;

	return argv[0] && strcmp(slash ? slash + 1 : argv[0], "kubectl_complete-rolecall") == 0;
}

bool complete_is_meant(int argc, char **argv)
{
	return is_asked_by_kubectl(argv) || (argc > 1 && strcmp(argv[1], COMPLETE_WORD) == 0);
}

enum exit_code complete_run(int argc, char **argv)
{
	bool kubectl = is_asked_by_kubectl(argv);

	if (!kubectl) {
		argc--;
		argv++;
	}
	struct completion c = { .typed = argc > 1 ? argv[argc - 1] : "" };
	const struct option_row *before = argc > 2 ? option_before(argv[argc - 2]) : NULL;
	struct err err;

	signal(SIGPIPE, SIG_IGN);
	log_set_level(LOG_ERROR);
	c.cli.o = &c.o;
	/* A line that is not complete yet is wrong in some way; what was understood of it is enough. */
	(void)options_parse(argc > 1 ? argc - 1 : argc, argv, &c.o, &err);
	c.o.request_timeout_ms = COMPLETE_TIMEOUT_MS;
	if (before)
		offer_values(&c, before);
	else if (c.typed[0] == '-')
		offer_options(&c);
	else
		offer_operands(&c);
	if (kubectl)
		strbuf_adds(&c.cli.out, ":4\n"); /* cobra's ShellCompDirectiveNoFileComp */
	(void)terminal_write(&c.cli.out);
	session_close(&c.cli.session);
	strbuf_release(&c.cli.out);
	arena_release(&c.cli.arena);
	return EXIT_OK;
}
