#include "kubefiles.h"

#include "crd/base/json.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>

/* Of a list in a message; an error has room for 511 characters. */
#define LIST_MAX 150

static const struct {
	const char *list, *body;
} kinds[] = {
	[KUBEFILES_CONTEXT] = { "contexts", "context" },
	[KUBEFILES_CLUSTER] = { "clusters", "cluster" },
	[KUBEFILES_USER] = { "users", "user" },
};

static const char *append(struct arena *memory, const char *list, const char *quote, const char *item)
{
	if (strlen(list) > LIST_MAX)
		return list;
	list = arena_printf(memory, "%s%s%s%s%s", list, *list ? ", " : "", quote, item, quote);
	return strlen(list) > LIST_MAX ? arena_printf(memory, "%s, ...", list) : list;
}

/* Whoever names a manifest by mistake shall read that, and not that it has no context. */
static int check_root(const cJSON *tree, const char *path, struct err *err)
{
	const char *kind = json_str(tree, "kind");

	if (!cJSON_IsObject(tree) && !cJSON_IsNull(tree))
		return err_set(err, ERR_INVALID, "%s is not a kubeconfig file", path);
	if (kind && *kind && strcmp(kind, "Config") != 0)
		return err_set(err, ERR_INVALID, "%s is not a kubeconfig file: its kind is \"%.60s\"", path, kind);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const cJSON *list = json_get(tree, kinds[i].list);
		if (list && !cJSON_IsArray(list))
			return err_set(err, ERR_INVALID, "%s: %s must be a list", path, kinds[i].list);
	}
	return 0;
}

static int add_file(struct kubefiles *f, const char *path, struct err *err)
{
	cleanup_strbuf struct strbuf text = { 0 };

	if (f->count == KUBEFILES_MAX)
		return err_set(err, ERR_LIMIT, "$KUBECONFIG names more than %d files", KUBEFILES_MAX);
	if (file_read(path, &text, err) < 0)
		return err_wrap(err, "kubeconfig");
	cJSON *tree = file_parse(strbuf_str(&text), text.len, err);
	if (!tree)
		return err_wrap(err, "kubeconfig %s", path);
	f->files[f->count++] = (struct kubefile){ .path = arena_strdup(f->memory, path), .tree = tree };
	f->names = append(f->memory, f->names, "", path);
	return check_root(tree, path, err);
}

static int add_list(struct kubefiles *f, const char *list, struct err *err)
{
	struct err why = { 0 };

	for (const char *at = list; *at; at += at[0] == ':') {
		size_t len = strcspn(at, ":");
		const char *path = arena_strndup(f->memory, at, len);
		at += len;
		if (len > 0 && add_file(f, path, &why) < 0 && why.kind != ERR_NOT_FOUND)
			return err_set(err, why.kind, "%s", why.msg);
	}
	if (f->count == 0)
		return err_set(err, ERR_NOT_FOUND, "$KUBECONFIG is \"%.200s\", and no such file exists", list);
	return 0;
}

int kubefiles_read(struct kubefiles *f, const char *path, struct arena *memory, struct err *err)
{
	const char *list = getenv("KUBECONFIG"), *home = getenv("HOME");

	*f = (struct kubefiles){ .names = "", .memory = memory };
	if (path)
		return add_file(f, path, err);
	if (list && *list)
		return add_list(f, list, err);
	if (!home || !*home)
		return err_set(err, ERR_NOT_FOUND, "no kubeconfig: name one with --kubeconfig or $KUBECONFIG");
	return add_file(f, arena_printf(memory, "%s/.kube/config", home), err);
}

void kubefiles_release(struct kubefiles *f)
{
	for (size_t i = 0; i < f->count; i++)
		cJSON_Delete(f->files[i].tree);
	f->count = 0;
}

int kubefiles_current(const struct kubefiles *f, const char **ret, struct err *err)
{
	*ret = NULL;
	for (size_t i = 0; i < f->count && !*ret; i++) {
		struct entry root = { .body = f->files[i].tree, .who = f->files[i].path };
		if (entry_text(&root, "current-context", ret, err) < 0)
			return -1;
	}
	return 0;
}

static bool has_name(const cJSON *item, const char *name)
{
	const char *its_name = json_str(item, "name");

	return its_name && strcmp(its_name, name) == 0;
}

/* The entry of NAME in one file. NULL when there is none; two are an error, as for kubectl. */
static int find_in(const struct kubefile *file, enum kubefiles_kind kind, const char *name, const cJSON **ret,
                   struct err *err)
{
	const cJSON *item;

	*ret = NULL;
	cJSON_ArrayForEach(item, json_get(file->tree, kinds[kind].list)) {
		if (!has_name(item, name))
			continue;
		if (*ret)
			return err_set(err, ERR_INVALID, "%s has two %s of the name \"%.100s\"; remove one", file->path,
			               kinds[kind].list, name);
		*ret = item;
	}
	return 0;
}

int kubefiles_find(const struct kubefiles *f, enum kubefiles_kind kind, const char *name, struct entry *ret,
                   struct err *err)
{
	const char *body = kinds[kind].body, *list = kinds[kind].list;
	const struct kubefile *file = f->files, *end = f->files + f->count;
	const cJSON *item = NULL;

	for (; file < end && !item; file++)
		if (find_in(file, kind, name, &item, err) < 0)
			return -1;
	if (!item)
		return err_set(err, ERR_INVALID, "no %s \"%.100s\" in %s; its %s: %s", body, name, f->names, list,
		               kubefiles_names(f, kind));
	*ret = (struct entry){ .body = json_get(item, body), .file = file[-1].path, .memory = f->memory };
	ret->who = arena_printf(f->memory, "%s \"%.100s\" in %s", body, name, ret->file);
	if (!cJSON_IsObject(ret->body))
		return err_set(err, ERR_INVALID, "%s is empty", ret->who);
	return 0;
}

const char *kubefiles_names(const struct kubefiles *f, enum kubefiles_kind kind)
{
	const char *names = "";
	const cJSON *item;

	for (size_t i = 0; i < f->count; i++)
		cJSON_ArrayForEach(item, json_get(f->files[i].tree, kinds[kind].list)) {
			const char *name = json_str(item, "name");
			if (name)
				names = append(f->memory, names, "\"", name);
		}
	return *names ? names : "none";
}
