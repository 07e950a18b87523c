#include "yaml_scalar.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Longer ones are no numbers that a double could hold. */
#define NUMBER_TEXT_MAX 64

/* "true", "True" and "TRUE" are words of YAML, "tRUE" is text. */
static bool is_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	if (strlen(text) != len || strcasecmp(text, word) != 0)
		return false;
	size_t capitals = 0;
	for (size_t i = 0; i < len; i++)
		capitals += text[i] >= 'A' && text[i] <= 'Z';
	bool first = text[0] >= 'A' && text[0] <= 'Z';
	return capitals == 0 || capitals == len || (capitals == 1 && first);
}

static bool is_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (is_word(text, *words))
			return true;
	return false;
}

/* TEXT without its "_"; false when it cannot be a number by its first character. */
static bool number_text(const char *text, char out[NUMBER_TEXT_MAX])
{
	if (!*text || !strchr("+-.0123456789", *text))
		return false;
	size_t len = 0;
	for (; *text; text++) {
		if (*text == '_')
			continue;
		if (len + 1 == NUMBER_TEXT_MAX)
			return false;
		out[len++] = *text;
	}
	out[len] = '\0';
	return true;
}

static bool has_only(const char *s, const char *set)
{
	return *s && s[strspn(s, set)] == '\0';
}

/* The first that fits is meant: "0644" is octal, "0689" can only be decimal, "0x" is text. */
static const struct number_base {
	const char *prefix;
	int base;
	const char *digits;
} number_bases[] = {
	{ "0x", 16, "0123456789abcdefABCDEF" },
	{ "0b", 2, "01" },
	{ "0o", 8, "01234567" },
	{ "0", 8, "01234567" },
	{ "", 10, "0123456789" },
};

static bool parse_integer(const char *s, double *ret)
{
	bool negative = *s == '-';
	s += *s == '-' || *s == '+';
	for (size_t i = 0; i < sizeof(number_bases) / sizeof(number_bases[0]); i++) {
		const struct number_base *b = &number_bases[i];
		size_t len = strlen(b->prefix);
		if (strncasecmp(s, b->prefix, len) != 0 || !has_only(s + len, b->digits))
			continue;
		errno = 0;
		unsigned long long value = strtoull(s + len, NULL, b->base);
		double size = errno == ERANGE ? INFINITY : (double)value;
		*ret = negative ? -size : size;
		return true;
	}
	return false;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_float(const char *s)
{
	static const char digits[] = "0123456789";
	s += *s == '-' || *s == '+';
	size_t whole = strspn(s, digits), fraction = 0;
	s += whole;
	if (*s == '.') {
		fraction = strspn(++s, digits);
		s += fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		return has_only(s, digits);
	}
	return *s == '\0';
}

static bool is_not_finite(const char *text)
{
	static const char *const words[] = { ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF",
		                             "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN" };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

cJSON *yaml_scalar(const char *text, const char **ret_why)
{
	static const char *const nulls[] = { "", "~", "null", NULL };
	static const char *const yes[] = { "true", "yes", "on", "y", NULL };
	static const char *const no[] = { "false", "no", "off", "n", NULL };
	char number[NUMBER_TEXT_MAX];
	double value;

	if (is_any(text, nulls))
		return cJSON_CreateNull();
	if (is_any(text, yes) || is_any(text, no))
		return cJSON_CreateBool(is_any(text, yes));
	if (is_not_finite(text)) {
		*ret_why = "JSON has no infinity and no not-a-number";
		return NULL;
	}
	if (!number_text(text, number))
		return cJSON_CreateString(text);
	if (parse_integer(number, &value)) {
		if (fabs(value) <= 0x1p53)
			return cJSON_CreateNumber(value);
		*ret_why = "an integer beyond 2^53; quote it if it is text";
		return NULL;
	}
	if (!is_float(number))
		return cJSON_CreateString(text);
	value = strtod(number, NULL);
	if (isfinite(value))
		return cJSON_CreateNumber(value);
	*ret_why = "a number too large";
	return NULL;
}
