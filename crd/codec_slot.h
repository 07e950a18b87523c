/*
 * Access to a field of a generated struct by its offset, for the codec only. By memcpy, because a "struct member *" may
 * not be read as a "void *"; compilers turn each into one move.
 */
#pragma once

#include "codec.h"

#include <string.h>

static inline void *slot_pointer(const void *object, size_t offset)
{
	void *value;
	memcpy(&value, (const char *)object + offset, sizeof(value));
	return value;
}

static inline void slot_set_pointer(void *object, size_t offset, const void *value)
{
	memcpy((char *)object + offset, &value, sizeof(value));
}

static inline size_t slot_size(const void *object, size_t offset)
{
	size_t value;
	memcpy(&value, (const char *)object + offset, sizeof(value));
	return value;
}

static inline int64_t slot_int(const void *object, size_t offset)
{
	int64_t value;
	memcpy(&value, (const char *)object + offset, sizeof(value));
	return value;
}

static inline bool slot_bool(const void *object, size_t offset)
{
	bool value;
	memcpy(&value, (const char *)object + offset, sizeof(value));
	return value;
}

/* Every enum has the size of an unsigned int, in gcc and clang on all that Linux runs on. */
static inline unsigned int slot_enum(const void *object, size_t offset)
{
	unsigned int value;
	memcpy(&value, (const char *)object + offset, sizeof(value));
	return value;
}
