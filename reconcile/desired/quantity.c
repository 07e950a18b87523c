#include "reconcile/desired/quantity.h"

#include <stdlib.h>
#include <string.h>

#define TOO_LARGE 9e15 /* beyond 2^53 a double no longer counts */

static const struct {
	const char *suffix;
	double factor;
} scales[] = {
	{ "", 1 },      { "n", 1e-9 },        { "u", 1e-6 },          { "m", 1e-3 },          { "k", 1e3 },
	{ "M", 1e6 },   { "G", 1e9 },         { "T", 1e12 },          { "P", 1e15 },          { "E", 1e18 },
	{ "Ki", 1024 }, { "Mi", 1048576 },    { "Gi", 1073741824.0 }, { "Ti", 1099511627776.0 },
	{ "Pi", 1125899906842624.0 },         { "Ei", 1152921504606846976.0 },
};

static double factor_of(const char *suffix, size_t len)
{
	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++)
		if (strlen(scales[i].suffix) == len && strncmp(scales[i].suffix, suffix, len) == 0)
			return scales[i].factor;
	return -1;
}

int64_t quantity_in(const char *json, int64_t unit, bool up)
{
	const char *text = *json == '"' ? json + 1 : json;
	char *end;
	/* strtod also reads words and hexadecimal numbers. */
	bool is_number = (*text >= '0' && *text <= '9' && text[1] != 'x' && text[1] != 'X') || *text == '.';
	double value = is_number ? strtod(text, &end) : -1;
	if (value < 0)
		return -1;
	double factor = factor_of(end, strcspn(end, "\""));
	double units = value * factor / (double)unit;
	if (factor < 0 || units > TOO_LARGE)
		return -1;
	int64_t whole = (int64_t)units;
	return up && (double)whole < units ? whole + 1 : whole;
}
