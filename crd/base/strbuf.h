/*
 * A growable string with a cap. .data is NUL-terminated whenever .len > 0; strbuf_str() gives "" for an empty one.
 * Reaching the cap sets .full and drops what no longer fits, so that a writer need not check each call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct strbuf {
	char *data;
	size_t len, room;
	size_t cap;          /* 0 means STRBUF_CAP */
	struct arena *arena; /* where the memory comes from and goes back to; NULL means malloc */
	bool full;
};

#define STRBUF_CAP ((size_t)64 << 20)

void strbuf_add(struct strbuf *b, const char *data, size_t len);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addc(struct strbuf *b, char c);
void strbuf_add_int(struct strbuf *b, int64_t value);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends S as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void strbuf_add_json(struct strbuf *b, const char *s);
const char *strbuf_str(const struct strbuf *b);
void strbuf_clear(struct strbuf *b);             /* keeps the memory */
char *strbuf_take(struct strbuf *b);             /* the caller frees it (unless an arena's); B is empty afterwards */
void strbuf_release(struct strbuf *b);
#define cleanup_strbuf __attribute__((cleanup(strbuf_release)))
