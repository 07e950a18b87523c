/* The table of options: what the parser and the help are made from. */
#pragma once

#include "options.h"

#include <stddef.h>

enum option_value { VALUE_NONE, VALUE_TEXT, VALUE_OUTPUT, VALUE_LEVEL, VALUE_DURATION };

#define OPTION_ROWS 14
/* A set of commands is a bit for each. */
#define OPTION_OF(command) (1u << (command))
/* The commands about Clusters. */
#define OPTIONS_ASK                                                                                                    \
	(OPTION_OF(COMMAND_GET) | OPTION_OF(COMMAND_QUEUE) | OPTION_OF(COMMAND_RETRY) | OPTION_OF(COMMAND_SKIP) |      \
	 OPTION_OF(COMMAND_GIVE_UP) | OPTION_OF(COMMAND_PAUSE) | OPTION_OF(COMMAND_RESUME) |                           \
	 OPTION_OF(COMMAND_ROLLBACK))

struct option_row {
	const char *name;
	char letter;          /* 0: only the long form */
	const char *argument; /* what stands for the value in the help; NULL without a value */
	enum option_value value;
	size_t offset;        /* of the field in struct options; a bool for an option without a value */
	unsigned commands;    /* that take it */
	const char *what;
};

extern const struct option_row option_rows[OPTION_ROWS];
