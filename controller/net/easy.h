/*
 * What every libcurl handle of ours has in common: where it goes, TLS, who we are, and sockets that notice when the
 * other side is gone. Requests and execs go through here alike, so that they trust and prove the same things.
 */
#pragma once

#include "controller/auth/credentials.h"

#include <curl/curl.h>

#define EASY_CONNECT_TIMEOUT_MS 10000
/* Data that nobody acknowledges for this long means that the peer is gone (tcp(7), TCP_USER_TIMEOUT). */
#define EASY_PEER_TIMEOUT_MS 20000
/* An idle connection is probed after this long; routers forget silent ones after minutes. */
#define EASY_KEEPALIVE_S 30

/* These do not fail: memory has run out, or the mistake is ours. */
CURL *easy_new(void);
CURLM *easy_new_multi(void);
void easy_add(CURLM *multi, CURL *easy);
struct curl_slist *easy_append(struct curl_slist *list, const char *text);

/* An option that libcurl does not take is a mistake of ours, or memory has run out. */
#define EASY_SET(easy, option, value) easy_check(curl_easy_setopt(easy, option, value))
void easy_check(CURLcode code);

/* The server's address, taken apart once. */
struct endpoint {
	struct credentials *credentials; /* borrowed */
	char *base;                      /* URL in front of a path; holds tls-server-name where there is one */
	char *host;                      /* for the Host header: the real one, with port */
	char *prefix;                    /* path in front of a path; "" as a rule */
	struct curl_slist *connect_to;   /* to the real host, when BASE holds another name; else NULL */
};

int endpoint_init(struct endpoint *ep, struct credentials *credentials, struct err *err);
void endpoint_release(struct endpoint *ep);

/* Sets URL, proxy and socket options. libcurl writes its own words for a failure into ERROR. */
void easy_set_up(CURL *easy, const struct endpoint *ep, const char *path, char error[CURL_ERROR_SIZE]);

/* Sets what TLS needs, as the credentials are now. */
void easy_set_tls(CURL *easy, const struct endpoint *ep);

/* What CODE means, with libcurl's own words ERROR where ours say less. Returns -1. */
int easy_problem(CURL *easy, const struct endpoint *ep, CURLcode code, const char *error, struct err *err);
