/*
 * The log: one JSON object per line on standard error, {"time", "level", "msg", keys...}.
 *
 * The message is a constant, so that lines can be searched and counted; what varies goes into keys:
 *
 *	log_warn("request failed, will retry", LOG_STR("what", what), LOG_INT("tries", n));
 *
 * Only controller/ logs, and a failure once, where it is decided on. Secrets have no formatter: nothing here takes a
 * struct credentials, and no key may be given a token, a key or a request's headers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

enum log_kind { LOG_KIND_END, LOG_KIND_STR, LOG_KIND_INT, LOG_KIND_BOOL };

struct log_pair {
	const char *key;
	enum log_kind kind;
	const char *str;
	int64_t num;
};

/* Longer values are cut at a character's border and end in "...". */
#define LOG_VALUE_MAX 2048

#define LOG_STR(k, v) ((struct log_pair){ .key = (k), .kind = LOG_KIND_STR, .str = (v) })
#define LOG_INT(k, v) ((struct log_pair){ .key = (k), .kind = LOG_KIND_INT, .num = (v) })
#define LOG_BOOL(k, v) ((struct log_pair){ .key = (k), .kind = LOG_KIND_BOOL, .num = (v) })
#define LOG_END ((struct log_pair){ .kind = LOG_KIND_END })

#define log_error(...) LOG_AT(LOG_ERROR, __VA_ARGS__, LOG_END)
#define log_warn(...) LOG_AT(LOG_WARN, __VA_ARGS__, LOG_END)
#define log_info(...) LOG_AT(LOG_INFO, __VA_ARGS__, LOG_END)
#define log_debug(...) LOG_AT(LOG_DEBUG, __VA_ARGS__, LOG_END)
/* The empty text in front makes anything but a literal message fail to compile. */
#define LOG_AT(level, msg, ...) log_write(level, "" msg, (const struct log_pair[]){ __VA_ARGS__ })

void log_write(enum log_level level, const char *msg, const struct log_pair *pairs);

/* Less important lines than LEVEL are dropped; it is LOG_INFO until set. */
void log_set_level(enum log_level level);
bool log_wants(enum log_level level);
/* "error", "warn", "info", "debug". 0, or -1 when TEXT is none of them. */
int log_level_parse(const char *text, enum log_level *ret_level);
/* Lines go to FD instead of standard error. */
void log_set_fd(int fd);
