#include "cli.h"

#include "terminal.h"
#include "text.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_say(const struct cli *cli, const char *fmt, ...)
{
	cleanup_arena struct arena memory = { 0 };
	char *line = NULL;
	va_list args;

	va_start(args, fmt);
	int len = vasprintf(&line, fmt, args);
	va_end(args);
	if (len >= 0)
		fprintf(stderr, "%s: %s\n", cli->o->program, text_clean(&memory, line));
	free(line);
}

enum exit_code cli_usage(const struct options *o, const struct err *err)
{
	const char *command = o->command == COMMAND_HELP ? "" : command_words[o->command].name;

	fprintf(stderr, "%s: %s\nSee: %s%s%s --help\n", o->program, err->msg, o->program, *command ? " " : "", command);
	return EXIT_USAGE;
}

/* Only what a server answered is "not found" or "refused": a kubeconfig that is not there has failed. */
enum exit_code cli_exit(const struct err *err)
{
	switch (err->kind) {
	case ERR_NONE:
		return EXIT_OK;
	case ERR_TIMEOUT:
		return EXIT_TIMEOUT;
	case ERR_NOT_FOUND:
		return err->http ? EXIT_NOT_FOUND : EXIT_FAILED;
	case ERR_CONFLICT:
	case ERR_INVALID:
	case ERR_FORBIDDEN:
		return err->http ? EXIT_REFUSED : EXIT_FAILED;
	case ERR_GONE:
	case ERR_BUSY:
	case ERR_UNAVAILABLE:
	case ERR_PROTOCOL:
	case ERR_LIMIT:
		break;
	}
	return EXIT_FAILED;
}

static enum exit_code (*const runs[COMMANDS])(struct cli *cli, struct err *err) = {
	[COMMAND_GET] = get_run,
	[COMMAND_QUEUE] = queue_run,
	[COMMAND_RETRY] = act_run,
	[COMMAND_SKIP] = act_run,
	[COMMAND_GIVE_UP] = act_run,
	[COMMAND_PAUSE] = act_run,
	[COMMAND_RESUME] = act_run,
	[COMMAND_ROLLBACK] = act_run,
	[COMMAND_VERSION] = version_run,
	[COMMAND_COMPLETION] = completion_run,
};

static enum exit_code run(struct cli *cli)
{
	/* These open the session themselves, or can do without. */
	bool opens = cli->o->command == COMMAND_COMPLETION || cli->o->command == COMMAND_VERSION;
	struct err err = { 0 };
	enum exit_code code;

	if (cli->o->help) {
		options_help(cli->o, &cli->out);
		return EXIT_OK;
	}
	if (!opens && session_open(&cli->session, cli->o, &err) < 0)
		code = EXIT_FAILED;
	else
		code = runs[cli->o->command](cli, &err);
	if (err.kind != ERR_NONE)
		cli_say(cli, "%s", err.msg);
	return code;
}

static enum exit_code flush(struct cli *cli, enum exit_code code)
{
	if (terminal_write(&cli->out) != WRITTEN_FAILED)
		return code;
	cli_say(cli, "cannot write the output: %s", strerror(errno));
	return code == EXIT_OK ? EXIT_FAILED : code;
}

enum exit_code cli_run(const struct options *o)
{
	struct cli cli = { .o = o, .style = terminal_style() };

	cli.style.wide = o->output == OUTPUT_WIDE;
	/* A reader that goes away, be it the server or a pager, is an answer of write(), not the end of the process. */
	signal(SIGPIPE, SIG_IGN);
	log_set_level(LOG_WARN);
	enum exit_code code = flush(&cli, run(&cli));
	session_close(&cli.session);
	strbuf_release(&cli.out);
	arena_release(&cli.arena);
	return code;
}
