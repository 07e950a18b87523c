/*
 * The head of an HTTP/1.1 request (RFC 9112), strictly: what two readers could understand in two ways is refused. No IO.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct head;

#define H1_WS_KEY_SIZE 25 /* base64 of 16 bytes, and a NUL */

/* What the head says about the connection and the body. */
struct h1_ask {
	uint64_t content_length; /* 0 when there is no body, or it comes in chunks */
	bool is_chunked;
	bool waits_for_continue;
	bool is_last;            /* "Connection: close" */
	char ws_key[H1_WS_KEY_SIZE];
};

/* DATA ends with the empty line. Returns 0, or the HTTP code of what is wrong. */
int h1_parse(const char *data, size_t len, struct head *head, struct h1_ask *ret_ask);

/* The line that tells the size of a chunk, without its CRLF. -1 when it is none, or over INT32_MAX. */
int64_t h1_parse_chunk_size(const char *line, size_t len);
