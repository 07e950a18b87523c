#include "option_rows.h"

#define ANY (OPTION_OF(COMMANDS) - 1)
#define ACTS (OPTION_OF(COMMAND_RETRY) | OPTION_OF(COMMAND_SKIP) | OPTION_OF(COMMAND_GIVE_UP))
#define TURNS (OPTION_OF(COMMAND_PAUSE) | OPTION_OF(COMMAND_RESUME))
#define SHOWS (OPTION_OF(COMMAND_GET) | OPTION_OF(COMMAND_QUEUE))
#define CONNECTS (OPTIONS_ASK | OPTION_OF(COMMAND_VERSION) | OPTION_OF(COMMAND_RUN))
#define FIELD(f) offsetof(struct options, f)

const struct option_row option_rows[OPTION_ROWS] = {
	{ "namespace", 'n', "NAME", VALUE_TEXT, FIELD(namespace), OPTIONS_ASK | OPTION_OF(COMMAND_RUN),
	  "else that of the context, else \"default\" (run: all)" },
	{ "all-namespaces", 'A', NULL, VALUE_NONE, FIELD(all_namespaces), SHOWS, "look in every namespace" },
	{ "output", 'o', "FORMAT", VALUE_OUTPUT, FIELD(output), SHOWS | OPTION_OF(COMMAND_VERSION),
	  "table, wide, json, yaml or name" },
	{ "watch", 'w', NULL, VALUE_NONE, FIELD(watch), OPTION_OF(COMMAND_GET), "show it again after each change" },
	{ "wait", 0, NULL, VALUE_NONE, FIELD(wait), ACTS, "end when the operator has acted" },
	{ "timeout", 0, "TIME", VALUE_DURATION, FIELD(wait_timeout_ms), ACTS,
	  "how long --wait waits: 60s (default), 2m" },
	{ "upgrade", 0, NULL, VALUE_NONE, FIELD(upgrade), TURNS, "only the replacement of members" },
	{ "client", 0, NULL, VALUE_NONE, FIELD(client_only), OPTION_OF(COMMAND_VERSION), "ask no server" },
	{ "log-level", 0, "LEVEL", VALUE_LEVEL, FIELD(log_level), OPTION_OF(COMMAND_RUN),
	  "error, warn, info (default) or debug" },
	{ "context", 0, "NAME", VALUE_TEXT, FIELD(context), CONNECTS, "use this context of the kubeconfig" },
	{ "kubeconfig", 0, "FILE", VALUE_TEXT, FIELD(kubeconfig), CONNECTS,
	  "else $KUBECONFIG, the pod's service account, or\n"
	  "                             ~/.kube/config: the first that there is" },
	{ "request-timeout", 0, "TIME", VALUE_DURATION, FIELD(request_timeout_ms),
	  OPTIONS_ASK | OPTION_OF(COMMAND_VERSION), "how long the server may take: 30s (default), 2m" },
	{ "help", 'h', NULL, VALUE_NONE, FIELD(help), ANY, "print the help of the command" },
	{ "version", 0, NULL, VALUE_NONE, FIELD(show_version), OPTION_OF(COMMAND_VERSION), "as the command version" },
};
