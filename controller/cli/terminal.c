#include "terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* The first of these that is set counts (POSIX, "Internationalization Variables"). */
static bool locale_is_utf8(void)
{
	const char *locale = *env("LC_ALL") ? env("LC_ALL") : *env("LC_CTYPE") ? env("LC_CTYPE") : env("LANG");

	return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
}

/* What is not a terminal is as wide as it gets, unless the user says otherwise. */
static size_t width(void)
{
	long columns = strtol(env("COLUMNS"), NULL, 10);
	struct winsize size;

	if (columns > 0 && columns < 100000)
		return (size_t)columns;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool terminal_is_screen(void)
{
	return isatty(STDOUT_FILENO) && *env("TERM") && strcmp(env("TERM"), "dumb") != 0;
}

struct style terminal_style(void)
{
	return (struct style){
		.width = width(),
		.utf8 = isatty(STDOUT_FILENO) && locale_is_utf8(),
		.colour = terminal_is_screen() && !*env("NO_COLOR"),
	};
}

enum written terminal_write(struct strbuf *out)
{
	const char *data = strbuf_str(out);
	size_t left = out->len;

	while (left > 0) {
		ssize_t n = write(STDOUT_FILENO, data, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE ? WRITTEN_CLOSED : WRITTEN_FAILED;
		data += n;
		left -= (size_t)n;
	}
	strbuf_clear(out);
	return WRITTEN_ALL;
}
