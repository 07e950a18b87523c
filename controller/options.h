/* The command line of the operator. One table holds the options and their help. */
#pragma once

#include "crd/base/err.h"
#include "log.h"

#include <stdio.h>

/* Exit codes; the help text says so too. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum command { COMMAND_HELP, COMMAND_VERSION, COMMAND_RUN, COMMAND_RUN_HELP };

struct options {
	enum command command;
	const char *kubeconfig; /* these borrow from argv; NULL: not given */
	const char *context;
	const char *namespace;
	enum log_level log_level;
};

/* Returns 0, or -1 with what is wrong and what would be right in ERR. */
int options_parse(int argc, char **argv, struct options *ret, struct err *err);

void options_print_help(FILE *out);
void options_print_run_help(FILE *out);
