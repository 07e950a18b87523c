/* Bytes that nobody can guess. */
#pragma once

#include "crd/base/die.h"

#include <openssl/rand.h>

static inline void random_fill(void *to, size_t len)
{
	/* Without randomness there is no TLS either. */
	if (RAND_bytes(to, (int)len) != 1)
		die("random", "no randomness", len);
}
