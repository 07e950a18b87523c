/*
 * What has come of a request, until it is whole and handed over. The same for HTTP/1.1 and HTTP/2.
 */
#pragma once

#include "crd/base/strbuf.h"
#include "serve.h"

/* The command of an exec stands in the path, 90 KiB of it and more; Go's servers take 1 MiB for the whole head. */
#define HEAD_FIELD_MAX ((size_t)1 << 20)
/* Subprotocols beyond are not looked at; kubectl offers five. */
#define HEAD_PROTOCOLS_MAX 16

enum head_field {
	HEAD_METHOD,
	HEAD_PATH,
	HEAD_CONTENT_TYPE,
	HEAD_ACCEPT,
	HEAD_AUTHORIZATION,
	HEAD_USER_AGENT,
	HEAD_PROTOCOLS,
	HEAD_FIELDS
};

struct head {
	struct strbuf fields[HEAD_FIELDS];
	struct strbuf body;      /* .full: longer than SERVE_BODY_MAX */
	bool is_websocket;
	bool is_bad;             /* a header came twice that may come once, or was too long */
	const char *protocols[HEAD_PROTOCOLS_MAX + 1];
};

struct head *head_new(void);
void head_free(struct head *h);

void head_set(struct head *h, enum head_field field, const char *value, size_t len);
/* Keeps what is of interest. NAME in any case. */
void head_add(struct head *h, const char *name, size_t name_len, const char *value, size_t len);
/* Borrows from H. */
struct serve_request head_request(struct head *h);
