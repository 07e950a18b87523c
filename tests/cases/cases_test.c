/* Runs every case of the YAML files below tests/cases: see README.md there for their form. */
#include "tests/cases/case.h"

#include "crd/base/yaml.h"
#include "reconcile/action.h"
#include "reconcile/condition.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
	struct case_world *w;
	struct verdict v;
	struct strbuf *wrong; /* one line per difference */
};

static void differ(struct check *c, const char *where, const char *want, const char *got)
{
	strbuf_addf(c->wrong, "    %s\n      wanted %s\n      got    %s\n", where, want, case_short_names(c->w, got));
}

static const char *print(const struct check *c, const cJSON *tree)
{
	char *text = tree ? cJSON_PrintUnformatted(tree) : NULL;
	const char *copy = arena_strdup(c->w->arena, text ? text : "(absent)");
	free(text);
	return copy;
}

/* WANT is a part of GOT: objects key by key, null for absent, everything else whole. */
static void match(struct check *c, const char *where, const cJSON *want, const cJSON *got)
{
	if (cJSON_IsNull(want)) {
		if (got && !cJSON_IsNull(got))
			differ(c, where, "(absent)", print(c, got));
	} else if (cJSON_IsObject(want)) {
		const cJSON *item;
		cJSON_ArrayForEach(item, want)
			match(c, arena_printf(c->w->arena, "%s.%s", where, item->string), item, json_get(got, item->string));
	} else {
		const char *a = print(c, want), *b = case_short_names(c->w, print(c, got));
		if (strcmp(a, b) != 0)
			differ(c, where, a, b);
	}
}

enum lines { LINES_ACTIONS, LINES_EVENTS, LINES_WARNINGS };

static bool is_among(const struct action *a, enum lines which)
{
	return (a->kind == ACTION_EVENT) == (which != LINES_ACTIONS) && (which != LINES_WARNINGS || a->warning);
}

static const char *lines(struct check *c, enum lines which)
{
	const char *out = "";
	for (size_t i = 0; i < c->v.action_count; i++) {
		const struct action *a = &c->v.actions[i];
		if (!is_among(a, which))
			continue;
		const char *text = which ? a->reason : case_short_names(c->w, action_text(a, c->w->arena));
		out = arena_printf(c->w->arena, "%s%s%s", out, *out ? "; " : "", text);
	}
	return out;
}

static void check_list(struct check *c, const char *where, const cJSON *want, const char *got)
{
	const char *text = "";
	const cJSON *item;
	cJSON_ArrayForEach(item, want)
		text = arena_printf(c->w->arena, "%s%s%s", text, *text ? "; " : "", item->valuestring);
	if (strcmp(text, got) != 0)
		differ(c, where, text, got);
}

static const char *queue_text(struct check *c, const struct member *m)
{
	const char *out = "";
	for (size_t i = 0; i < m->state_detail->pending_notify_cmds_count; i++) {
		const struct queue_entry *e = &m->state_detail->pending_notify_cmds[i];
		out = arena_printf(c->w->arena, "%s%s%s %lld", out, *out ? "; " : "", event_kind_text(e->event),
		                   (long long)e->id);
	}
	return out;
}

static const struct member *find_member(const struct cluster_status *st, const char *pod)
{
	for (size_t r = 0; r < st->roles_count; r++)
		for (size_t m = 0; m < st->roles[r].members_count; m++)
			if (strcmp(st->roles[r].members[m].pod, pod) == 0)
				return &st->roles[r].members[m];
	return NULL;
}

static void check_word(struct check *c, const char *where, const cJSON *want, const char *got)
{
	const char *text = cJSON_IsString(want) ? want->valuestring : "(absent)";
	if (want && strcmp(text, got ? got : "(absent)") != 0)
		differ(c, where, text, got ? got : "(absent)");
}

static const char *trace_text(struct check *c, const struct upgrade_trace *t)
{
	if (!t)
		return "";
	const char *text = arena_printf(c->w->arena, "%s%s%s", t->container_ran ? "; ran" : "", t->role_told ? "; role" : "",
	                                t->cluster_told ? "; cluster" : "");
	return *text ? text + 2 : text;
}

/* "False MembersNotReady: a-0 (there is no pod)"; "..." at the end, or no message, stands for whatever comes. */
static bool begins_as(const char *want, const char *got)
{
	size_t len = strlen(want);
	if (len > 3 && strcmp(want + len - 3, "...") == 0)
		return strncmp(want, got, len - 3) == 0;
	return strchr(want, ':') ? strcmp(want, got) == 0 : strncmp(want, got, len) == 0;
}

static void check_condition(struct check *c, const cJSON *want)
{
	const struct cluster_status *st = c->v.status;
	const struct condition *is = condition_find(st->conditions, st->conditions_count, want->string);
	const char *got = is ? arena_printf(c->w->arena, "%s %s: %s", truth_text(is->status), is->reason, is->message) : "(absent)";
	const char *text = case_short_names(c->w, got);
	if (!begins_as(want->valuestring, text))
		differ(c, want->string, want->valuestring, text);
}

/* "configure u-1/1 600 /h --configure": whether it is one, the set-up, the limit and the command line. */
static void check_call(struct check *c, const cJSON *want)
{
	const char *text = "(absent)";
	for (size_t i = 0; i < c->v.action_count; i++) {
		const struct action *a = &c->v.actions[i];
		if (a->kind != ACTION_EXEC || strcmp(a->name, case_pod_name(c->w, want->string)) != 0)
			continue;
		text = arena_printf(c->w->arena, "%s %s %lld", a->exec.is_configure ? "configure" : "run",
		                    a->exec.setup ? a->exec.setup : "-", (long long)a->exec.timeout_s);
		for (size_t k = 0; k < a->exec.argc; k++)
			text = arena_printf(c->w->arena, "%s %s", text, a->exec.argv[k]);
	}
	check_word(c, want->string, want, case_short_names(c->w, text));
}

/* "2 sent": the call needs configmeta of generation 2, and takes it along; "2": it needs it; "0": it needs none. */
static void check_config(struct check *c, const cJSON *want)
{
	const char *text = "(absent)";
	for (size_t i = 0; i < c->v.action_count; i++) {
		const struct action *a = &c->v.actions[i];
		if (a->kind == ACTION_EXEC && strcmp(a->name, case_pod_name(c->w, want->string)) == 0)
			text = arena_printf(c->w->arena, "%lld%s", (long long)a->exec.generation, a->exec.config ? " sent" : "");
	}
	check_word(c, want->string, want, text);
}

static void check_member(struct check *c, const cJSON *want)
{
	const struct member *m = find_member(c->v.status, case_pod_name(c->w, want->string));
	if (!m) {
		differ(c, want->string, "a member", "(absent)");
		return;
	}
	check_word(c, arena_printf(c->w->arena, "%s.state", want->string),
	           cJSON_GetObjectItemCaseSensitive(want, "state"), member_state_text(m->state));
	check_word(c, arena_printf(c->w->arena, "%s.upgrade", want->string),
	           cJSON_GetObjectItemCaseSensitive(want, "upgrade"), upgrade_state_text(m->pod_upgrade_status));
	if (json_get(want, "queue"))
		check_list(c, arena_printf(c->w->arena, "%s.queue", want->string), json_get(want, "queue"),
		           queue_text(c, m));
	if (json_get(want, "trace"))
		check_list(c, arena_printf(c->w->arena, "%s.trace", want->string), json_get(want, "trace"),
		           trace_text(c, m->upgrade_trace));
	if (json_get(want, "detail")) {
		cleanup_json cJSON *detail = cJSON_Parse(crd_text(&state_detail_type, m->state_detail, c->w->arena));
		match(c, arena_printf(c->w->arena, "%s.detail", want->string), json_get(want, "detail"), detail);
	}
}

/* A slip in a key would make a case that asks nothing. */
static void check_keys(struct check *c, const cJSON *then)
{
	static const char *const keys[] = { "actions", "events", "warnings", "status", "members", "conditions", "calls",
	                                    "configs", "requeue" };
	const cJSON *item;
	cJSON_ArrayForEach(item, then) {
		bool known = false;
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
			known |= strcmp(keys[i], item->string) == 0;
		if (!known)
			differ(c, item->string, "a key of `then`", "one that README.md does not have");
	}
}

static void check(struct check *c, const cJSON *then)
{
	const cJSON *item;
	check_keys(c, then);
	cleanup_json cJSON *status = cJSON_Parse(crd_text(&cluster_status_type, c->v.status, c->w->arena));
	if (json_get(then, "actions"))
		check_list(c, "actions", json_get(then, "actions"), lines(c, LINES_ACTIONS));
	if (json_get(then, "events"))
		check_list(c, "events", json_get(then, "events"), lines(c, LINES_EVENTS));
	if (json_get(then, "warnings"))
		check_list(c, "warnings", json_get(then, "warnings"), lines(c, LINES_WARNINGS));
	cJSON_ArrayForEach(item, json_get(then, "conditions"))
		check_condition(c, item);
	cJSON_ArrayForEach(item, json_get(then, "calls"))
		check_call(c, item);
	cJSON_ArrayForEach(item, json_get(then, "configs"))
		check_config(c, item);
	if (json_get(then, "status"))
		match(c, "status", json_get(then, "status"), status);
	cJSON_ArrayForEach(item, json_get(then, "members"))
		check_member(c, item);
	if (json_get(then, "requeue")) {
		int64_t got = c->v.requeue_at ? (c->v.requeue_at - c->w->snapshot.now) / 1000 : 0;
		if (got != json_int(then, "requeue", 0))
			differ(c, "requeue", print(c, json_get(then, "requeue")), arena_printf(c->w->arena, "%lld",
			       (long long)got));
	}
}

static bool run_case(const cJSON *doc, const char *file)
{
	cleanup_arena struct arena arena = { .chunks = NULL };
	cleanup_strbuf struct strbuf wrong = { .data = NULL };
	struct case_world w = { .arena = &arena };
	struct err err = { .kind = ERR_NONE };
	const char *name = json_str(doc, "case");
	struct check c = { .w = &w, .wrong = &wrong };
	if (!name || !json_get(doc, "then") || case_build(doc, &w, &err) < 0) {
		strbuf_addf(&wrong, "    the case itself is wrong: %s\n", err.kind ? err.msg : "no `case` or no `then`");
	} else {
		c.v = decide_cluster(&w.snapshot, &arena);
		check(&c, json_get(doc, "then"));
	}
	bool ok = wrong.len == 0;
	printf("%s %s: %s\n%s", ok ? "ok  " : "FAIL", file, name ? name : "?", strbuf_str(&wrong));
	if (!ok && c.v.trace)
		printf("    trace: %s\n", case_short_names(&w, c.v.trace));
	return ok;
}

static cJSON *load(const char *path, struct err *err)
{
	FILE *f = fopen(path, "r");
	if (!f) {
		err_set(err, ERR_NOT_FOUND, "cannot be opened");
		return NULL;
	}
	cleanup_strbuf struct strbuf text = { .data = NULL };
	char part[4096];
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		strbuf_add(&text, part, n);
	fclose(f);
	return yaml_parse_all(strbuf_str(&text), text.len, err);
}

static int passed, failed;

static void count(bool ok)
{
	if (ok)
		passed++;
	else
		failed++;
}

/* A file holds documents, each one case or a list of cases (which can share anchors). */
static void run_file(const char *path)
{
	struct err err = { .kind = ERR_NONE };
	cleanup_json cJSON *docs = load(path, &err);
	const cJSON *doc, *item;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	if (!docs) {
		printf("FAIL %s: %s\n", path, err.msg);
		count(false);
	}
	cJSON_ArrayForEach(doc, docs) {
		if (!cJSON_IsArray(doc)) {
			count(run_case(doc, name));
			continue;
		}
		cJSON_ArrayForEach(item, doc)
			count(run_case(item, name));
	}
}

int main(int argc, char **argv)
{
	glob_t files = { .gl_pathc = 0 };
	if (argc == 1)
		glob("tests/cases/*/*.yaml", 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++)
		run_file(files.gl_pathv[i]);
	for (int i = 1; i < argc; i++)
		run_file(argv[i]);
	globfree(&files);
	printf("%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed || !passed ? EXIT_FAILURE : EXIT_SUCCESS;
}
