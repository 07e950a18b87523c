#include "tls.h"

#include "serve.h"

#include <openssl/err.h>
#include <string.h>

#define REASON_MAX 256

static int refuse(struct err *err, const char *what, const char *file)
{
	char reason[REASON_MAX];

	ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
	ERR_clear_error();
	return err_set(err, ERR_INVALID, "%s %s: %s", what, file, reason);
}

/* A client that offers protocols, but none of ours, is sent away (RFC 7301, section 3.2). */
static int choose(SSL *tls, const unsigned char **ret_name, unsigned char *ret_len, const unsigned char *offered,
                  unsigned int len, void *ctx)
{
	static const unsigned char ours[] = "\x02h2\x08http/1.1";

	(void)tls;
	(void)ctx;
	int result = SSL_select_next_proto((unsigned char **)ret_name, ret_len, ours, sizeof(ours) - 1, offered, len);
	return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int load(SSL_CTX *context, const struct serve_options *o, struct err *err)
{
	if (SSL_CTX_use_certificate_chain_file(context, o->cert_file) != 1)
		return refuse(err, "certificate", o->cert_file);
	if (SSL_CTX_use_PrivateKey_file(context, o->key_file, SSL_FILETYPE_PEM) != 1)
		return refuse(err, "key", o->key_file);
	if (!o->client_ca_file)
		return 0;

	STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(o->client_ca_file);
	if (!names || SSL_CTX_load_verify_locations(context, o->client_ca_file, NULL) != 1) {
		sk_X509_NAME_pop_free(names, X509_NAME_free);
		return refuse(err, "CA of clients", o->client_ca_file);
	}
	SSL_CTX_set_client_CA_list(context, names);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	return 0;
}

SSL_CTX *tls_context_new(const struct serve_options *options, struct err *err)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	if (!context) {
		refuse(err, "TLS", "context");
		return NULL;
	}
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	/* No sessions are kept: they cost memory, and clients here stay connected. */
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_num_tickets(context, 0);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
	                                  SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_alpn_select_cb(context, choose, NULL);
	if (load(context, options, err) != 0) {
		SSL_CTX_free(context);
		return NULL;
	}
	return context;
}

static enum tls_result result(SSL *tls, int ret)
{
	if (ret > 0)
		return TLS_DONE;
	switch (SSL_get_error(tls, ret)) {
	case SSL_ERROR_WANT_READ:
		return TLS_WAITS_TO_READ;
	case SSL_ERROR_WANT_WRITE:
		return TLS_WAITS_TO_WRITE;
	default:
		return TLS_OVER;
	}
}

enum tls_result tls_accept(SSL *tls)
{
	ERR_clear_error();
	return result(tls, SSL_accept(tls));
}

enum tls_result tls_read(SSL *tls, char *data, size_t size, size_t *ret_len)
{
	ERR_clear_error();
	return result(tls, SSL_read_ex(tls, data, size, ret_len));
}

enum tls_result tls_write(SSL *tls, const char *data, size_t len, size_t *ret_written)
{
	ERR_clear_error();
	return result(tls, SSL_write_ex(tls, data, len, ret_written));
}

bool tls_speaks_h2(const SSL *tls)
{
	const unsigned char *name = NULL;
	unsigned int len = 0;

	SSL_get0_alpn_selected(tls, &name, &len);
	return len == 2 && memcmp(name, "h2", 2) == 0;
}
