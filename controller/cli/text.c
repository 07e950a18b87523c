#include "text.h"

#include "crd/base/strbuf.h"

#include <stdbool.h>
#include <string.h>

static bool is_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Bytes of the character at S; 0 when it is none. Overlong forms pass: whole, they are not dangerous. */
static size_t char_len(const char *s)
{
	unsigned char c = (unsigned char)*s;
	size_t len = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < len; i++)
		if (!is_tail(s[i]))
			return 0;
	return len;
}

/* C0, DEL, and C1 (U+0080 to U+009F), which some terminals obey like escape sequences. */
static bool is_control(const char *s)
{
	unsigned char c = (unsigned char)*s;

	return c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

const char *text_clean(struct arena *a, const char *text)
{
	struct strbuf out = { .arena = a };

	if (!text)
		return NULL;
	while (*text) {
		size_t len = char_len(text);
		if (len == 0)
			strbuf_addc(&out, '?');
		else if (is_control(text))
			strbuf_addc(&out, ' ');
		else
			strbuf_add(&out, text, len);
		text += len ? len : 1;
	}
	return strbuf_str(&out);
}

size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += !is_tail(*text);
	return width;
}

/* Where character N of TEXT begins. */
static const char *skip(const char *text, size_t n)
{
	while (*text && (n > 0 || is_tail(*text)))
		n -= !is_tail(*text++);
	return text;
}

const char *text_shorten(struct arena *a, const char *text, size_t width)
{
	size_t all = text_width(text);

	if (all <= width)
		return text;
	size_t head = (width - 2) / 2, tail = width - 2 - head;
	return arena_printf(a, "%.*s..%s", (int)(skip(text, head) - text), text, skip(text, all - tail));
}

size_t text_line(const char *text, size_t width)
{
	const char *end = skip(text, width);

	const char *cut = end;

	if (*end != '\0')
		while (cut > text && *cut != ' ')
			cut--;
	if (cut == text)
		return (size_t)(end - text);
	while (cut > text && cut[-1] == ' ')
		cut--;
	return (size_t)(cut - text);
}

/*
 * Two units as long as the smaller one still says something: k8s.io/apimachinery's duration.HumanDuration has the same
 * bounds, so that ages read alike here and in kubectl.
 */
const char *text_span(struct arena *a, int64_t ms)
{
	static const struct {
		int64_t below_s, big_s, small_s; /* small_s 0: one unit is enough */
		char big, small;
	} rows[] = {
		{ 120, 1, 0, 's', 0 },
		{ 600, 60, 1, 'm', 's' },
		{ 3 * 3600, 60, 0, 'm', 0 },
		{ 8 * 3600, 3600, 60, 'h', 'm' },
		{ 48 * 3600, 3600, 0, 'h', 0 },
		{ 8 * 86400, 86400, 3600, 'd', 'h' },
		{ INT64_C(2) * 365 * 86400, 86400, 0, 'd', 0 },
		{ INT64_MAX, INT64_C(365) * 86400, 86400, 'y', 'd' },
	};
	int64_t s = ms > 0 ? ms / 1000 : 0;
	size_t i = 0;

	while (s >= rows[i].below_s)
		i++;
	long long big = s / rows[i].big_s, rest = s % rows[i].big_s;
	if (rows[i].small_s == 0 || rest < rows[i].small_s)
		return arena_printf(a, "%lld%c", big, rows[i].big);
	return arena_printf(a, "%lld%c%lld%c", big, rows[i].big, rest / rows[i].small_s, rows[i].small);
}

const char *text_since(struct arena *a, int64_t now, int64_t then)
{
	return then ? text_span(a, now - then) : "";
}
