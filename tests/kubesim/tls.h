/*
 * The few things that serve asks of OpenSSL: a context from files, and calls that never wait and say what they wait for.
 */
#pragma once

#include "crd/base/err.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct serve_options;

enum tls_result {
	TLS_DONE,
	TLS_WAITS_TO_READ,
	TLS_WAITS_TO_WRITE,
	TLS_OVER, /* closed by the other side, or broken */
};

/* NULL with ERR when a file cannot be read, or key and certificate do not belong together. */
SSL_CTX *tls_context_new(const struct serve_options *options, struct err *err);

enum tls_result tls_accept(SSL *tls);
enum tls_result tls_read(SSL *tls, char *data, size_t size, size_t *ret_len);
enum tls_result tls_write(SSL *tls, const char *data, size_t len, size_t *ret_written);
/* What was agreed on in ALPN. */
bool tls_speaks_h2(const SSL *tls);
