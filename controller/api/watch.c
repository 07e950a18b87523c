#include "controller/api/watch.h"

#include "crd/base/json.h"

#include <string.h>
#include <sys/param.h>

/* So much of what could not be read goes into the message. */
#define QUOTE_MAX ((size_t)80)

/* Any code but 410 says nothing about the version that was watched from, so it stays good. */
static int error_event(const cJSON *status, struct err *err)
{
	int64_t code = json_int(status, "code", 0);
	const char *message = json_str(status, "message");
	const char *reason = json_str(status, "reason");
	bool gone = code == 410 || (reason && (!strcmp(reason, "Expired") || !strcmp(reason, "Gone")));

	err_set(err, gone ? ERR_GONE : ERR_UNAVAILABLE, "watch: the server says: %s", message ? message : "(no message)");
	err->http = (int)code;
	err->retry_after_s = (int)json_int(json_get(status, "details"), "retryAfterSeconds", 0);
	return -1;
}

static int event_of(const char *type, enum watch_event *ret_event)
{
	static const char *const names[] = {
		[WATCH_ADDED] = "ADDED",
		[WATCH_MODIFIED] = "MODIFIED",
		[WATCH_DELETED] = "DELETED",
		[WATCH_BOOKMARK] = "BOOKMARK",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(type, names[i])) {
			*ret_event = (enum watch_event)i;
			return 0;
		}
	}
	return -1;
}

static int take_line(struct watch *w, const char *text, size_t len, struct err *err)
{
	enum watch_event event;

	if (len == 0 || (len == 1 && *text == '\r'))
		return 0;

	cleanup_json cJSON *line = json_parse(text, len, NULL);
	if (!line)
		return err_set(err, ERR_PROTOCOL, "watch: a line that is no JSON: %.*s", (int)MIN(len, QUOTE_MAX), text);

	const char *type = json_str(line, "type");
	cJSON *object = cJSON_GetObjectItemCaseSensitive(line, "object");
	if (!type || !cJSON_IsObject(object))
		return err_set(err, ERR_PROTOCOL, "watch: a line that is no event: %.*s", (int)MIN(len, QUOTE_MAX), text);
	if (!strcmp(type, "ERROR"))
		return error_event(object, err);
	if (event_of(type, &event) < 0)
		return err_set(err, ERR_PROTOCOL, "watch: an event of type \"%.20s\"", type);

	w->on_event(w->ctx, event, object);
	return 0;
}

static int keep(struct watch *w, const char *data, size_t len, struct err *err)
{
	if (w->line.len + len > WATCH_LINE_MAX)
		return err_set(err, ERR_LIMIT, "watch: an event of more than %zu bytes", WATCH_LINE_MAX);
	if (len > 0)
		strbuf_add(&w->line, data, len);
	return 0;
}

static int take_kept(struct watch *w, struct err *err)
{
	int rc = take_line(w, w->line.data, w->line.len, err);

	strbuf_release(&w->line);
	return rc;
}

int watch_feed(struct watch *w, const char *data, size_t len, struct err *err)
{
	for (;;) {
		const char *end = len > 0 ? memchr(data, '\n', len) : NULL;
		size_t head = end ? (size_t)(end - data) : len;

		/* A line that came in one piece is read where it is. */
		if (!end || w->line.len > 0 || head > WATCH_LINE_MAX) {
			if (keep(w, data, head, err) < 0)
				return -1;
			if (end && take_kept(w, err) < 0)
				return -1;
		} else if (take_line(w, data, head, err) < 0) {
			return -1;
		}
		if (!end)
			return 0;
		data += head + 1;
		len -= head + 1;
	}
}

bool watch_is_cut(const struct watch *w)
{
	return w->line.len > 0;
}

void watch_reset(struct watch *w)
{
	strbuf_release(&w->line);
}
