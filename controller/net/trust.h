/*
 * The CA certificates as OpenSSL keeps them once they were read. libcurl reads the PEM texts anew for each connection: execs,
 * which have one each, would spend a tenth of their time on that.
 *
 * A trust is taken over from the first connection that read the texts and serves all that begin later, until the credentials
 * change. So what libcurl says of texts that cannot be read stays as it is.
 */
#pragma once

#include <curl/curl.h>
#include <openssl/types.h>

/* A zeroed struct holds nothing. */
struct trust {
	X509_STORE *store; /* NULL: not read yet */
	unsigned version;  /* of the credentials that it is from */
};

/* TO becomes what FROM is, which may be TO itself. */
void trust_copy(struct trust *to, const struct trust *from);
void trust_release(struct trust *t);

/*
 * After easy_set_tls(): EASY and a TLS proxy on its way, which trusts the same, use what T holds. When that is nothing, T takes over
 * what they read. T must live as long as EASY connects.
 */
void trust_use(struct trust *t, CURL *easy);
