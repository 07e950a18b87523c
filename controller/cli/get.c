#include "clusters.h"
#include "controller/api/path.h"
#include "controller/api/watch.h"
#include "controller/clock.h"
#include "dump.h"
#include "terminal.h"
#include "view.h"

/* After a watch broke, before the next look. */
#define GET_AGAIN_MS 1000
/* The server ends a watch after this long, and the next one begins. */
#define GET_WATCH_S 300

/* As kubectl does: one object as it is, several as a List. */
static cJSON *as_tree(const struct clusters *c, bool is_one)
{
	if (is_one)
		return cJSON_Duplicate(cJSON_GetArrayItem(c->objects, 0), true);
	cJSON *list = cJSON_CreateObject();
	cJSON_AddStringToObject(list, "apiVersion", "v1");
	cJSON_AddStringToObject(list, "kind", "List");
	cJSON_AddItemToObject(list, "items", cJSON_Duplicate(c->objects, true));
	return list;
}

static void put_names(const struct clusters *c, struct strbuf *out)
{
	const cJSON *object;

	cJSON_ArrayForEach(object, c->objects) {
		const char *name = json_str(json_get(object, "metadata"), "name");
		strbuf_addf(out, "cluster.rolecall.dev/%s\n", name ? name : "");
	}
}

static void put_view(struct cli *cli, const struct clusters *c, bool is_one)
{
	struct view v = {
		.now = clock_wall_ms(),
		.style = cli->style,
		.namespaces = cli->o->all_namespaces,
		.arena = &cli->arena,
	};

	if (is_one && c->count == 1)
		view_tree(&v, c->items, &cli->out);
	else if (c->count > 0)
		view_list(&v, c->items, c->count, &cli->out);
	else if (c->unread == 0)
		cli_say(cli, "there are no Clusters in %s", clusters_where(cli));
}

static void put(struct cli *cli, const struct clusters *c)
{
	bool is_one = cli->o->operand_count > 0;
	cleanup_json cJSON *tree = NULL;

	switch (cli->o->output) {
	case OUTPUT_TABLE:
	case OUTPUT_WIDE:
		put_view(cli, c, is_one);
		break;
	case OUTPUT_JSON:
		tree = as_tree(c, is_one);
		dump_json(tree, &cli->out);
		break;
	case OUTPUT_YAML:
		tree = as_tree(c, is_one);
		dump_yaml(tree, &cli->out);
		break;
	case OUTPUT_NAME:
		put_names(c, &cli->out);
		break;
	}
}

/* A change ends the watch: what there is then is read anew. Bookmarks are none. */
static void on_event(void *ctx, enum watch_event event, struct cJSON *object)
{
	(void)object;
	if (event != WATCH_BOOKMARK)
		*(bool *)ctx = true;
}

static bool on_data(void *ctx, const char *data, size_t len)
{
	struct watch *w = ctx;

	/* A stream that says something else than events is over, too: the next look says what is wrong. */
	return watch_feed(w, data, len, NULL) == 0 && !*(bool *)w->ctx;
}

static void wait_for_change(struct cli *cli, const struct clusters *c)
{
	cleanup_strbuf struct strbuf path = { 0 };
	bool changed = false;
	struct watch w = { .on_event = on_event, .ctx = &changed };
	struct err err = { 0 };

	path_watch(&path, OBJECT_CLUSTER, cli->session.namespace, c->version ? c->version : "", GET_WATCH_S);
	/* The server knows the name: it can need no escape. */
	if (cli->o->operand_count > 0)
		strbuf_addf(&path, "&fieldSelector=metadata.name%%3D%s", cli->o->operands[0]);
	if (session_watch(&cli->session, path.data, on_data, &w, &err) < 0)
		session_pause(&cli->session, GET_AGAIN_MS);
	watch_reset(&w);
}

/* On a screen the new state takes the place of the old one, in the size that it has by now; elsewhere it follows. */
static void separate(struct cli *cli)
{
	cli->style.width = terminal_style().width;
	if (terminal_is_screen())
		strbuf_adds(&cli->out, "\033[H\033[2J");
	else if (cli->o->output == OUTPUT_YAML)
		strbuf_adds(&cli->out, "---\n");
	else if (cli->o->output != OUTPUT_NAME)
		strbuf_addc(&cli->out, '\n');
}

enum exit_code get_run(struct cli *cli, struct err *err)
{
	const char *name = cli->o->operand_count > 0 ? cli->o->operands[0] : NULL;

	for (;;) {
		cleanup_clusters struct clusters c = { 0 };
		if (clusters_read(cli, name, &c, err) < 0)
			return cli_exit(err);
		put(cli, &c);
		if (!cli->o->watch)
			return c.unread ? EXIT_FAILED : EXIT_OK;
		if (terminal_write(&cli->out) != WRITTEN_ALL)
			return EXIT_OK;
		wait_for_change(cli, &c);
		arena_reset(&cli->arena);
		separate(cli);
	}
}
