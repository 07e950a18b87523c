#include "protobuf.h"

#include "tests/sim/tree.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "k8s\0"
#define MAGIC_SIZE 4

struct span {
	const unsigned char *data;
	size_t len;
};

static bool read_varint(struct span *s, uint64_t *ret)
{
	uint64_t value = 0;

	for (int shift = 0; s->len > 0 && shift < 64; shift += 7) {
		unsigned char byte = *s->data++;

		s->len--;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool skip(struct span *s, size_t len, struct span *ret_skipped)
{
	if (len > s->len)
		return false;
	*ret_skipped = (struct span){s->data, len};
	s->data += len;
	s->len -= len;
	return true;
}

/* The next field; RET_VALUE is empty unless it has bytes. False at the end, and where it cannot be read. */
static bool next_field(struct span *s, unsigned *ret_number, struct span *ret_value)
{
	uint64_t tag, value;
	struct span bytes;

	*ret_value = (struct span){(const unsigned char *)"", 0};
	if (s->len == 0 || !read_varint(s, &tag))
		return false;
	*ret_number = (unsigned)(tag >> 3);
	switch (tag & 7) {
	case 0:
		return read_varint(s, &value);
	case 1:
		return skip(s, 8, &bytes);
	case 2:
		return read_varint(s, &value) && skip(s, value, ret_value);
	case 5:
		return skip(s, 4, &bytes);
	default:
		return false;
	}
}

/* The field NUMBER of MESSAGE; empty when it is not there. */
static struct span field_of(struct span message, unsigned number)
{
	struct span value, found = {(const unsigned char *)"", 0};
	unsigned n;

	while (next_field(&message, &n, &value)) {
		if (n == number)
			found = value;
	}
	return found;
}

static void put_text(cJSON *object, const char *key, struct span text)
{
	char *copy = strndup((const char *)text.data, text.len);

	if (text.len)
		tree_put_str(object, key, copy);
	free(copy);
}

/* map<string, string>: each entry is a message of a key and a value. */
static void put_map(cJSON *meta, const char *key, struct span message, unsigned number)
{
	struct span value;
	unsigned n;

	while (next_field(&message, &n, &value)) {
		struct span name = field_of(value, 1);
		char *copy = strndup((const char *)name.data, name.len);

		if (n == number)
			put_text(tree_object(meta, key), copy, field_of(value, 2));
		free(copy);
	}
}

cJSON *protobuf_parse(const char *data, size_t len, struct err *err)
{
	struct span all = {(const unsigned char *)data + MAGIC_SIZE, len - MAGIC_SIZE}, type, meta;
	cJSON *object, *own;

	if (len < MAGIC_SIZE || memcmp(data, MAGIC, MAGIC_SIZE) != 0) {
		err_set(err, ERR_INVALID, "no protobuf of Kubernetes");
		return NULL;
	}
	type = field_of(all, 1);
	meta = field_of(field_of(all, 2), 1);
	object = cJSON_CreateObject();
	put_text(object, "apiVersion", field_of(type, 1));
	put_text(object, "kind", field_of(type, 2));
	own = tree_object(object, "metadata");
	put_text(own, "name", field_of(meta, 1));
	put_text(own, "generateName", field_of(meta, 2));
	put_text(own, "namespace", field_of(meta, 3));
	put_map(own, "labels", meta, 11);
	put_map(own, "annotations", meta, 12);
	return object;
}
