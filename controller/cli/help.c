#include "option_rows.h"

#include <stdio.h>
#include <string.h>

#define LINE "  %-26s %s\n"

/* "@" stands for the program. */
static void put(struct strbuf *out, const struct options *o, const char *text)
{
	for (; *text; text++) {
		if (*text == '@')
			strbuf_adds(out, o->program);
		else
			strbuf_addc(out, *text);
	}
}

static void put_options(struct strbuf *out, enum command command)
{
	strbuf_adds(out, "\noptions:\n");
	for (size_t i = 0; i < OPTION_ROWS; i++) {
		const struct option_row *row = &option_rows[i];
		char letter[] = { '-', row->letter, ',', ' ', '\0' }, left[64];
		if (!(row->commands & OPTION_OF(command)))
			continue;
		snprintf(left, sizeof(left), "%s--%s%s%s", row->letter ? letter : "    ", row->name,
		         row->argument ? " " : "", row->argument ? row->argument : "");
		strbuf_addf(out, LINE, left, row->what);
	}
}

static void put_environment(struct strbuf *out)
{
	strbuf_adds(out, "\nenvironment:\n");
	strbuf_addf(out, LINE, "KUBECONFIG", "kubeconfig files, parted by \":\" and merged");
	strbuf_addf(out, LINE, "KUBERNETES_SERVICE_*", "set in a pod: where the API server is");
	strbuf_addf(out, LINE, "HTTPS_PROXY, NO_PROXY", "proxy, unless the kubeconfig names one");
	strbuf_addf(out, LINE, "NO_COLOR", "anything: no colours on a terminal");
	strbuf_addf(out, LINE, "COLUMNS", "width of the output; else that of the terminal");
}

static void put_exit_codes(struct strbuf *out)
{
	static const struct {
		enum exit_code code;
		const char *what;
	} codes[] = {
		{ EXIT_OK, "done" },
		{ EXIT_FAILED, "failed: no connection, no kubeconfig, an error of the server" },
		{ EXIT_USAGE, "the command line is wrong; nothing was sent" },
		{ EXIT_NOT_FOUND, "there is no such Cluster, member or notification" },
		{ EXIT_REFUSED, "refused, by a rule of rolecall or by the API server" },
		{ EXIT_TIMEOUT, "no answer in time, or --wait ran out" },
	};

	strbuf_adds(out, "\nexit codes:\n");
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		strbuf_addf(out, "  %d  %s\n", (int)codes[i].code, codes[i].what);
}

static void put_command(struct strbuf *out, const struct options *o)
{
	const struct command_words *c = &command_words[o->command];

	strbuf_addf(out, "usage: %s %s%s%s [OPTIONS]\n\n", o->program, c->name, *c->operands ? " " : "", c->operands);
	put(out, o, c->help);
	strbuf_adds(out, "\nexamples:\n");
	put(out, o, c->examples);
	put_options(out, o->command);
}

static void put_all(struct strbuf *out, const struct options *o)
{
	strbuf_addf(out,
	            "rolecall runs role-based stateful applications on Kubernetes.\n\n"
	            "usage: %s COMMAND [OPTIONS]\n\ncommands:\n",
	            o->program);
	for (size_t i = 0; i < COMMANDS; i++)
		strbuf_addf(out, LINE, command_words[i].name, command_words[i].summary);
	put(out, o, "\n\"@ COMMAND --help\" explains a command, with examples.\n");
	put_environment(out);
	put_exit_codes(out);
}

void options_help(const struct options *o, struct strbuf *out)
{
	if (o->command == COMMAND_HELP)
		put_all(out, o);
	else
		put_command(out, o);
}
