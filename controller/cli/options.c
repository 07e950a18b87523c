#include "options.h"

#include "nearest.h"
#include "option_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct parser {
	int argc, at;
	char **argv;
	struct options *o;
	unsigned given; /* a bit for each row */
	const char *words[1 + OPERANDS_MAX];
	size_t word_count, words_left_out;
	struct err *err;
};

static int usage(struct parser *p, const char *what, const char *word, const char *near)
{
	return err_set(p->err, ERR_INVALID, "%s \"%s\"%s%s%s", what, word, near ? ": did you mean \"" : "",
	               near ? near : "", near ? "\"?" : "");
}

static int unknown_option(struct parser *p, const char *name)
{
	const char *names[OPTION_ROWS];

	for (size_t i = 0; i < OPTION_ROWS; i++)
		names[i] = option_rows[i].name;
	const char *near = nearest(name, names, OPTION_ROWS);
	return err_set(p->err, ERR_INVALID, "there is no option --%s%s%s%s", name, near ? ": did you mean --" : "",
	               near ? near : "", near ? "?" : "");
}

static int take_output(struct parser *p, const char *text, enum output *ret)
{
	static const char *const words[] = { "table", "wide", "json", "yaml", "name" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i]) == 0) {
			*ret = (enum output)i;
			return 0;
		}
	return err_set(p->err, ERR_INVALID, "--output is table, wide, json, yaml or name, not \"%s\"", text);
}

/* As "90", "90s", "2m" or "1h". */
static int take_duration(struct parser *p, const char *name, const char *text, int64_t *ret_ms)
{
	char *end = NULL;
	long long n = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;
	long long unit_s = n < 0 ? 0 : strcmp(end, "h") == 0 ? 3600 : strcmp(end, "m") == 0 ? 60 : 1;

	if (n < 1 || n > 86400 / unit_s || (unit_s == 1 && *end && strcmp(end, "s") != 0))
		return err_set(p->err, ERR_INVALID, "--%s is a time from 1s to 24h, as 90s or 2m, not \"%s\"", name,
		               text);
	*ret_ms = n * unit_s * 1000;
	return 0;
}

static int take_value(struct parser *p, const struct option_row *row, const char *text)
{
	void *field = (char *)p->o + row->offset;

	if (*text == '\0')
		return err_set(p->err, ERR_INVALID, "--%s was given an empty value; leave the option out instead",
		               row->name);
	switch (row->value) {
	case VALUE_NONE:
		if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
			return err_set(p->err, ERR_INVALID, "--%s takes no value but true or false, not \"%s\"",
			               row->name, text);
		*(bool *)field = *text == 't';
		return 0;
	case VALUE_TEXT:
		*(const char **)field = text;
		return 0;
	case VALUE_OUTPUT:
		return take_output(p, text, field);
	case VALUE_LEVEL:
		if (log_level_parse(text, field) < 0)
			return err_set(p->err, ERR_INVALID, "--log-level is error, warn, info or debug, not \"%s\"",
			               text);
		return 0;
	case VALUE_DURATION:
		return take_duration(p, row->name, text, field);
	}
	return 0;
}

/* TEXT: what stands directly behind the option, or NULL. */
static int take_option(struct parser *p, const struct option_row *row, const char *text)
{
	p->given |= 1u << (row - option_rows);
	if (!text && row->value == VALUE_NONE)
		text = "true";
	if (!text && p->at < p->argc)
		text = p->argv[p->at++];
	if (!text)
		return err_set(p->err, ERR_INVALID, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
	return take_value(p, row, text);
}

static int take_long(struct parser *p, const char *word)
{
	size_t len = strcspn(word, "=");
	char name[64];

	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (strncmp(word, option_rows[i].name, len) == 0 && option_rows[i].name[len] == '\0')
			return take_option(p, &option_rows[i], word[len] ? word + len + 1 : NULL);
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), word);
	return unknown_option(p, name);
}

static const struct option_row *find_letter(char letter)
{
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (option_rows[i].letter && option_rows[i].letter == letter)
			return &option_rows[i];
	return NULL;
}

static int take_letters(struct parser *p, const char *word)
{
	for (const char *c = word; *c; c++) {
		const struct option_row *row = find_letter(*c);
		if (!row)
			return usage(p, "there is no option", (char[]){ '-', *c, '\0' }, NULL);
		if (row->value != VALUE_NONE)
			return take_option(p, row, c[1] ? c + 1 + (c[1] == '=') : NULL);
		if (take_option(p, row, NULL) < 0)
			return -1;
	}
	return 0;
}

static void take_word(struct parser *p, const char *word)
{
	if (p->word_count < sizeof(p->words) / sizeof(p->words[0]))
		p->words[p->word_count++] = word;
	else
		p->words_left_out++;
}

static int take_all(struct parser *p)
{
	bool only_words = false;

	while (p->at < p->argc) {
		const char *arg = p->argv[p->at++];
		if (only_words || arg[0] != '-' || arg[1] == '\0')
			take_word(p, arg);
		else if (strcmp(arg, "--") == 0)
			only_words = true;
		else if ((arg[1] == '-' ? take_long(p, arg + 2) : take_letters(p, arg + 1)) < 0)
			return -1;
	}
	return 0;
}

static int find_command(struct parser *p, const char *word, enum command *ret)
{
	const char *names[COMMANDS];

	*ret = command_find(word);
	if (*ret < COMMANDS)
		return 0;
	*ret = COMMAND_HELP;
	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = command_words[i].name;
	return usage(p, "there is no command", word, nearest(word, names, COMMANDS));
}

static int choose_command(struct parser *p)
{
	struct options *o = p->o;

	if (p->word_count == 0 && o->show_version)
		o->command = COMMAND_VERSION;
	else if (p->word_count == 0 && !o->help)
		return err_set(p->err, ERR_INVALID, "no command");
	else if (p->word_count > 0 && find_command(p, p->words[0], &o->command) < 0)
		return -1;
	for (size_t i = 1; i < p->word_count; i++)
		o->operands[o->operand_count++] = p->words[i];
	if (o->command != COMMAND_HELP)
		return 0;
	/* "help skip" is "skip --help". */
	if (o->operand_count == 1 && find_command(p, o->operands[0], &o->command) < 0)
		return -1;
	o->operand_count = 0;
	o->help = true;
	return 0;
}

static int check_options(struct parser *p)
{
	for (size_t i = 0; i < OPTION_ROWS; i++)
		if ((p->given & 1u << i) && !(option_rows[i].commands & OPTION_OF(p->o->command)))
			return err_set(p->err, ERR_INVALID, "%s takes no option --%s",
			               command_words[p->o->command].name, option_rows[i].name);
	if (p->o->all_namespaces && (p->o->namespace || p->o->operand_count > 0))
		return err_set(p->err, ERR_INVALID, "--all-namespaces goes with neither %s: which is meant?",
		               p->o->namespace ? "--namespace nor a name" : "a name nor --namespace");
	return 0;
}

static bool is_cluster_kind(const char *word, size_t len)
{
	static const char *const kinds[] = { "cluster",
		                             "clusters",
		                             "rcl",
		                             "cluster.rolecall.dev",
		                             "clusters.rolecall.dev",
		                             "clusters.v1alpha1.rolecall.dev" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i]) == len && strncasecmp(word, kinds[i], len) == 0)
			return true;
	return false;
}

/* "get cluster shop shop2" names a kind, two Clusters, or both: say which form is right. */
static int too_many(struct parser *p, const struct command_words *c)
{
	const struct options *o = p->o;

	if (c->max > 0 && is_cluster_kind(o->operands[0], strlen(o->operands[0])))
		return err_set(p->err, ERR_INVALID, "all commands are about Clusters, the kind is not named: %s %s %s",
		               o->program, c->name, o->operands[1]);
	if (c->max == 1)
		return err_set(p->err, ERR_INVALID, "%s takes one %s, and %zu were given: %s, %s%s", c->name,
		               o->command == COMMAND_COMPLETION ? "shell" : "Cluster",
		               o->operand_count + p->words_left_out, o->operands[0], o->operands[1],
		               o->operand_count > 2 ? ", ..." : "");
	return err_set(p->err, ERR_INVALID, "%s takes %s%s, and \"%s\" is too much", c->name,
	               c->max ? "" : "options only", c->operands,
	               c->max < OPERANDS_MAX ? o->operands[c->max] : "the rest");
}

static int check_operands(struct parser *p)
{
	const struct options *o = p->o;
	const struct command_words *c = &command_words[o->command];

	for (size_t i = 0; i < o->operand_count; i++)
		if (*o->operands[i] == '\0')
			return err_set(p->err, ERR_INVALID, "%s was given an empty name", c->name);
	if (o->operand_count + p->words_left_out > c->max)
		return too_many(p, c);
	if (o->operand_count < c->min)
		return err_set(p->err, ERR_INVALID, "%s needs %s", c->name, c->operands);
	return 0;
}

/* Takes the kind off the name of a Cluster. */
static int take_kind_off(struct parser *p)
{
	struct options *o = p->o;

	if (!(OPTIONS_ASK & OPTION_OF(o->command)) || o->operand_count == 0)
		return 0;
	const char *name = o->operands[0], *slash = strchr(name, '/');
	if (!slash)
		return 0;
	if (!is_cluster_kind(name, (size_t)(slash - name)))
		return err_set(p->err, ERR_INVALID,
		               "\"%s\" is no Cluster, and %s is about Clusters only; for other kinds: kubectl get %s",
		               name, command_words[o->command].name, name);
	if (slash[1] == '\0' || strchr(slash + 1, '/'))
		return err_set(p->err, ERR_INVALID, "\"%s\" is no name of a Cluster", name);
	o->operands[0] = slash + 1;
	return 0;
}

static const char *program_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;

	return name && strncmp(name, "kubectl-", 8) == 0 ? "kubectl rolecall" : "rolecall";
}

int options_parse(int argc, char **argv, struct options *ret, struct err *err)
{
	*ret = (struct options){
		.program = program_name(argc > 0 ? argv[0] : NULL),
		.command = COMMAND_HELP,
		.log_level = LOG_INFO,
		.request_timeout_ms = REQUEST_TIMEOUT_MS,
		.wait_timeout_ms = WAIT_TIMEOUT_MS,
	};
	struct parser p = { .argc = argc, .argv = argv, .at = 1, .o = ret, .err = err };

	if (take_all(&p) < 0 || choose_command(&p) < 0)
		return -1;
	if (ret->help)
		return 0;
	return check_options(&p) < 0 || check_operands(&p) < 0 || take_kind_off(&p) < 0 ? -1 : 0;
}
