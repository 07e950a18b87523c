#include "controller/exec/detail.h"

#include "crd/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes that a character beginning with C has; 0 when none does. */
static size_t length_of(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if (c >= 0xe0 && c <= 0xef)
		return 3;
	return c >= 0xf0 && c <= 0xf4 ? 4 : 0;
}

/* The character at TEXT, and its length; 0 when there is none (RFC 3629: overlong forms and surrogates are none). */
static size_t decode(const char *text, size_t len, uint32_t *ret_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)*text;
	size_t size = length_of(first);
	uint32_t point = size > 1 ? first & (0x7fu >> size) : first;

	if (size == 0 || size > len)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (!is_tail((unsigned char)text[i]))
			return 0;
		point = point << 6 | ((unsigned char)text[i] & 0x3fu);
	}
	if (point < least[size] || (point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff)
		return 0;
	*ret_point = point;
	return size;
}

static bool is_white(uint32_t point)
{
	return point == ' ' || (point >= '\t' && point <= '\r') || point == 0x2028 || point == 0x2029;
}

static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

/* TEXT as one line in A, never longer than TEXT; *RET_LEN may be 0. */
static const char *one_line(const char *text, size_t len, struct arena *a, size_t *ret_len)
{
	char *line = arena_alloc(a, len + 1);
	size_t used = 0, size;
	bool blank = false;

	for (size_t at = 0; at < len; at += size) {
		uint32_t point = '?';
		const char *from = text + at;
		size_t bytes = size = decode(from, len - at, &point);
		if (size == 0) {
			from = "?";
			bytes = size = 1;
		}
		if (is_white(point)) {
			blank = used > 0;
			continue;
		}
		if (is_control(point))
			continue;
		if (blank)
			line[used++] = ' ';
		blank = false;
		memcpy(line + used, from, bytes);
		used += bytes;
	}
	*ret_len = used;
	return line;
}

const char *detail_head(const char *text, size_t len, size_t max, struct arena *a)
{
	const char *line = one_line(text, len, a, &len);

	if (len > max) {
		len = max;
		while (len > 0 && is_tail((unsigned char)line[len]))
			len--;
	}
	return len > 0 ? arena_strndup(a, line, len) : NULL;
}

const char *detail_tail(const char *text, size_t len, size_t max, struct arena *a)
{
	const char *line = one_line(text, len, a, &len);
	size_t from = len > max ? len - max : 0;

	while (from > 0 && from < len && is_tail((unsigned char)line[from]))
		from++;
	return len > from ? line + from : NULL;
}
