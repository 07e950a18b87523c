/* The commands as words: their names, operands and help. What they do is in cli.c and the files it names. */
#pragma once

#include <stddef.h>

enum command {
	COMMAND_GET,
	COMMAND_QUEUE,
	COMMAND_RETRY,
	COMMAND_SKIP,
	COMMAND_GIVE_UP,
	COMMAND_PAUSE,
	COMMAND_RESUME,
	COMMAND_ROLLBACK,
	COMMAND_RUN,
	COMMAND_VERSION,
	COMMAND_COMPLETION,
	COMMAND_HELP,
	COMMANDS,
};

/* What a command ends with; help and README say so too. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,    /* no connection, no kubeconfig, an error of the server */
	EXIT_USAGE = 2,     /* the command line is wrong; nothing was sent */
	EXIT_NOT_FOUND = 3, /* no such Cluster, member or notification */
	EXIT_REFUSED = 4,   /* by a rule of ours, or by the API server */
	EXIT_TIMEOUT = 5,   /* no answer in time, or --wait ran out */
};

/* In help texts "@" stands for the program: "rolecall", or "kubectl rolecall". */
struct command_words {
	const char *name;
	const char *operands; /* as in the usage line */
	size_t min, max;      /* how many */
	const char *summary;  /* one line */
	const char *help;     /* what it does */
	const char *examples;
};

extern const struct command_words command_words[COMMANDS];

/* The command called WORD, or COMMANDS. */
enum command command_find(const char *word);
