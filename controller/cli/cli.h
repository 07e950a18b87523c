/*
 * The user's side of rolecall: commands that read Clusters and ask the operator for something. Nothing is ever written
 * to disk, and standard output is written once a command has all that it shows.
 */
#pragma once

#include "options.h"
#include "session.h"
#include "table.h"

struct cli {
	const struct options *o;
	struct session session; /* open, but for commands that ask no server */
	struct arena arena;     /* until the command ends */
	struct strbuf out;      /* for standard output */
	struct style style;
};

/* Does what O asks for: anything but "run" itself. Returns what the process ends with. */
enum exit_code cli_run(const struct options *o);
/* Says on standard error what is wrong with the command line, and where help is. */
enum exit_code cli_usage(const struct options *o, const struct err *err);

/* One line on standard error, as from this program. */
void cli_say(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What an error of a request or of the kubeconfig ends a command with. */
enum exit_code cli_exit(const struct err *err);

/* The commands. What goes wrong is in ERR, or was said already when ERR->kind is ERR_NONE. */
enum exit_code get_run(struct cli *cli, struct err *err);
enum exit_code queue_run(struct cli *cli, struct err *err);
/* retry, skip, give-up, pause, resume, rollback */
enum exit_code act_run(struct cli *cli, struct err *err);
enum exit_code version_run(struct cli *cli, struct err *err);
enum exit_code completion_run(struct cli *cli, struct err *err);
