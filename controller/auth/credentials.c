#include "credentials.h"

#include "controller/clock.h"
#include "controller/log.h"
#include "file.h"
#include "pem.h"
#include "plugin.h"

#include <ctype.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

int material_load(struct material *m, const char *file, const char *source, struct err *err)
{
	m->file = file;
	m->source = source;
	if (file_read(file, &m->text, err) < 0)
		return err_wrap(err, "%s", source);
	if (m->text.len == 0)
		return err_set(err, ERR_INVALID, "%s: %s is empty", source, file);
	return 0;
}

int token_clean(struct material *m, struct err *err)
{
	static const char bom[] = "\xEF\xBB\xBF";
	cleanup_strbuf struct strbuf clean = { 0 };
	const char *from = strbuf_str(&m->text), *to = from + m->text.len;

	if (to - from >= 3 && memcmp(from, bom, 3) == 0)
		from += 3;
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	if (from == to)
		return err_set(err, ERR_INVALID, "%s: the token is empty", m->source);
	/* client-go sends bytes beyond ASCII as they are. */
	for (const char *c = from; c < to; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return err_set(err, ERR_INVALID, "%s: the token has a character that no token has",
			               m->source);
	strbuf_add(&clean, from, (size_t)(to - from));
	strbuf_clear(&m->text);
	strbuf_adds(&m->text, clean.data);
	return 0;
}

int token_load(struct material *m, const char *file, const char *source, struct err *err)
{
	return material_load(m, file, source, err) < 0 ? -1 : token_clean(m, err);
}

int credentials_check(const struct credentials *c, struct err *err)
{
	if (c->ca.text.len > 0 && pem_check_ca(&c->ca, err) < 0)
		return -1;
	return c->cert.text.len > 0 ? pem_check_pair(&c->cert, &c->key, err) : 0;
}

void credentials_add_headers(const struct credentials *c, struct strbuf *out)
{
	if (c->token.text.len > 0)
		strbuf_addf(out, "Authorization: Bearer %s\r\n", c->token.text.data);
	else if (c->basic)
		strbuf_addf(out, "Authorization: Basic %s\r\n", c->basic);
	if (c->impersonate)
		strbuf_adds(out, c->impersonate);
}

static bool reread(struct material *m, int (*load)(struct material *, const char *, const char *, struct err *))
{
	struct material fresh = { 0 };
	struct err err = { 0 };

	if (!m->file)
		return false;
	bool loads = load(&fresh, m->file, m->source, &err) == 0;
	bool changed = loads && strcmp(strbuf_str(&fresh.text), strbuf_str(&m->text)) != 0;
	if (!loads)
		log_warn("credentials cannot be read again, keeping what was read before", LOG_STR("error", err.msg));
	if (changed) {
		struct strbuf old = m->text;
		m->text = fresh.text;
		fresh.text = old;
	}
	strbuf_release(&fresh.text);
	return changed;
}

static bool reread_all(struct credentials *c, int64_t now_ms, bool at_once)
{
	bool changed = false;

	if (!at_once && now_ms - c->read_at_ms < CREDENTIALS_REREAD_MS)
		return false;
	c->read_at_ms = now_ms;
	changed |= reread(&c->ca, material_load);
	changed |= reread(&c->cert, material_load);
	changed |= reread(&c->key, material_load);
	changed |= reread(&c->token, token_load);
	return changed;
}

/* TEXT moves into M, unless it says the same. Without TEXT, what the plugin gave before goes; what a file gave stays. */
static bool replace(struct material *m, struct strbuf *text, const char *source)
{
	bool is_ours = m->source == source;

	if (strcmp(strbuf_str(&m->text), strbuf_str(text)) == 0 || (text->len == 0 && !is_ours))
		return false;
	strbuf_release(&m->text);
	*m = (struct material){ .text = *text, .source = source };
	*text = (struct strbuf){ 0 };
	return true;
}

static bool ask_plugin(struct credentials *c, int64_t now_ms, bool at_once)
{
	static const char token[] = "the plugin's token", cert[] = "the plugin's certificate", key[] = "the plugin's key";
	cleanup_execcredential struct execcredential answer = { 0 };
	bool changed = false;

	if (!c->plugin)
		return false;
	if (at_once)
		plugin_refused(c->plugin, now_ms);
	int news = plugin_step(c->plugin, now_ms, &answer);
	/* Without an answer to fall back on, whoever waits for one is told. */
	if (news < 0 && c->plugin->answered)
		log_warn("credential plugin failed", LOG_STR("who", c->who), LOG_STR("error", c->plugin->err.msg));
	if (news <= 0)
		return false;
	changed |= replace(&c->token, &answer.token, token);
	changed |= replace(&c->cert, &answer.cert, cert);
	changed |= replace(&c->key, &answer.key, key);
	return changed;
}

bool credentials_refresh(struct credentials *c, int64_t now_ms, bool at_once)
{
	bool files = reread_all(c, now_ms, at_once), plugin = ask_plugin(c, now_ms, at_once);

	if (!files && !plugin)
		return false;
	/* The plugin's first answer changes nothing. */
	if (c->version++ > 0 || files)
		log_info("credentials changed", LOG_STR("who", c->who));
	return true;
}

enum credentials_state credentials_state(const struct credentials *c, int64_t now_ms)
{
	if (!c->plugin)
		return CREDENTIALS_READY;
	switch (plugin_state(c->plugin, now_ms)) {
	case PLUGIN_USABLE:
		return CREDENTIALS_READY;
	case PLUGIN_PENDING:
		return CREDENTIALS_PENDING;
	case PLUGIN_FAILED:
		return CREDENTIALS_MISSING;
	}
	return CREDENTIALS_MISSING;
}

int credentials_problem(const struct credentials *c, struct err *err)
{
	if (!c->plugin || c->plugin->failures == 0)
		return 0;
	*err = c->plugin->err;
	return err_wrap(err, "credential plugin of %s", c->who);
}

static void wait_for_plugin(const struct credentials *c, int64_t now_ms)
{
	int fds[CREDENTIALS_FDS_MAX];
	struct pollfd polled[CREDENTIALS_FDS_MAX];
	size_t count = credentials_descriptors(c, fds);
	int64_t wait = credentials_deadline(c) - now_ms;

	for (size_t i = 0; i < count; i++)
		polled[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	poll(polled, count, wait < 0 ? 0 : wait < INT_MAX ? (int)wait : INT_MAX);
}

int credentials_wait(struct credentials *c, struct err *err)
{
	for (;;) {
		credentials_refresh(c, clock_steady_ms(), false);
		int64_t now = clock_steady_ms();
		enum credentials_state state = credentials_state(c, now);
		if (state != CREDENTIALS_PENDING)
			return state == CREDENTIALS_READY ? 0 : credentials_problem(c, err);
		wait_for_plugin(c, now);
	}
}

size_t credentials_descriptors(const struct credentials *c, int fds[CREDENTIALS_FDS_MAX])
{
	return c->plugin ? plugin_descriptors(c->plugin, fds) : 0;
}

int64_t credentials_deadline(const struct credentials *c)
{
	return c->plugin ? plugin_deadline(c->plugin) : INT64_MAX;
}

void credentials_release(struct credentials *c)
{
	struct material *all[] = { &c->ca, &c->cert, &c->key, &c->token };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		strbuf_release(&all[i]->text);
	if (c->plugin)
		plugin_release(c->plugin);
	arena_release(&c->memory);
	*c = (struct credentials){ 0 };
}
