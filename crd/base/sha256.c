#include "sha256.h"

#include "die.h"

#include <assert.h>

#include <openssl/evp.h>

void sha256_hex(const void *data, size_t len, char *out, size_t digits)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char hash[EVP_MAX_MD_SIZE];
	assert(digits <= SHA256_HEX);
	if (EVP_Digest(data, len, hash, NULL, EVP_sha256(), NULL) != 1)
		die("sha256", "out of memory", len);

	for (size_t i = 0; i < digits; i++)
		out[i] = hex[i % 2 ? hash[i / 2] & 15 : hash[i / 2] >> 4];
	out[digits] = '\0';
}
