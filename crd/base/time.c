#include "crd/base/time.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

/* Adds VALUE as COUNT digits and what follows them. */
static char *add_digits(char *out, int value, int count, char then)
{
	for (int i = count - 1; i >= 0; i--, value /= 10)
		out[i] = (char)('0' + value % 10);
	out[count] = then;
	return out + count + 1;
}

/*
 * Writes up to the seconds and the point after them; RET_MS gets what is left. Years that four digits cannot say become the
 * nearest that can.
 */
static char *format_seconds(int64_t ms, char *out, int *ret_ms)
{
	const int64_t first = -62167219200000, last = 253402300799999; /* years 0000 and 9999 */
	ms = ms < first ? first : ms > last ? last : ms;
	*ret_ms = (int)(((ms % 1000) + 1000) % 1000);
	time_t seconds = (ms - *ret_ms) / 1000;
	struct tm tm;
	gmtime_r(&seconds, &tm);
	out = add_digits(out, tm.tm_year + 1900, 4, '-');
	out = add_digits(out, tm.tm_mon + 1, 2, '-');
	out = add_digits(out, tm.tm_mday, 2, 'T');
	out = add_digits(out, tm.tm_hour, 2, ':');
	out = add_digits(out, tm.tm_min, 2, ':');
	return add_digits(out, tm.tm_sec, 2, '.');
}

void time_format(int64_t ms, char out[TIME_TEXT_MAX])
{
	int rest;
	char *end = format_seconds(ms, out, &rest);
	if (rest)
		end = add_digits(end, rest, 3, 'Z');
	else
		end[-1] = 'Z';
	*end = '\0';
}

void time_format_micro(int64_t ms, char out[TIME_TEXT_MAX])
{
	int rest;
	char *end = format_seconds(ms, out, &rest);
	*add_digits(end, rest * 1000, 6, 'Z') = '\0';
}

/* Reads exactly COUNT digits at *P into RET. */
static bool read_digits(const char **p, int count, int *ret)
{
	int value = 0;
	for (; count > 0; count--, (*p)++) {
		if (**p < '0' || **p > '9')
			return false;
		value = value * 10 + (**p - '0');
	}
	*ret = value;
	return true;
}

static bool read_char(const char **p, const char *any_of)
{
	if (!**p || !strchr(any_of, **p))
		return false;
	(*p)++;
	return true;
}

/* ".123456" -> 123; nothing -> 0. */
static bool read_fraction(const char **p, int *ret_ms)
{
	*ret_ms = 0;
	if (!read_char(p, "."))
		return true;
	const char *start = *p;
	for (int weight = 100; **p >= '0' && **p <= '9'; (*p)++, weight /= 10)
		*ret_ms += (**p - '0') * weight;
	return *p > start;
}

/* "Z" or "+02:00" -> minutes east of UTC. */
static bool read_zone(const char **p, int *ret_min)
{
	*ret_min = 0;
	if (read_char(p, "Zz"))
		return true;
	int sign = **p == '-' ? -1 : 1, hours, minutes;
	if (!read_char(p, "+-") || !read_digits(p, 2, &hours) || !read_char(p, ":") || !read_digits(p, 2, &minutes))
		return false;
	*ret_min = sign * (hours * 60 + minutes);
	return hours <= 23 && minutes <= 59;
}

/* timegm() takes the 31st of a short month for the 1st of the next, and changes TM to say so. */
static bool date_exists(struct tm tm, int64_t *ret_seconds)
{
	struct tm given = tm;
	*ret_seconds = timegm(&tm);
	return tm.tm_year == given.tm_year && tm.tm_mon == given.tm_mon && tm.tm_mday == given.tm_mday;
}

int time_parse(const char *text, int64_t *ret_ms)
{
	const char *p = text;
	int year, month, day, hour, minute, second, ms, zone_min;
	if (!read_digits(&p, 4, &year) || !read_char(&p, "-") || !read_digits(&p, 2, &month) || !read_char(&p, "-") ||
	    !read_digits(&p, 2, &day) || !read_char(&p, "Tt ") || !read_digits(&p, 2, &hour) || !read_char(&p, ":") ||
	    !read_digits(&p, 2, &minute) || !read_char(&p, ":") || !read_digits(&p, 2, &second) ||
	    !read_fraction(&p, &ms) || !read_zone(&p, &zone_min) || *p)
		return -1;
	/* A leap second (60) is the first of the next minute, as in every clock that knows none. */
	struct tm date = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day };
	int64_t midnight;
	if (!date_exists(date, &midnight) || hour > 23 || minute > 59 || second > 60)
		return -1;

	*ret_ms = (midnight + (hour * 60 + minute - zone_min) * 60 + second) * 1000 + ms;
	return 0;
}
