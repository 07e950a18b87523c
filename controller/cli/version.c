#include "cli.h"
#include "controller/version.h"
#include "dump.h"

/* What the API server says of itself (version.Info); NULL with ERR. The caller deletes it. */
static cJSON *ask_server(struct cli *cli, struct err *err)
{
	cleanup_strbuf struct strbuf body = { 0 };

	if (session_call(&cli->session, VERB_GET, "/version", NULL, &body, err) < 0)
		return NULL;
	cJSON *server = json_parse(strbuf_str(&body), body.len, err);
	if (server && json_str(server, "gitVersion"))
		return server;
	cJSON_Delete(server);
	err_set(err, ERR_PROTOCOL, "%s does not say which version it has", cli->session.credentials.server);
	return NULL;
}

/* SERVER may be NULL. */
static void put(struct cli *cli, const cJSON *server)
{
	cleanup_json cJSON *tree = NULL;

	if (cli->o->output != OUTPUT_JSON && cli->o->output != OUTPUT_YAML) {
		strbuf_addf(&cli->out, "rolecall %s\n", ROLECALL_VERSION);
		if (server)
			strbuf_addf(&cli->out, "Kubernetes %s\n", json_str(server, "gitVersion"));
		return;
	}
	tree = cJSON_CreateObject();
	cJSON_AddStringToObject(cJSON_AddObjectToObject(tree, "clientVersion"), "version", ROLECALL_VERSION);
	if (server)
		cJSON_AddItemToObject(tree, "serverVersion", cJSON_Duplicate(server, true));
	if (cli->o->output == OUTPUT_JSON)
		dump_json(tree, &cli->out);
	else
		dump_yaml(tree, &cli->out);
}

enum exit_code version_run(struct cli *cli, struct err *err)
{
	cleanup_json cJSON *server = NULL;

	/* Our own version is told also when the server cannot be reached. */
	if (!cli->o->client_only && session_open(&cli->session, cli->o, err) == 0)
		server = ask_server(cli, err);
	put(cli, server);
	return cli_exit(err);
}
