#include "nearest.h"

#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: three rows of the table of Wagner and Fischer are enough. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][NEAREST_LEN_MAX + 1];
	size_t m = strnlen(a, NEAREST_LEN_MAX), n = strnlen(b, NEAREST_LEN_MAX);

	for (size_t j = 0; j <= n; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

const char *nearest(const char *text, const char *const *words, size_t count)
{
	size_t len = strlen(text), best = SIZE_MAX;
	const char *found = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t d = distance(text, words[i]);
		if (d >= best || d > (len < 3 ? 1 : (len + 2) / 3))
			continue;
		best = d;
		found = words[i];
	}
	return found;
}

static const char *list(struct arena *a, const char *const *words, size_t count)
{
	const char *text = "";

	for (size_t i = 0; i < count && i < NEAREST_NAMED_MAX; i++)
		text = arena_printf(a, "%s%s%s", text, i ? ", " : "", words[i]);
	if (count > NEAREST_NAMED_MAX)
		text = arena_printf(a, "%s and %zu more", text, count - NEAREST_NAMED_MAX);
	return text;
}

const char *nearest_suggest(struct arena *a, const char *word, const char *const *words, size_t count)
{
	const char *near = nearest(word, words, count);

	if (count == 0)
		return "";
	if (near)
		return arena_printf(a, ": did you mean %s? There are: %s", near, list(a, words, count));
	return arena_printf(a, "; there are: %s", list(a, words, count));
}
