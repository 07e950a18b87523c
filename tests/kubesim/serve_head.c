#include "serve_head.h"

#include "controller/mem.h"

#include <strings.h>

static const struct {
	const char *name;
	bool is_list; /* may come several times: as if joined by commas (RFC 9110, section 5.3) */
} headers[HEAD_FIELDS] = {
	[HEAD_METHOD] = { .name = "" },
	[HEAD_PATH] = { .name = "" },
	[HEAD_CONTENT_TYPE] = { .name = "content-type" },
	[HEAD_ACCEPT] = { .name = "accept", .is_list = true },
	[HEAD_AUTHORIZATION] = { .name = "authorization" },
	[HEAD_USER_AGENT] = { .name = "user-agent" },
	[HEAD_PROTOCOLS] = { .name = "sec-websocket-protocol", .is_list = true },
};

struct head *head_new(void)
{
	struct head *h = mem_new(sizeof(*h));

	h->body.cap = SERVE_BODY_MAX;
	for (size_t i = 0; i < HEAD_FIELDS; i++)
		h->fields[i].cap = HEAD_FIELD_MAX;
	return h;
}

void head_free(struct head *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < HEAD_FIELDS; i++)
		strbuf_release(&h->fields[i]);
	strbuf_release(&h->body);
	free(h);
}

void head_set(struct head *h, enum head_field field, const char *value, size_t len)
{
	struct strbuf *b = &h->fields[field];

	if (b->len > 0 && headers[field].is_list)
		strbuf_adds(b, ", ");
	else if (b->len > 0)
		h->is_bad = true;
	strbuf_add(b, value, len);
	if (b->full)
		h->is_bad = true;
}

void head_add(struct head *h, const char *name, size_t name_len, const char *value, size_t len)
{
	for (enum head_field i = HEAD_CONTENT_TYPE; i < HEAD_FIELDS; i++)
		if (strlen(headers[i].name) == name_len && strncasecmp(headers[i].name, name, name_len) == 0)
			head_set(h, i, value, len);
}

/* "a, b" becomes two strings, in place. */
static const char *const *split(struct head *h)
{
	char *s = h->fields[HEAD_PROTOCOLS].data;
	size_t count = 0;

	while (s && count < HEAD_PROTOCOLS_MAX) {
		s += strspn(s, ", \t");
		if (!*s)
			break;
		h->protocols[count++] = s;
		s += strcspn(s, ", \t");
		if (*s)
			*s++ = '\0';
	}
	return h->protocols;
}

struct serve_request head_request(struct head *h)
{
	return (struct serve_request){
		.method = strbuf_str(&h->fields[HEAD_METHOD]),
		.path = strbuf_str(&h->fields[HEAD_PATH]),
		.content_type = strbuf_str(&h->fields[HEAD_CONTENT_TYPE]),
		.accept = strbuf_str(&h->fields[HEAD_ACCEPT]),
		.authorization = strbuf_str(&h->fields[HEAD_AUTHORIZATION]),
		.user_agent = strbuf_str(&h->fields[HEAD_USER_AGENT]),
		.body = strbuf_str(&h->body),
		.len = h->body.len,
		.protocols = h->is_websocket ? split(h) : NULL,
	};
}
