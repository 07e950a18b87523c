#include "cli.h"

#include <string.h>

/* The scripts hold no words of their own, so they never age: they ask "rolecall __complete WORD..." (complete.h). */
static const struct {
	const char *shell, *script;
} scripts[] = {
	{ "bash", "# bash completion for rolecall\n"
	          "_rolecall()\n"
	          "{\n"
	          "\tlocal IFS=$'\\n'\n"
	          "\tCOMPREPLY=($(rolecall __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null))\n"
	          "}\n"
	          "complete -F _rolecall rolecall\n" },
	{ "zsh", "#compdef rolecall\n"
	         "# zsh completion for rolecall\n"
	         "_rolecall()\n"
	         "{\n"
	         "\tlocal -a candidates\n"
	         "\tcandidates=(\"${(@f)$(rolecall __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
	         "\tcompadd -a candidates\n"
	         "}\n"
	         "if [ \"$funcstack[1]\" = _rolecall ]; then _rolecall; else compdef _rolecall rolecall; fi\n" },
	{ "fish", "# fish completion for rolecall\n"
	          "function __rolecall_complete\n"
	          "\tset -l words (commandline -opc)\n"
	          "\tset -l current (commandline -ct)\n"
	          "\trolecall __complete $words[2..-1] \"$current\" 2>/dev/null\n"
	          "end\n"
	          "complete -c rolecall -f -a '(__rolecall_complete)'\n" },
};
#define SCRIPTS (sizeof(scripts) / sizeof(scripts[0]))

enum exit_code completion_run(struct cli *cli, struct err *err)
{
	const char *shell = cli->o->operands[0];

	for (size_t i = 0; i < SCRIPTS; i++)
		if (strcmp(shell, scripts[i].shell) == 0) {
			strbuf_adds(&cli->out, scripts[i].script);
			return EXIT_OK;
		}
	err_set(err, ERR_INVALID, "completion is for bash, zsh or fish, not for \"%s\"", shell);
	return EXIT_USAGE;
}
