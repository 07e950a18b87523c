/*
 * The command line, taken apart. One table holds the options, and which commands take them.
 *
 * In kubectl's manner: options may stand anywhere, also before the command; "--name=value" and "--name value",
 * "-nvalue", "-n value" and "-n=value"; after "--" everything is an operand. getopt_long() is not used: it takes "--na"
 * for "--namespace", keeps its state in globals, and cannot say which option was meant.
 */
#pragma once

#include "commands.h"
#include "controller/log.h"
#include "crd/base/err.h"
#include "crd/base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define OPERANDS_MAX 3
#define REQUEST_TIMEOUT_MS 30000
#define WAIT_TIMEOUT_MS 60000

enum output { OUTPUT_TABLE, OUTPUT_WIDE, OUTPUT_JSON, OUTPUT_YAML, OUTPUT_NAME };

struct options {
	const char *program;   /* "rolecall", or "kubectl rolecall" when it was started as a plugin */
	enum command command;
	bool help;             /* print the help of the command instead */
	/* What stands behind the command. Of a Cluster only the name: "cluster/shop" has become "shop". */
	const char *operands[OPERANDS_MAX];
	size_t operand_count;
	const char *kubeconfig; /* these borrow from argv; NULL: not given */
	const char *context;
	const char *namespace;
	bool all_namespaces, watch, wait, upgrade, client_only, show_version;
	enum output output;
	enum log_level log_level;
	int64_t request_timeout_ms, wait_timeout_ms;
};

/*
 * Returns 0, or -1 with what is wrong and what would be right in ERR; RET->program is set in any case, and RET->command
 * when it was understood (else it is COMMAND_HELP).
 */
int options_parse(int argc, char **argv, struct options *ret, struct err *err);

/* Appends the help of the command, or of all of them. */
void options_help(const struct options *o, struct strbuf *out);
