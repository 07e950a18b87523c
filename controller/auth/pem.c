#include "pem.h"

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

int pem_check_ca(const struct material *ca, struct err *err)
{
	cleanup_cert X509 *cert = read_cert(ca);

	ERR_clear_error();
	return cert ? 0 : err_set(err, ERR_INVALID, "%s holds no PEM certificate", ca->source);
}

static int check_pair(const struct material *cert_text, const struct material *key_text, struct err *err)
{
	cleanup_cert X509 *cert = read_cert(cert_text);
	cleanup_key EVP_PKEY *key = read_key(key_text);

	if (!cert)
		return err_set(err, ERR_INVALID, "%s holds no PEM certificate", cert_text->source);
	if (!key && strstr(key_text->text.data, "ENCRYPTED"))
		return err_set(err, ERR_INVALID, "%s is encrypted; give one without a passphrase", key_text->source);
	if (!key)
		return err_set(err, ERR_INVALID, "%s holds no PEM private key", key_text->source);
	if (X509_check_private_key(cert, key) != 1)
		return err_set(err, ERR_INVALID, "%s does not belong to %s", key_text->source, cert_text->source);
	return 0;
}

int pem_check_pair(const struct material *cert, const struct material *key, struct err *err)
{
	int checked = check_pair(cert, key, err);

	ERR_clear_error();
	return checked;
}
