#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	if (!err)
		return -1;
	*err = (struct err){ .kind = kind };
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);
	return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	if (!err)
		return -1;
	char inner[sizeof(err->msg)];
	memcpy(inner, err->msg, sizeof(inner));

	va_list args;
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);
	size_t at = strlen(err->msg);
	snprintf(err->msg + at, sizeof(err->msg) - at, ": %s", inner);
	return -1;
}

const char *err_kind_name(enum err_kind kind)
{
	static const char *const names[] = {
		[ERR_NONE] = "none",
		[ERR_NOT_FOUND] = "not found",
		[ERR_CONFLICT] = "conflict",
		[ERR_INVALID] = "invalid",
		[ERR_FORBIDDEN] = "forbidden",
		[ERR_GONE] = "gone",
		[ERR_BUSY] = "busy",
		[ERR_UNAVAILABLE] = "unavailable",
		[ERR_TIMEOUT] = "timeout",
		[ERR_PROTOCOL] = "protocol error",
		[ERR_LIMIT] = "limit reached",
	};
	size_t at = (size_t)kind;
	return at < sizeof(names) / sizeof(names[0]) ? names[at] : "unknown";
}
