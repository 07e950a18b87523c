#include "options.h"

#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#define LINE "  %-22s %s\n"

static const struct {
	const char *name, *what;
} commands[] = {
	{ "run", "be the operator: look after the Clusters and Apps of a Kubernetes cluster" },
	{ "version", "print the version" },
	{ "help", "print this; \"rolecall run --help\" has the options of run" },
};

/* Options of "run"; the letter is what getopt_long gives back. */
static const struct {
	const char *name, *argument;
	int letter;
	const char *what;
} run_options[] = {
	{ "kubeconfig", "FILE", 'k', "how to reach the API server; else $KUBECONFIG, the pod's service account,\n"
	                             "                         or ~/.kube/config, the first that there is" },
	{ "context", "NAME", 'c', "use this context of the kubeconfig, not its current-context" },
	{ "namespace", "NAME", 'n', "look after this namespace only; else after all of them" },
	{ "log-level", "LEVEL", 'l', "error, warn, info (default) or debug" },
	{ "help", NULL, 'h', "print this" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))
#define RUN_OPTIONS (sizeof(run_options) / sizeof(run_options[0]))

void options_print_help(FILE *out)
{
	fprintf(out, "rolecall runs role-based stateful applications on Kubernetes.\n\n"
	             "usage: rolecall COMMAND [OPTIONS]\n\ncommands:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, LINE, commands[i].name, commands[i].what);
	fprintf(out, "\nexit codes: 0 it went well, 1 it failed, 2 the command line is wrong\n");
}

void options_print_run_help(FILE *out)
{
	fprintf(out, "usage: rolecall run [OPTIONS]\n\n"
	             "Looks after the Clusters and Apps (rolecall.dev) of a Kubernetes cluster until it is stopped. The\n"
	             "kinds must be installed before: kubectl apply --server-side -k crd\n\noptions:\n");
	for (size_t i = 0; i < RUN_OPTIONS; i++) {
		char left[64];
		snprintf(left, sizeof(left), "--%s%s%s", run_options[i].name, run_options[i].argument ? " " : "",
		         run_options[i].argument ? run_options[i].argument : "");
		fprintf(out, LINE, left, run_options[i].what);
	}
	fprintf(out, "\nenvironment:\n" LINE LINE LINE, "KUBECONFIG", "kubeconfig files, separated by \":\", merged as kubectl does",
	        "KUBERNETES_SERVICE_*", "set by Kubernetes in a pod: where the API server is", "HTTPS_PROXY, NO_PROXY",
	        "proxy for the API server, unless the kubeconfig names one");
	fprintf(out, "\nsignals:\n" LINE LINE, "SIGTERM, SIGINT", "finish the writes under way and end; twice: end at once",
	        "SIGUSR1", "write statistics to the log");
	fprintf(out, "\nThe log goes to standard error, one JSON object a line.\n"
	             "exit codes: 0 stopped by a signal with every write finished, 1 failed, 2 the command line is wrong\n");
}

static int parse_command(const char *word, enum command *ret, struct err *err)
{
	static const struct {
		const char *word;
		enum command command;
	} words[] = {
		{ "run", COMMAND_RUN },       { "version", COMMAND_VERSION }, { "--version", COMMAND_VERSION },
		{ "help", COMMAND_HELP },     { "--help", COMMAND_HELP },     { "-h", COMMAND_HELP },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0) {
			*ret = words[i].command;
			return 0;
		}
	return err_set(err, ERR_INVALID, "there is no command \"%s\"; see rolecall --help", word);
}

static int take_option(int letter, const char *value, struct options *o, struct err *err)
{
	switch (letter) {
	case 'k':
		o->kubeconfig = value;
		break;
	case 'c':
		o->context = value;
		break;
	case 'n':
		o->namespace = value;
		break;
	case 'h':
		o->command = COMMAND_RUN_HELP;
		break;
	case 'l':
		if (log_level_parse(value, &o->log_level) < 0)
			return err_set(err, ERR_INVALID, "--log-level is error, warn, info or debug, not \"%s\"", value);
		break;
	default:
		break;
	}
	if (value && *value == '\0')
		return err_set(err, ERR_INVALID, "an option was given an empty value; leave the option out instead");
	return 0;
}

static int parse_run(int argc, char **argv, struct options *o, struct err *err)
{
	struct option table[RUN_OPTIONS + 1] = { 0 };
	int letter;

	for (size_t i = 0; i < RUN_OPTIONS; i++)
		table[i] = (struct option){
			.name = run_options[i].name,
			.has_arg = run_options[i].argument ? required_argument : no_argument,
			.val = run_options[i].letter,
		};
	/* 0 and not 1: getopt then forgets what it was given before. */
	optind = 0;
	while ((letter = getopt_long(argc, argv, "+:h", table, NULL)) != -1) {
		if (letter == ':')
			return err_set(err, ERR_INVALID, "%s needs a value; see rolecall run --help", argv[optind - 1]);
		if (letter == '?')
			return err_set(err, ERR_INVALID, "run has no option \"%s\"; see rolecall run --help",
			               argv[optind - 1]);
		if (take_option(letter, optarg, o, err) < 0)
			return -1;
	}
	if (optind < argc)
		return err_set(err, ERR_INVALID, "run takes options only, not \"%s\"; see rolecall run --help",
		               argv[optind]);
	return 0;
}

int options_parse(int argc, char **argv, struct options *ret, struct err *err)
{
	struct options o = { .log_level = LOG_INFO };

	if (argc < 2)
		return err_set(err, ERR_INVALID, "no command; see rolecall --help");
	if (parse_command(argv[1], &o.command, err) < 0)
		return -1;
	if (o.command == COMMAND_RUN && parse_run(argc - 1, argv + 1, &o, err) < 0)
		return -1;
	*ret = o;
	return 0;
}
