#include "credentials.h"

#include "controller/log.h"
#include "file.h"
#include "pem.h"

#include <ctype.h>
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

bool credentials_refresh(struct credentials *c, int64_t now_ms, bool at_once)
{
	bool changed = false;

	if (!at_once && now_ms - c->read_at_ms < CREDENTIALS_REREAD_MS)
		return false;
	c->read_at_ms = now_ms;
	changed |= reread(&c->ca, material_load);
	changed |= reread(&c->cert, material_load);
	changed |= reread(&c->key, material_load);
	changed |= reread(&c->token, token_load);
	if (changed) {
		c->version++;
		log_info("credentials changed", LOG_STR("who", c->who));
	}
	return changed;
}

void credentials_release(struct credentials *c)
{
	struct material *all[] = { &c->ca, &c->cert, &c->key, &c->token };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		strbuf_release(&all[i]->text);
	arena_release(&c->memory);
	*c = (struct credentials){ 0 };
}
