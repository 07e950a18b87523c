#include "log.h"

#include "clock.h"
#include "crd/base/strbuf.h"
#include "crd/base/time.h"

#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {
	[LOG_ERROR] = "error",
	[LOG_WARN] = "warn",
	[LOG_INFO] = "info",
	[LOG_DEBUG] = "debug",
};
#define LEVELS (sizeof(level_names) / sizeof(level_names[0]))

static enum log_level lowest = LOG_INFO;
static int log_fd = STDERR_FILENO;

void log_set_level(enum log_level level)
{
	lowest = level;
}

void log_set_fd(int fd)
{
	log_fd = fd;
}

bool log_wants(enum log_level level)
{
	return level <= lowest;
}

int log_level_parse(const char *text, enum log_level *ret_level)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (strcmp(text, level_names[i]) == 0) {
			*ret_level = (enum log_level)i;
			return 0;
		}
	return -1;
}

static void add_key(struct strbuf *line, const char *key)
{
	strbuf_addc(line, ',');
	strbuf_add_json(line, key);
	strbuf_addc(line, ':');
}

static void add_text(struct strbuf *line, const char *text)
{
	char cut[LOG_VALUE_MAX + sizeof("...")];
	size_t len = strnlen(text, LOG_VALUE_MAX + 1);

	if (len <= LOG_VALUE_MAX) {
		strbuf_add_json(line, text);
		return;
	}
	len = LOG_VALUE_MAX;
	while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--;
	memcpy(cut, text, len);
	memcpy(cut + len, "...", sizeof("..."));
	strbuf_add_json(line, cut);
}

static void add_pair(struct strbuf *line, const struct log_pair *pair)
{
	add_key(line, pair->key);
	switch (pair->kind) {
	case LOG_KIND_STR:
		if (pair->str)
			add_text(line, pair->str);
		else
			strbuf_adds(line, "null");
		break;
	case LOG_KIND_INT:
		strbuf_addf(line, "%lld", (long long)pair->num);
		break;
	case LOG_KIND_BOOL:
		strbuf_adds(line, pair->num ? "true" : "false");
		break;
	case LOG_KIND_END:
		break;
	}
}

static void add_time(struct strbuf *line)
{
	char text[TIME_TEXT_MAX];

	time_format(clock_wall_ms(), text);
	strbuf_addf(line, "{\"time\":\"%s\"", text);
}

void log_write(enum log_level level, const char *msg, const struct log_pair *pairs)
{
	cleanup_strbuf struct strbuf line = { 0 };

	if (!log_wants(level))
		return;
	add_time(&line);
	strbuf_addf(&line, ",\"level\":\"%s\"", level_names[level]);
	add_key(&line, "msg");
	add_text(&line, msg);
	for (const struct log_pair *pair = pairs; pair->kind != LOG_KIND_END; pair++)
		add_pair(&line, pair);
	strbuf_adds(&line, "}\n");
	/* One write a line keeps lines whole; there is nowhere to report that it failed. */
	ssize_t put = write(log_fd, line.data, line.len);
	(void)put;
}
