#include "serve_bytes.h"

#include "crd/base/die.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 512

static void grow(struct bytes *b, size_t need)
{
	size_t room = b->room ? b->room : FIRST_ROOM;

	while (room < need)
		room *= 2;
	char *data = realloc(b->data, room);
	if (!data)
		die("serve", "out of memory", room);
	b->data = data;
	b->room = room;
}

void bytes_add(struct bytes *b, const char *data, size_t len)
{
	if (len == 0)
		return;
	/* Moved only when at least as much was taken since the last time, so that it costs nothing on average. */
	if (b->from + b->len + len > b->room && b->from >= b->len && b->from > 0) {
		memmove(b->data, b->data + b->from, b->len);
		b->from = 0;
	}
	if (b->from + b->len + len > b->room)
		grow(b, b->from + b->len + len);
	memcpy(b->data + b->from + b->len, data, len);
	b->len += len;
}

const char *bytes_front(const struct bytes *b)
{
	return b->data ? b->data + b->from : "";
}

void bytes_take(struct bytes *b, size_t len)
{
	assert(len <= b->len);
	b->from += len;
	b->len -= len;
	if (b->len == 0)
		bytes_release(b);
}

void bytes_release(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){ 0 };
}
