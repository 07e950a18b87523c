/*
 * The client's opening handshake of a WebSocket (RFC 6455, section 4), as far as an exec needs it. No IO: text in,
 * text out. Frames are libwslay's business, what is in them channel.h's.
 */
#pragma once

#include "crd/base/err.h"
#include "crd/base/strbuf.h"

#include <stddef.h>

#define WS_NONCE_SIZE 16
#define WS_KEY_SIZE 25 /* base64 of the nonce, and a NUL */
/* The head of an answer; Go's servers send a few hundred bytes. */
#define WS_HEAD_MAX 16384

/* What the client offers, best first. v5 differs from v4 only in that a client can end stdin. */
#define WS_PROTOCOLS "v5.channel.k8s.io, v4.channel.k8s.io"

void ws_key(const unsigned char nonce[WS_NONCE_SIZE], char ret_key[WS_KEY_SIZE]);

struct ws_request {
	const char *host;   /* with port */
	const char *target; /* path and query, encoded */
	const char *key;
	const char *headers; /* more lines, each with its CRLF */
};
void ws_write_request(const struct ws_request *r, struct strbuf *out);

/* The length of the head at the start of DATA with its empty line, or 0 while that has not come. */
size_t ws_head_length(const char *data, size_t len);

struct ws_head {
	int http;
	long content_length; /* -1: not told */
};
/* Reads the status line and Content-Length of a whole head. Returns 0, or -1 when this is no HTTP. */
int ws_read_head(const char *head, size_t len, struct ws_head *ret_head, struct err *err);

/*
 * Whether a head with code 101 takes up our offer: Upgrade, Connection, Sec-WebSocket-Accept for KEY, and one of the
 * protocols. Returns 0, or -1 with what is wrong.
 */
int ws_check_head(const char *head, size_t len, const char *key, struct err *err);
