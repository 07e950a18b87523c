#include "clusters.h"

#include "controller/api/path.h"
#include "nearest.h"

#include <string.h>

void clusters_release(struct clusters *c)
{
	cJSON_Delete(c->objects);
	*c = (struct clusters){ 0 };
}

const char *clusters_where(struct cli *cli)
{
	if (!cli->session.namespace)
		return "any namespace";
	return arena_printf(&cli->arena, "namespace %s", cli->session.namespace);
}

/* Who owns which field is of interest to the server only; kubectl hides it as well. */
static void tidy(cJSON *object)
{
	cJSON *metadata = cJSON_GetObjectItemCaseSensitive(object, "metadata");

	cJSON_DeleteItemFromObjectCaseSensitive(metadata, "managedFields");
}

/* What was decoded must be enough to be shown: a name, and a detail for each member. */
static int decode(struct cli *cli, const cJSON *object, struct cluster *ret, struct err *err)
{
	if (crd_decode(&cluster_type, object, ret, &cli->arena, err) < 0)
		return -1;
	if (!ret->metadata || !ret->metadata->name)
		return err_set(err, ERR_PROTOCOL, "metadata.name: expected a value");
	for (size_t r = 0; ret->status && r < ret->status->roles_count; r++)
		for (size_t m = 0; m < ret->status->roles[r].members_count; m++) {
			struct member *member = &ret->status->roles[r].members[m];
			if (!member->state_detail)
				member->state_detail = arena_alloc(&cli->arena, sizeof(*member->state_detail));
		}
	return 0;
}

/* Decodes the objects. One that this program does not understand hides none of the others. */
static void decode_all(struct cli *cli, struct clusters *c)
{
	const cJSON *object;
	struct err err;

	c->items = arena_array(&cli->arena, (size_t)cJSON_GetArraySize(c->objects), sizeof(*c->items));
	c->count = 0;
	cJSON_ArrayForEach(object, c->objects) {
		const char *name = json_str(json_get(object, "metadata"), "name");
		memset(&c->items[c->count], 0, sizeof(*c->items));
		if (decode(cli, object, &c->items[c->count], &err) == 0) {
			c->count++;
			continue;
		}
		cli_say(cli, "Cluster %s cannot be shown by this version of rolecall: %s",
		        name ? name : "without a name", err.msg);
		c->unread++;
	}
}

/* Whether the server knows Clusters but not this one: its Status names it then. */
static bool names_an_object(const struct strbuf *body)
{
	cleanup_json cJSON *status = json_parse(strbuf_str(body), body->len, NULL);

	return json_str(json_get(status, "details"), "name") != NULL;
}

static int explain_missing_kind(struct cli *cli, struct err *err)
{
	if (err->http != 404)
		return -1;
	err_set(err, ERR_NOT_FOUND,
	        "the API server %s knows no Clusters of " KIND_API_VERSION
	        ": install them with kubectl apply -k manifests/install",
	        cli->session.credentials.server);
	err->http = 404;
	return -1;
}

/* Moves the items of the page in BODY to C and puts the token of the next page into TOKEN ("" when it was the last). */
static int take_page(struct cli *cli, const struct strbuf *body, struct clusters *c, const char **token,
                     struct err *err)
{
	cleanup_json cJSON *page = json_parse(strbuf_str(body), body->len, err);
	cJSON *items = cJSON_GetObjectItemCaseSensitive(page, "items");
	const cJSON *metadata = json_get(page, "metadata");

	if (!page)
		return err_wrap(err, "the list of Clusters");
	while (cJSON_GetArraySize(items) > 0) {
		cJSON *item = cJSON_DetachItemFromArray(items, 0);
		tidy(item);
		cJSON_AddItemToArray(c->objects, item);
	}
	c->version = arena_strdup(&cli->arena, json_str(metadata, "resourceVersion"));
	const char *next = json_str(metadata, "continue");
	*token = next && *next ? arena_strdup(&cli->arena, next) : NULL;
	return 0;
}

int clusters_list(struct cli *cli, struct clusters *ret, struct err *err)
{
	cleanup_strbuf struct strbuf path = { 0 }, body = { 0 };
	cleanup_clusters struct clusters c = { .objects = cJSON_CreateArray() };
	const char *token = NULL;

	for (size_t pages = 0; pages == 0 || token; pages++) {
		if (pages == CLUSTERS_PAGES_MAX)
			return err_set(err, ERR_LIMIT, "the list of Clusters has more than %d pages",
			               CLUSTERS_PAGES_MAX);
		strbuf_clear(&path);
		path_list(&path, OBJECT_CLUSTER, cli->session.namespace, token);
		if (session_call(&cli->session, VERB_LIST, path.data, NULL, &body, err) < 0)
			return explain_missing_kind(cli, err);
		if (take_page(cli, &body, &c, &token, err) < 0)
			return -1;
	}
	decode_all(cli, &c);
	*ret = c;
	c = (struct clusters){ 0 };
	return 0;
}

static const char *const *names_of(struct cli *cli, const struct clusters *c)
{
	const char **names = arena_array(&cli->arena, c->count, sizeof(*names));

	for (size_t i = 0; i < c->count; i++)
		names[i] = c->items[i].metadata->name;
	return names;
}

/* Who may read one object may not be allowed to list them: then there is less to say. */
static int explain_missing(struct cli *cli, const char *name, struct err *err)
{
	cleanup_clusters struct clusters all = { 0 };
	const char *rest = "";

	if (clusters_list(cli, &all, err) == 0)
		rest = all.count ? nearest_suggest(&cli->arena, name, names_of(cli, &all), all.count)
		                 : ", nor any other; see get --all-namespaces";
	err_set(err, ERR_NOT_FOUND, "there is no Cluster %s in %s%s", name, clusters_where(cli), rest);
	err->http = 404;
	return -1;
}

int clusters_get(struct cli *cli, const char *name, struct clusters *ret, struct err *err)
{
	cleanup_strbuf struct strbuf path = { 0 }, body = { 0 };
	cleanup_clusters struct clusters c = { .objects = cJSON_CreateArray() };

	path_object(&path, OBJECT_CLUSTER, cli->session.namespace, name, NULL);
	if (session_call(&cli->session, VERB_GET, path.data, NULL, &body, err) < 0) {
		if (err->http == 404 && names_an_object(&body))
			return explain_missing(cli, name, err);
		return explain_missing_kind(cli, err);
	}
	cJSON *object = json_parse(strbuf_str(&body), body.len, err);
	if (!object)
		return err_wrap(err, "Cluster %s", name);
	tidy(object);
	cJSON_AddItemToArray(c.objects, object);
	decode_all(cli, &c);
	c.version = arena_strdup(&cli->arena, json_str(json_get(object, "metadata"), "resourceVersion"));
	*ret = c;
	c = (struct clusters){ 0 };
	return 0;
}

int clusters_read(struct cli *cli, const char *name, struct clusters *ret, struct err *err)
{
	return name ? clusters_get(cli, name, ret, err) : clusters_list(cli, ret, err);
}
