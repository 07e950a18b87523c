#include "clusters.h"
#include "controller/api/path.h"
#include "controller/clock.h"
#include "text.h"
#include "wish.h"

#include <stdlib.h>
#include <string.h>

/* How often somebody else may have written first. */
#define ACT_CONFLICTS_MAX 5
/* Between two looks at whether the operator has acted. */
#define ACT_LOOK_MS 300

/* The member and, for skip, the id: "MEMBER ID" or "MEMBER/ID". */
static int take_target(struct cli *cli, struct wish *w, struct err *err)
{
	const struct options *o = cli->o;
	const char *member = o->operands[1], *slash = strchr(member, '/');
	const char *id = o->operand_count > 2 ? o->operands[2] : slash ? slash + 1 : NULL;
	char *end;

	if (slash && (w->command != COMMAND_SKIP || o->operand_count > 2))
		return err_set(err, ERR_INVALID, "\"%s\" is no member: %s takes %s", member,
		               command_words[w->command].name, command_words[w->command].operands);
	w->member = slash ? arena_strndup(&cli->arena, member, (size_t)(slash - member)) : member;
	if (!id)
		return 0;
	w->id = strtoll(id, &end, 10);
	if (w->id < 1 || *end || end == id)
		return err_set(err, ERR_INVALID,
		               "\"%s\" is no id of a notification: it is a number, as \"%s queue %s\" shows it", id,
		               o->program, o->operands[0]);
	return 0;
}

static int take_wish(struct cli *cli, struct wish *ret, struct err *err)
{
	*ret = (struct wish){
		.command = cli->o->command,
		.program = cli->o->program,
		.namespace = cli->o->namespace,
		.upgrade = cli->o->upgrade,
	};
	return cli->o->operand_count > 1 ? take_target(cli, ret, err) : 0;
}

/* Reads the Cluster and asks JUDGE about it. 0, or what the command ends with. */
static enum exit_code look(struct cli *cli, const struct wish *w,
                           struct wish_answer (*judge)(const struct wish *w, const struct cluster *c, struct arena *a),
                           struct wish_answer *ret, struct err *err)
{
	cleanup_clusters struct clusters c = { 0 };

	if (clusters_get(cli, cli->o->operands[0], &c, err) < 0)
		return cli_exit(err);
	if (c.count == 0)
		return EXIT_FAILED; /* it was said why */
	*ret = judge(w, c.items, &cli->arena);
	return EXIT_OK;
}

static int send(struct cli *cli, const char *patch, struct err *err)
{
	cleanup_strbuf struct strbuf path = { 0 };

	path_object(&path, OBJECT_CLUSTER, cli->session.namespace, cli->o->operands[0], NULL);
	strbuf_adds(&path, "?fieldManager=kubectl-rolecall");
	return session_call(&cli->session, VERB_PATCH, path.data, patch, NULL, err);
}

/* Judges what is there and asks for it; anew when somebody else wrote in between, or while an earlier wish is open. */
static enum exit_code ask(struct cli *cli, const struct wish *w, struct wish_answer *ret, struct err *err)
{
	int64_t end = clock_steady_ms() + cli->o->request_timeout_ms;

	for (int conflicts = 0;;) {
		enum exit_code code = look(cli, w, wish_judge, ret, err);
		if (code != EXIT_OK)
			return code;
		if (ret->later && clock_steady_ms() < end) {
			session_pause(&cli->session, ACT_LOOK_MS);
			continue;
		}
		if (!ret->patch || send(cli, ret->patch, err) == 0)
			return EXIT_OK;
		if (err->kind != ERR_CONFLICT)
			return cli_exit(err);
		if (++conflicts == ACT_CONFLICTS_MAX) {
			err_wrap(err, "somebody else changed %s each time, %d times", cli->o->operands[0], conflicts);
			return EXIT_FAILED;
		}
		*err = (struct err){ 0 };
	}
}

/* Waits until the operator has acted. */
static enum exit_code wait_for_operator(struct cli *cli, const struct wish *w, struct wish_answer *ret, struct err *err)
{
	int64_t end = clock_steady_ms() + cli->o->wait_timeout_ms;

	for (;;) {
		enum exit_code code = look(cli, w, wish_outcome, ret, err);
		if (code != EXIT_OK || !ret->later || clock_steady_ms() >= end)
			return code;
		session_pause(&cli->session, ACT_LOOK_MS);
	}
}

enum exit_code act_run(struct cli *cli, struct err *err)
{
	struct wish_answer answer;
	struct wish w;

	if (take_wish(cli, &w, err) < 0)
		return EXIT_USAGE;
	enum exit_code code = ask(cli, &w, &answer, err);
	if (code == EXIT_OK && answer.code == EXIT_OK && cli->o->wait)
		code = wait_for_operator(cli, &w, &answer, err);
	if (code != EXIT_OK)
		return code;
	if (answer.code == EXIT_OK)
		strbuf_addf(&cli->out, "%s\n", text_clean(&cli->arena, answer.text));
	else
		cli_say(cli, "%s", answer.text);
	return answer.code;
}
