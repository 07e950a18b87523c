/* SHA-256 (FIPS 180-4) as lower-case hex, by OpenSSL. */
#pragma once

#include <stddef.h>

#define SHA256_HEX 64

/* Writes the first DIGITS hex digits of the hash of DATA, and a NUL, into OUT (DIGITS + 1 bytes; at most 64 digits). */
void sha256_hex(const void *data, size_t len, char *out, size_t digits);
