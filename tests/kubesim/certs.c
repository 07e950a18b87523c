#include "certs.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define VALID_S (24 * 3600)

static void release_key(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
}
#define cleanup_key __attribute__((cleanup(release_key)))

static void release_cert(X509 **cert)
{
	X509_free(*cert);
}
#define cleanup_cert __attribute__((cleanup(release_cert)))

static int add_extension(X509 *cert, int nid, const char *value)
{
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
	int ok = extension && X509_add_ext(cert, extension, -1);

	X509_EXTENSION_free(extension);
	return ok;
}

static void name_it(X509_NAME *name, const char *text)
{
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)text, -1, -1, 0);
}

/* Elliptic curves: a handshake costs a tenth of what RSA takes, and each exec is one. */
static X509 *make(EVP_PKEY *key, const char *name, EVP_PKEY *ca_key, int nid, const char *value)
{
	X509 *cert = X509_new();

	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), nid);
	X509_gmtime_adj(X509_getm_notBefore(cert), -60);
	X509_gmtime_adj(X509_getm_notAfter(cert), VALID_S);
	name_it(X509_get_subject_name(cert), name);
	name_it(X509_get_issuer_name(cert), "kubesim-ca");
	X509_set_pubkey(cert, key);
	if (add_extension(cert, nid, value) && X509_sign(cert, ca_key, EVP_sha256()))
		return cert;
	X509_free(cert);
	return NULL;
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static int write_cert(const char *dir, const char *name, X509 *cert)
{
	FILE *file = create(dir, name);
	int ok = file && PEM_write_X509(file, cert);

	return file && fclose(file) == 0 && ok;
}

static int write_key(const char *dir, const char *name, EVP_PKEY *key)
{
	FILE *file = create(dir, name);
	int ok = file && PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);

	return file && fclose(file) == 0 && ok;
}

int certs_make(const char *dir, struct err *err)
{
	cleanup_key EVP_PKEY *ca_key = EVP_EC_gen("P-256"), *key = EVP_EC_gen("P-256");
	cleanup_cert X509 *ca = NULL, *cert = NULL;

	if (ca_key && key) {
		ca = make(ca_key, "kubesim-ca", ca_key, NID_basic_constraints, "critical,CA:TRUE");
		cert = make(key, "kubesim", ca_key, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
	}
	if (!ca || !cert)
		return err_set(err, ERR_INVALID, "OpenSSL makes no certificates");
	if (!write_cert(dir, "ca.crt", ca) || !write_cert(dir, "server.crt", cert) || !write_key(dir, "server.key", key))
		return err_set(err, ERR_INVALID, "%s: the certificates cannot be written", dir);
	return 0;
}
