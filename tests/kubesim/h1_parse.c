#include "h1_parse.h"

#include "serve_head.h"

#include <string.h>
#include <strings.h>

#define LENGTH_DIGITS_MAX 18
#define CHUNK_DIGITS_MAX 7

struct span {
	const char *data;
	size_t len;
};

/* What the lines say together; each may come once. */
struct lines {
	int hosts, lengths, encodings, keys;
	bool upgrades, is_websocket, has_version;
};

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c);
}

static bool is_token(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.data[i], lower = (char)(c | 0x20);
		if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && !is_one_of(c, "!#$%&'*+-.^_`|~"))
			return false;
	}
	return s.len > 0;
}

/* Without control characters, among them the bare CR and LF that another reader might take for the end of a line. */
static bool is_text(struct span s, unsigned char lowest)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];
		if ((c < lowest && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static bool is(struct span s, const char *word)
{
	return strlen(word) == s.len && strncasecmp(s.data, word, s.len) == 0;
}

static struct span trim(struct span s)
{
	for (; s.len > 0 && is_one_of(s.data[0], " \t"); s.data++)
		s.len--;
	while (s.len > 0 && is_one_of(s.data[s.len - 1], " \t"))
		s.len--;
	return s;
}

/* Whether a list with commas has WORD. */
static bool has(struct span list, const char *word)
{
	while (list.len > 0) {
		const char *comma = memchr(list.data, ',', list.len);
		size_t len = comma ? (size_t)(comma - list.data) : list.len;
		if (is(trim((struct span){ list.data, len }), word))
			return true;
		len += comma ? 1 : 0;
		list = (struct span){ list.data + len, list.len - len };
	}
	return false;
}

static int take_length(struct span value, struct h1_ask *ask)
{
	if (value.len == 0 || value.len > LENGTH_DIGITS_MAX)
		return 400;
	for (size_t i = 0; i < value.len; i++) {
		if (value.data[i] < '0' || value.data[i] > '9')
			return 400;
		ask->content_length = ask->content_length * 10 + (uint64_t)(value.data[i] - '0');
	}
	return 0;
}

static int take_key(struct span value, struct h1_ask *ask)
{
	if (value.len != H1_WS_KEY_SIZE - 1)
		return 400;
	memcpy(ask->ws_key, value.data, value.len);
	return 0;
}

static int take_header(struct span name, struct span value, struct lines *lines, struct h1_ask *ask)
{
	if (is(name, "host"))
		lines->hosts++;
	if (is(name, "content-length"))
		return lines->lengths++ ? 400 : take_length(value, ask);
	if (is(name, "transfer-encoding")) {
		ask->is_chunked = true;
		return lines->encodings++ || !is(value, "chunked") ? 501 : 0;
	}
	if (is(name, "expect")) {
		ask->waits_for_continue = true;
		return is(value, "100-continue") ? 0 : 417;
	}
	if (is(name, "connection")) {
		ask->is_last = ask->is_last || has(value, "close");
		lines->upgrades = lines->upgrades || has(value, "upgrade");
	}
	if (is(name, "upgrade"))
		lines->is_websocket = has(value, "websocket");
	if (is(name, "sec-websocket-version"))
		lines->has_version = is(value, "13");
	if (is(name, "sec-websocket-key"))
		return lines->keys++ ? 400 : take_key(value, ask);
	return 0;
}

static int take_line(struct span line, struct head *head, struct lines *lines, struct h1_ask *ask)
{
	const char *colon = memchr(line.data, ':', line.len);

	if (!colon)
		return 400;
	struct span name = { line.data, (size_t)(colon - line.data) };
	struct span value = trim((struct span){ colon + 1, line.len - name.len - 1 });
	if (!is_token(name) || !is_text(value, ' '))
		return 400;
	head_add(head, name.data, name.len, value.data, value.len);
	return take_header(name, value, lines, ask);
}

/* "GET /path HTTP/1.1" */
static int take_request_line(struct span line, struct head *head)
{
	static const char version[] = " HTTP/1.1";
	size_t version_len = sizeof(version) - 1;
	const char *space = memchr(line.data, ' ', line.len);

	if (!space || line.len < version_len || !is_text(line, ' '))
		return 400;
	const char *end = line.data + line.len - version_len;
	if (space >= end || memcmp(end, version, version_len - 3) != 0)
		return 400;
	if (memcmp(end, version, version_len) != 0)
		return 505;
	struct span method = { line.data, (size_t)(space - line.data) };
	struct span path = { space + 1, (size_t)(end - space - 1) };
	if (!is_token(method) || path.len == 0 || path.data[0] != '/' || !is_text(path, '!') ||
	    memchr(path.data, '\t', path.len))
		return 400;
	head_set(head, HEAD_METHOD, method.data, method.len);
	head_set(head, HEAD_PATH, path.data, path.len);
	return 0;
}

/* RFC 9112, section 6.3: a length and chunks at once is how requests are smuggled. */
static int judge(const struct lines *lines, struct head *head, struct h1_ask *ask)
{
	if (head->is_bad || lines->hosts != 1 || (ask->is_chunked && lines->lengths > 0))
		return 400;
	head->is_websocket = lines->is_websocket && lines->upgrades;
	if (!head->is_websocket) {
		ask->ws_key[0] = '\0';
		return 0;
	}
	return lines->keys == 1 && lines->has_version && ask->content_length == 0 && !ask->is_chunked ? 0 : 400;
}

int h1_parse(const char *data, size_t len, struct head *head, struct h1_ask *ret_ask)
{
	struct h1_ask ask = { 0 };
	struct lines lines = { 0 };
	const char *end = data + len - 2, *line = data;
	int code = 0;

	for (const char *eol; line < end && code == 0; line = eol + 2) {
		eol = memmem(line, (size_t)(end - line), "\r\n", 2);
		struct span span = { line, (size_t)(eol - line) };
		code = line == data ? take_request_line(span, head) : take_line(span, head, &lines, &ask);
	}
	if (code == 0)
		code = judge(&lines, head, &ask);
	*ret_ask = ask;
	return code;
}

int64_t h1_parse_chunk_size(const char *line, size_t len)
{
	int64_t size = 0;
	size_t digits = 0;

	for (; digits < len && is_one_of(line[digits], "0123456789abcdefABCDEF"); digits++) {
		char c = line[digits];
		size = size * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
		if (digits == CHUNK_DIGITS_MAX)
			return -1;
	}
	/* An extension may follow; nobody here uses one. */
	if (digits == 0 || (digits < len && !is_one_of(line[digits], "; \t")))
		return -1;
	return size;
}
