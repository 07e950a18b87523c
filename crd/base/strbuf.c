#include "strbuf.h"

#include "arena.h"
#include "die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64
#define INT_SIZE 20 /* "-9223372036854775808" */

static char *grow(char *data, size_t room)
{
	char *grown = realloc(data, room);
	if (!grown)
		die("strbuf", "out of memory", room);
	return grown;
}

/* How many of LEN bytes may still be added; makes room for them and the NUL. */
static size_t make_room(struct strbuf *b, size_t len)
{
	size_t cap = b->cap ? b->cap : STRBUF_CAP;
	if (len > cap - b->len) {
		b->full = true;
		len = cap - b->len;
	}
	size_t need = b->len + len + 1;
	if (need <= b->room)
		return len;

	size_t room = b->room ? b->room : FIRST_ROOM;
	while (room < need)
		room *= 2;
	b->data = b->arena ? arena_grow(b->arena, b->data, b->len, room, 1) : grow(b->data, room);
	b->room = room;
	return len;
}

void strbuf_add(struct strbuf *b, const char *data, size_t len)
{
	if (len == 0 || b->full)
		return;
	len = make_room(b, len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void strbuf_adds(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_addc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

void strbuf_add_int(struct strbuf *b, int64_t value)
{
	char text[INT_SIZE];
	size_t at = sizeof(text);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	do {
		text[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		text[--at] = '-';
	strbuf_add(b, text + at, sizeof(text) - at);
}

/* Prints where there is room, which is mostly enough, and once more where there was not. */
void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	if (b->full)
		return;
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	size_t room = b->data ? b->room - b->len : 0;
	int len = vsnprintf(room ? b->data + b->len : NULL, room, fmt, args);
	va_end(args);

	if (len > 0) {
		size_t kept = make_room(b, (size_t)len);
		if ((size_t)len >= room || kept < (size_t)len)
			vsnprintf(b->data + b->len, kept + 1, fmt, again);
		b->len += kept;
	}
	va_end(again);
}

static int is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * Length of the UTF-8 character at S, or 0 when there is none (RFC 3629 section 4: no overlong forms, no surrogates,
 * nothing beyond U+10FFFF). The NUL at the end of S is no tail, so this never reads past it.
 */
static size_t utf8_len(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		return is_tail(u[1]) ? 2 : 0;
	if (u[0] >= 0xe0 && u[0] <= 0xef) {
		unsigned char low = u[0] == 0xe0 ? 0xa0 : 0x80, high = u[0] == 0xed ? 0x9f : 0xbf;
		return u[1] >= low && u[1] <= high && is_tail(u[2]) ? 3 : 0;
	}
	if (u[0] >= 0xf0 && u[0] <= 0xf4) {
		unsigned char low = u[0] == 0xf0 ? 0x90 : 0x80, high = u[0] == 0xf4 ? 0x8f : 0xbf;
		return u[1] >= low && u[1] <= high && is_tail(u[2]) && is_tail(u[3]) ? 4 : 0;
	}
	return 0;
}

/* The one byte at S that JSON does not take as it is (RFC 8259 section 7), or that is not UTF-8. */
static void add_escape(struct strbuf *b, const char *s)
{
	static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	for (const char *p = shorts; *p; p += 2) {
		if (*p == *s) {
			strbuf_addc(b, '\\');
			strbuf_addc(b, p[1]);
			return;
		}
	}
	if ((unsigned char)*s < 0x20 || *s == 0x7f)
		strbuf_addf(b, "\\u%04x", (unsigned char)*s);
	else
		strbuf_adds(b, "\xef\xbf\xbd");
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* How many bytes at S go into JSON text as they are. */
static size_t plain_len(const char *s)
{
	size_t len = 0;
	for (;;) {
		while (is_plain((unsigned char)s[len]))
			len++;
		size_t character = utf8_len(s + len);
		if (character < 2)
			return len;
		len += character;
	}
}

void strbuf_add_json(struct strbuf *b, const char *s)
{
	strbuf_addc(b, '"');
	while (*s) {
		size_t run = plain_len(s);
		strbuf_add(b, s, run);
		s += run;
		if (*s)
			add_escape(b, s++);
	}
	strbuf_addc(b, '"');
}

const char *strbuf_str(const struct strbuf *b)
{
	return b->len > 0 ? b->data : "";
}

void strbuf_clear(struct strbuf *b)
{
	b->len = 0;
	b->full = false;
	if (b->data)
		b->data[0] = '\0';
}

char *strbuf_take(struct strbuf *b)
{
	make_room(b, 0);
	b->data[b->len] = '\0';
	char *data = b->data;
	*b = (struct strbuf){ .cap = b->cap, .arena = b->arena };
	return data;
}

void strbuf_release(struct strbuf *b)
{
	if (!b)
		return;
	if (!b->arena)
		free(b->data);
	*b = (struct strbuf){ .cap = b->cap, .arena = b->arena };
}
