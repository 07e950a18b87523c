#include "clusters.h"
#include "controller/clock.h"
#include "dump.h"
#include "view.h"
#include "wish.h"

#include <string.h>

/* Calls EACH for every entry in a queue; of MEMBER only, unless it is NULL. The objects are as the server sent them. */
static size_t each_entry(const cJSON *clusters, const char *member, void *ctx,
                         void (*each)(void *ctx, const cJSON *cluster, const cJSON *role, const cJSON *m,
                                      const cJSON *entry))
{
	const cJSON *cluster, *role, *m, *entry;
	size_t count = 0;

	cJSON_ArrayForEach(cluster, clusters)
		cJSON_ArrayForEach(role, json_get(json_get(cluster, "status"), "roles"))
			cJSON_ArrayForEach(m, json_get(role, "members")) {
				const char *pod = json_str(m, "pod");
				if (member && (!pod || strcmp(pod, member) != 0))
					continue;
				cJSON_ArrayForEach(entry, json_get(json_get(m, "stateDetail"), "pendingNotifyCmds")) {
					each(ctx, cluster, role, m, entry);
					count++;
				}
			}
	return count;
}

static void put_name(void *ctx, const cJSON *cluster, const cJSON *role, const cJSON *m, const cJSON *entry)
{
	const char *pod = json_str(m, "pod");

	(void)cluster, (void)role;
	strbuf_addf(ctx, "%s/%lld\n", pod ? pod : "", (long long)json_int(entry, "id", 0));
}

static void copy_field(cJSON *to, const char *name, const cJSON *from)
{
	if (from)
		cJSON_AddItemToObject(to, name, cJSON_Duplicate(from, true));
}

/* The entry as it stands in status, with where it stands. */
static void put_object(void *ctx, const cJSON *cluster, const cJSON *role, const cJSON *m, const cJSON *entry)
{
	const cJSON *metadata = json_get(cluster, "metadata"), *detail = json_get(m, "stateDetail"), *field;
	cJSON *object = cJSON_CreateObject();

	copy_field(object, "namespace", json_get(metadata, "namespace"));
	copy_field(object, "cluster", json_get(metadata, "name"));
	copy_field(object, "role", json_get(role, "id"));
	copy_field(object, "member", json_get(m, "pod"));
	copy_field(object, "memberState", json_get(m, "state"));
	copy_field(object, "downSince", json_get(detail, "downSince"));
	copy_field(object, "downReason", json_get(detail, "downReason"));
	cJSON_ArrayForEach(field, entry)
		copy_field(object, field->string, field);
	cJSON_AddItemToArray(ctx, object);
}

static void put_tree(struct cli *cli, const struct clusters *c, const char *member)
{
	cleanup_json cJSON *list = cJSON_CreateObject();

	each_entry(c->objects, member, cJSON_AddArrayToObject(list, "items"), put_object);
	if (cli->o->output == OUTPUT_JSON)
		dump_json(list, &cli->out);
	else
		dump_yaml(list, &cli->out);
}

static void put_view(struct cli *cli, const struct clusters *c, const char *name, const char *member)
{
	struct view v = {
		.now = clock_wall_ms(),
		.style = cli->style,
		.namespaces = cli->o->all_namespaces,
		.arena = &cli->arena,
	};

	view_queues(&v, c->items, c->count, member, &cli->out);
	if (cli->out.len > 0 || c->unread > 0)
		return;
	if (member)
		cli_say(cli, "the queue of %s is empty", member);
	else if (name)
		cli_say(cli, "every queue of %s is empty", name);
	else
		cli_say(cli, "every queue in %s is empty (Clusters: %zu)", clusters_where(cli), c->count);
}

static void put(struct cli *cli, const struct clusters *c, const char *name, const char *member)
{
	switch (cli->o->output) {
	case OUTPUT_TABLE:
	case OUTPUT_WIDE:
		put_view(cli, c, name, member);
		break;
	case OUTPUT_JSON:
	case OUTPUT_YAML:
		put_tree(cli, c, member);
		break;
	case OUTPUT_NAME:
		each_entry(c->objects, member, &cli->out, put_name);
		break;
	}
}

enum exit_code queue_run(struct cli *cli, struct err *err)
{
	const char *name = cli->o->operand_count > 0 ? cli->o->operands[0] : NULL;
	const char *member = cli->o->operand_count > 1 ? cli->o->operands[1] : NULL;
	cleanup_clusters struct clusters c = { 0 };

	if (clusters_read(cli, name, &c, err) < 0)
		return cli_exit(err);
	const char *missing = member && c.count == 1 ? wish_no_member(c.items, member, &cli->arena) : NULL;
	if (missing) {
		cli_say(cli, "%s", missing);
		return EXIT_NOT_FOUND;
	}
	put(cli, &c, name, member);
	return c.unread ? EXIT_FAILED : EXIT_OK;
}
