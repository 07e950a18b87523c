#include "execconfig.h"

#include "base64.h"
#include "crd/base/json.h"

#include <string.h>

#define GROUP "client.authentication.k8s.io/"

static int read_version(const struct entry *exec, const char **ret, struct err *err)
{
	static const char *const versions[] = { GROUP "v1", GROUP "v1beta1" };
	const char *version;

	if (entry_text(exec, "apiVersion", &version, err) < 0)
		return -1;
	for (size_t i = 0; version && i < sizeof(versions) / sizeof(versions[0]); i++)
		if (strcmp(version, versions[i]) == 0) {
			*ret = versions[i];
			return 0;
		}
	return err_set(err, ERR_INVALID, "%s: apiVersion must be %s or %s, not \"%.80s\"", exec->who, versions[0],
	               versions[1], version ? version : "");
}

static int read_mode(const struct entry *exec, enum plugin_mode *ret, struct err *err)
{
	static const struct {
		const char *name;
		enum plugin_mode mode;
	} modes[] = {
		{ "Never", PLUGIN_NEVER_ASKS },
		{ "IfAvailable", PLUGIN_MAY_ASK },
		{ "Always", PLUGIN_MUST_ASK },
	};
	const char *name;

	if (entry_text(exec, "interactiveMode", &name, err) < 0)
		return -1;
	*ret = PLUGIN_MAY_ASK;
	for (size_t i = 0; name && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(name, modes[i].name) == 0) {
			*ret = modes[i].mode;
			return 0;
		}
	return name ? err_set(err, ERR_INVALID, "%s: interactiveMode must be Never, IfAvailable or Always", exec->who) : 0;
}

/* A bare name is for $PATH; anything with a slash is seen from the file, as in kubectl. */
static int read_command(const struct entry *exec, const char ***ret, struct err *err)
{
	const char *command;
	struct texts args;

	if (entry_text(exec, "command", &command, err) < 0 || entry_texts(exec, "args", &args, err) < 0)
		return -1;
	if (!command)
		return err_set(err, ERR_INVALID, "%s has no command", exec->who);
	const char **argv = arena_array(exec->memory, args.count + 2, sizeof(*argv));
	argv[0] = strchr(command, '/') ? entry_path(exec, command) : arena_strdup(exec->memory, command);
	for (size_t i = 0; i < args.count; i++)
		argv[i + 1] = arena_strdup(exec->memory, args.items[i]);
	*ret = argv;
	return 0;
}

static int read_env(const struct entry *exec, const char ***ret, struct err *err)
{
	const cJSON *list, *item;
	size_t count = 0;

	if (entry_list(exec, "env", &list, err) < 0)
		return -1;
	const char **env = arena_array(exec->memory, (size_t)cJSON_GetArraySize(list) + 1, sizeof(*env));
	cJSON_ArrayForEach(item, list) {
		struct entry member = { .body = item, .memory = exec->memory };
		const char *name, *value;
		member.who = arena_printf(exec->memory, "%s: item %zu of env", exec->who, count + 1);
		if (entry_text(&member, "name", &name, err) < 0 || entry_text(&member, "value", &value, err) < 0)
			return -1;
		if (!name || strchr(name, '='))
			return err_set(err, ERR_INVALID, "%s needs a name without \"=\"", member.who);
		env[count++] = arena_printf(exec->memory, "%s=%s", name, value ? value : "");
	}
	*ret = env;
	return 0;
}

static const cJSON *extension(const struct entry *cluster)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_get(cluster->body, "extensions")) {
		const char *name = json_str(item, "name");
		if (name && strcmp(name, GROUP "exec") == 0)
			return json_get(item, "extension");
	}
	return NULL;
}

static void add_member(struct strbuf *out, const char *key, const cJSON *value)
{
	if (!value)
		return;
	strbuf_adds(out, out->len > 0 ? "," : "");
	strbuf_addf(out, "\"%s\":", key);
	json_print(value, out);
}

/* The cluster as the plugin is told: the kubeconfig's words, but a CA always as data. */
static const char *describe_cluster(const struct entry *cluster, const struct material *ca)
{
	static const char *const copied[] = { "server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url",
	                                      "disable-compression" };
	cleanup_strbuf struct strbuf members = { 0 };

	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		add_member(&members, copied[i], json_get(cluster->body, copied[i]));
	if (ca->text.len > 0) {
		strbuf_adds(&members, ",\"certificate-authority-data\":\"");
		base64_encode(ca->text.data, ca->text.len, &members);
		strbuf_addc(&members, '"');
	}
	add_member(&members, "config", extension(cluster));
	return arena_printf(cluster->memory, "{%s}", members.data);
}

int execconfig_read(const struct entry *user, const struct entry *cluster, const struct material *ca,
                    struct plugin_config *ret, struct err *err)
{
	struct entry exec = { .body = json_get(user->body, "exec"), .file = user->file, .memory = user->memory };
	struct plugin_config config = { 0 };
	const char *hint;
	bool tells;

	exec.who = arena_printf(user->memory, "exec of %s", user->who);
	if (!exec.body)
		return 0;
	if (!cJSON_IsObject(exec.body))
		return err_set(err, ERR_INVALID, "%s must be a mapping", exec.who);
	if (read_command(&exec, &config.argv, err) < 0 || read_version(&exec, &config.api_version, err) < 0 ||
	    read_env(&exec, &config.env, err) < 0 || read_mode(&exec, &config.mode, err) < 0 ||
	    entry_text(&exec, "installHint", &hint, err) < 0 || entry_bool(&exec, "provideClusterInfo", &tells, err) < 0)
		return -1;
	config.install_hint = arena_strdup(user->memory, hint);
	config.cluster = tells ? describe_cluster(cluster, ca) : NULL;
	*ret = config;
	return 1;
}
