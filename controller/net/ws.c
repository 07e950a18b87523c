#include "ws.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* RFC 6455, section 1.3. */
#define WS_GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
#define ACCEPT_SIZE 29 /* base64 of a SHA-1, and a NUL */
#define VALUE_MAX 128

void ws_key(const unsigned char nonce[WS_NONCE_SIZE], char ret_key[WS_KEY_SIZE])
{
	EVP_EncodeBlock((unsigned char *)ret_key, nonce, WS_NONCE_SIZE);
}

static void accept_for(const char *key, char ret_accept[ACCEPT_SIZE])
{
	char text[WS_KEY_SIZE + sizeof(WS_GUID)];
	unsigned char hash[SHA_DIGEST_LENGTH];

	int len = snprintf(text, sizeof(text), "%s" WS_GUID, key);
	SHA1((const unsigned char *)text, (size_t)len, hash);
	EVP_EncodeBlock((unsigned char *)ret_accept, hash, sizeof(hash));
}

void ws_write_request(const struct ws_request *r, struct strbuf *out)
{
	strbuf_adds(out, "GET ");
	strbuf_adds(out, r->target);
	strbuf_addf(out, " HTTP/1.1\r\nHost: %s\r\n", r->host);
	strbuf_adds(out, "Upgrade: websocket\r\n"
	                 "Connection: Upgrade\r\n"
	                 "Sec-WebSocket-Version: 13\r\n"
	                 "Sec-WebSocket-Protocol: " WS_PROTOCOLS "\r\n");
	strbuf_addf(out, "Sec-WebSocket-Key: %s\r\n", r->key);
	strbuf_addf(out, "%s\r\n", r->headers);
}

size_t ws_head_length(const char *data, size_t len)
{
	const char *end = memmem(data, len, "\r\n\r\n", 4);

	return end ? (size_t)(end - data) + 4 : 0;
}

/* Copies the value of header NAME, trimmed, into VALUE. False when it is missing, twice there, or too long. */
static bool header(const char *head, size_t len, const char *name, char value[VALUE_MAX])
{
	const char *end = head + len;
	size_t name_len = strlen(name);
	int found = 0;

	for (const char *line = head, *eol; (eol = memmem(line, (size_t)(end - line), "\r\n", 2)); line = eol + 2) {
		if ((size_t)(eol - line) <= name_len || line[name_len] != ':' || strncasecmp(line, name, name_len) != 0)
			continue;
		const char *from = line + name_len + 1, *to = eol;
		while (from < to && (*from == ' ' || *from == '\t'))
			from++;
		while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
			to--;
		if (++found > 1 || to - from >= VALUE_MAX)
			return false;
		memcpy(value, from, (size_t)(to - from));
		value[to - from] = '\0';
	}
	return found == 1;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static long content_length(const char *head, size_t len)
{
	char value[VALUE_MAX], *end;

	if (!header(head, len, "Content-Length", value) || !is_digit(*value))
		return -1;
	long length = strtol(value, &end, 10);
	return *end == '\0' ? length : -1;
}

/* "HTTP/1.1 101 ...": the code stands in the same place for 1.0, which only old proxies speak. */
int ws_read_head(const char *head, size_t len, struct ws_head *ret_head, struct err *err)
{
	static const char start[] = "HTTP/1.x ";
	const char *code = head + sizeof(start) - 1;

	if (len < sizeof(start) + 2 || memcmp(head, start, 7) != 0 || !is_digit(code[0]) || !is_digit(code[1]) ||
	    !is_digit(code[2]))
		return err_set(err, ERR_PROTOCOL, "the answer is no HTTP/1.1");
	ret_head->http = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
	ret_head->content_length = content_length(head, len);
	return 0;
}

static bool is_offered(const char *protocol)
{
	return strcmp(protocol, "v5.channel.k8s.io") == 0 || strcmp(protocol, "v4.channel.k8s.io") == 0;
}

int ws_check_head(const char *head, size_t len, const char *key, struct err *err)
{
	char value[VALUE_MAX], accept[ACCEPT_SIZE];

	accept_for(key, accept);
	if (!header(head, len, "Upgrade", value) || strcasecmp(value, "websocket") != 0)
		return err_set(err, ERR_PROTOCOL, "101 without \"Upgrade: websocket\"");
	if (!header(head, len, "Connection", value) || !strcasestr(value, "upgrade"))
		return err_set(err, ERR_PROTOCOL, "101 without \"Connection: Upgrade\"");
	if (!header(head, len, "Sec-WebSocket-Accept", value) || strcmp(value, accept) != 0)
		return err_set(err, ERR_PROTOCOL, "101 with a wrong Sec-WebSocket-Accept");
	if (!header(head, len, "Sec-WebSocket-Protocol", value) || !is_offered(value))
		return err_set(err, ERR_PROTOCOL, "101 with a protocol that was not offered");
	return 0;
}
