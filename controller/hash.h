/* FNV-1a, 64 bits: tells whether a text is the one of last time, without keeping it. Not against malice. */
#pragma once

#include <stdint.h>

static inline uint64_t hash_text(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h;
}
