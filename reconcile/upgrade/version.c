#include "reconcile/upgrade/version.h"

#include <stddef.h>
#include <string.h>

#define DIGITS_MAX 9 /* a part fits in a long; the CRD holds the whole text to 64 bytes */

struct version {
	long part[3];
	const char *pre; /* NULL for a release */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parse_number(const char **p, long *ret)
{
	long n = 0;
	int digits = 0;
	for (; is_digit(**p); (*p)++, digits++) {
		if (digits == DIGITS_MAX)
			return false;
		n = n * 10 + (**p - '0');
	}
	*ret = n;
	return digits > 0;
}

static bool parse(const char *text, struct version *v)
{
	*v = (struct version){ .pre = NULL };
	for (int i = 0; i < 3; i++) {
		if (i > 0 && *text != '.')
			break;
		if (i > 0)
			text++;
		if (!parse_number(&text, &v->part[i]))
			return false;
		if (i == 0 && *text != '.')
			return false;
	}
	if (*text == '-' && text[1])
		v->pre = text + 1;
	return v->pre || !*text;
}

static bool is_number(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_digit(s[i]))
			return false;
	return len > 0;
}

static int sign(long n)
{
	return n < 0 ? -1 : n > 0;
}

/* Numbers are compared as numbers and are older than words; words are compared byte by byte. */
static int compare_identifier(const char *a, size_t alen, const char *b, size_t blen)
{
	bool anum = is_number(a, alen), bnum = is_number(b, blen);
	if (anum != bnum)
		return anum ? -1 : 1;
	if (anum && alen != blen)
		return alen < blen ? -1 : 1;
	int c = memcmp(a, b, alen < blen ? alen : blen);
	return c ? sign(c) : sign((long)alen - (long)blen);
}

static int compare_pre(const char *a, const char *b)
{
	if (!a || !b)
		return a ? -1 : b != NULL;
	for (;;) {
		size_t alen = strcspn(a, "."), blen = strcspn(b, ".");
		int c = compare_identifier(a, alen, b, blen);
		if (c)
			return c;
		a += alen;
		b += blen;
		if (!*a || !*b)
			return *a ? 1 : *b ? -1 : 0;
		a++;
		b++;
	}
}

bool version_compare(const char *a, const char *b, int *ret)
{
	struct version x, y;
	if (!parse(a, &x) || !parse(b, &y))
		return false;
	int c = 0;
	for (int i = 0; i < 3 && !c; i++)
		c = sign(x.part[i] - y.part[i]);
	*ret = c ? c : compare_pre(x.pre, y.pre);
	return true;
}
