#include "redact.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define HIDDEN "***"

struct writer {
	char *out;
	size_t size, len;
};

static void put(struct writer *w, const char *text, size_t len)
{
	size_t room = w->size - 1 - w->len;

	if (len > room)
		len = room;
	memcpy(w->out + w->len, text, len);
	w->len += len;
}

/* What tokens, keys and base64 are made of. A dot is not: it would make one word of a host's name. */
static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || strchr("+/_=~-", c);
}

static size_t word_length(const char *text)
{
	size_t len = 0;

	while (text[len] && is_word_char(text[len]))
		len++;
	return len;
}

static bool has(const char *word, size_t len, const char *const *parts)
{
	for (; *parts; parts++)
		for (size_t i = 0, part = strlen(*parts); i + part <= len; i++)
			if (strncasecmp(word + i, *parts, part) == 0)
				return true;
	return false;
}

static bool names_secret(const char *word, size_t len)
{
	static const char *const parts[] = { "token", "secret", "passw", "passphrase", "credential", "apikey", "api_key",
	                                     "api-key", "private_key", "cookie", NULL };

	return has(word, len, parts);
}

static bool is_scheme(const char *word, size_t len)
{
	return (len == 6 && strncasecmp(word, "bearer", len) == 0) || (len == 5 && strncasecmp(word, "basic", len) == 0);
}

static bool looks_secret(const char *word, size_t len)
{
	bool letters = false, digits = false;

	/* The first letters of every JSON object in base64, and so of every JWT. */
	if (len > 3 && strncmp(word, "eyJ", 3) == 0)
		return true;
	for (size_t i = 0; i < len; i++) {
		letters |= isalpha((unsigned char)word[i]) != 0;
		digits |= isdigit((unsigned char)word[i]) != 0;
	}
	return len >= REDACT_WORD_MAX && letters && digits && *word != '/';
}

/* "--token=abc" is one word. */
static bool assigns_secret(const char *word, size_t len)
{
	const char *equal = memchr(word, '=', len);

	return equal && equal + 1 < word + len && names_secret(word, (size_t)(equal - word));
}

/* The characters between two words, each run of blanks as one. */
static const char *put_between(struct writer *w, const char *text)
{
	for (; *text && !is_word_char(*text); text++) {
		bool blank = (unsigned char)*text <= ' ' || *text == 0x7f;
		if (!blank)
			put(w, text, 1);
		else if (w->len > 0 && w->out[w->len - 1] != ' ')
			put(w, " ", 1);
	}
	return text;
}

void redact(const char *text, char *out, size_t size)
{
	struct writer w = { .out = out, .size = size };
	bool secret_follows = false;

	text = put_between(&w, text);
	while (*text) {
		size_t len = word_length(text);
		bool scheme = is_scheme(text, len);
		bool hide = !scheme && (secret_follows || looks_secret(text, len) || assigns_secret(text, len));
		put(&w, hide ? HIDDEN : text, hide ? strlen(HIDDEN) : len);
		const char *next = text + len + strspn(text + len, "\"' ");
		secret_follows = scheme || (names_secret(text, len) && (*next == ':' || *next == '=' || text[len - 1] == '='));
		text = put_between(&w, text + len);
	}
	while (w.len > 0 && out[w.len - 1] == ' ')
		w.len--;
	out[w.len] = '\0';
}
