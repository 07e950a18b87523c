#include "base64.h"

#include <openssl/evp.h>
#include <string.h>

#define ALPHABET "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

static void drop_space(const char *text, struct strbuf *out)
{
	for (; *text; text++)
		if (!strchr(" \t\r\n", *text))
			strbuf_addc(out, *text);
}

int base64_decode(const char *text, struct strbuf *out)
{
	cleanup_strbuf struct strbuf packed = { 0 };

	drop_space(text, &packed);
	const char *digits = strbuf_str(&packed);
	size_t count = strspn(digits, ALPHABET), pads = packed.len - count;
	if (packed.len % 4 != 0 || pads > 2 || strspn(digits + count, "=") != pads)
		return -1;
	for (size_t i = 0; i < packed.len; i += 4) {
		unsigned char bytes[3];
		EVP_DecodeBlock(bytes, (const unsigned char *)digits + i, 4);
		strbuf_add(out, (const char *)bytes, i + 4 == packed.len ? 3 - pads : 3);
	}
	return 0;
}

void base64_encode(const void *data, size_t size, struct strbuf *out)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i += 3) {
		char digits[5];
		EVP_EncodeBlock((unsigned char *)digits, bytes + i, size - i < 3 ? (int)(size - i) : 3);
		strbuf_adds(out, digits);
	}
}
