#include "credentials.h"

#include "controller/log.h"
#include "file.h"

#include <ctype.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

static void free_bio(BIO **bio)
{
	BIO_free(*bio);
}

static void free_cert(X509 **cert)
{
	X509_free(*cert);
}

static void free_key(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
}

#define cleanup_bio __attribute__((cleanup(free_bio)))
#define cleanup_cert __attribute__((cleanup(free_cert)))
#define cleanup_key __attribute__((cleanup(free_key)))

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
	for (const char *c = from; c < to; c++)
		if (*c <= ' ' || *c > '~')
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

/* Without this OpenSSL would ask on the terminal, and wait. */
static int no_passphrase(char *buf, int size, int rwflag, void *ctx)
{
	(void)buf, (void)size, (void)rwflag, (void)ctx;
	return -1;
}

static BIO *open_text(const struct material *m)
{
	return BIO_new_mem_buf(m->text.data, (int)m->text.len);
}

static X509 *read_cert(const struct material *m)
{
	cleanup_bio BIO *bio = open_text(m);

	return PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
}

static EVP_PKEY *read_key(const struct material *m)
{
	cleanup_bio BIO *bio = open_text(m);

	return PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
}

static int check_pair(const struct credentials *c, struct err *err)
{
	cleanup_cert X509 *cert = read_cert(&c->cert);
	cleanup_key EVP_PKEY *key = read_key(&c->key);

	if (!cert)
		return err_set(err, ERR_INVALID, "%s holds no PEM certificate", c->cert.source);
	if (!key && strstr(c->key.text.data, "ENCRYPTED"))
		return err_set(err, ERR_INVALID, "%s is encrypted; give one without a passphrase", c->key.source);
	if (!key)
		return err_set(err, ERR_INVALID, "%s holds no PEM private key", c->key.source);
	if (X509_check_private_key(cert, key) != 1)
		return err_set(err, ERR_INVALID, "%s does not belong to %s", c->key.source, c->cert.source);
	return 0;
}

int credentials_check(const struct credentials *c, struct err *err)
{
	int failed = 0;

	if (c->ca.text.len > 0) {
		cleanup_cert X509 *ca = read_cert(&c->ca);
		if (!ca)
			failed = err_set(err, ERR_INVALID, "%s holds no PEM certificate", c->ca.source);
	}
	if (failed == 0 && c->cert.text.len > 0)
		failed = check_pair(c, err);
	ERR_clear_error();
	return failed;
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
