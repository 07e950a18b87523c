/*
 * Bytes that wait to go out or to be understood: added at the end, taken from the front. A zeroed struct is empty, and an
 * empty one holds no memory, for most connections and watches say nothing most of the time.
 *
 * There is no cap here: who adds knows his own.
 */
#pragma once

#include <stddef.h>

struct bytes {
	char *data;
	size_t from, len, room; /* they are data[from], ..., data[from + len - 1] */
};

void bytes_add(struct bytes *b, const char *data, size_t len);
/* Valid until the next call. */
const char *bytes_front(const struct bytes *b);
/* Drops the first LEN, which are at most b->len. */
void bytes_take(struct bytes *b, size_t len);
void bytes_release(struct bytes *b);
