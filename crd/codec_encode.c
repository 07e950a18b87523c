#include "codec.h"

#include "crd/base/time.h"
#include "codec_slot.h"

static bool is_absent(const struct crd_field *f, const void *src)
{
	switch (f->kind) {
	case CRD_ENUM:
		return slot_enum(src, f->offset) == 0;
	case CRD_TIME:
	case CRD_MICROTIME:
		return slot_int(src, f->offset) == 0;
	case CRD_INT:
		return f->has ? !slot_bool(src, f->aux) : slot_int(src, f->offset) == 0;
	case CRD_BOOL:
		return !slot_bool(src, f->offset);
	case CRD_STRING:
	case CRD_OBJECT:
	case CRD_OBJLIST:
	case CRD_STRLIST:
	case CRD_STRMAP:
	case CRD_RAW:
		return !slot_pointer(src, f->offset);
	}
	return true;
}

static void encode_text(const char *text, struct strbuf *out)
{
	strbuf_add_json(out, text ? text : "");
}

static void encode_time(const struct crd_field *f, int64_t ms, struct strbuf *out)
{
	char text[TIME_TEXT_MAX];
	if (f->kind == CRD_MICROTIME)
		time_format_micro(ms, text);
	else
		time_format(ms, text);
	encode_text(text, out);
}

static void encode_list(const struct crd_field *f, const void *src, struct strbuf *out)
{
	const char *items = slot_pointer(src, f->offset);
	size_t count = items ? slot_size(src, f->aux) : 0;
	strbuf_addc(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strbuf_addc(out, ',');
		if (f->kind == CRD_OBJLIST)
			crd_encode(f->type, items + i * f->type->size, out);
		else
			encode_text(slot_pointer(items, i * sizeof(char *)), out);
	}
	strbuf_addc(out, ']');
}

static void encode_map(const struct crd_field *f, const void *src, struct strbuf *out)
{
	const struct crd_pair *pairs = slot_pointer(src, f->offset);
	size_t count = pairs ? slot_size(src, f->aux) : 0;
	strbuf_addc(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strbuf_addc(out, ',');
		encode_text(pairs[i].key, out);
		strbuf_addc(out, ':');
		encode_text(pairs[i].value, out);
	}
	strbuf_addc(out, '}');
}

/* An absent value of a required field is written as the empty one of its kind. */
static void encode_value(const struct crd_field *f, const void *src, struct strbuf *out)
{
	const void *pointer = NULL;
	switch (f->kind) {
	case CRD_STRING:
		encode_text(slot_pointer(src, f->offset), out);
		return;
	case CRD_ENUM:
		encode_text(slot_enum(src, f->offset) < f->word_count ? f->words[slot_enum(src, f->offset)] : NULL, out);
		return;
	case CRD_TIME:
	case CRD_MICROTIME:
		encode_time(f, slot_int(src, f->offset), out);
		return;
	case CRD_INT:
		strbuf_add_int(out, slot_int(src, f->offset));
		return;
	case CRD_BOOL:
		strbuf_adds(out, slot_bool(src, f->offset) ? "true" : "false");
		return;
	case CRD_OBJECT:
		pointer = slot_pointer(src, f->offset);
		if (pointer)
			crd_encode(f->type, pointer, out);
		else
			strbuf_adds(out, "{}");
		return;
	case CRD_OBJLIST:
	case CRD_STRLIST:
		encode_list(f, src, out);
		return;
	case CRD_STRMAP:
		encode_map(f, src, out);
		return;
	case CRD_RAW:
		pointer = slot_pointer(src, f->offset);
		strbuf_adds(out, pointer ? pointer : "null");
		return;
	}
}

void crd_encode(const struct crd_type *type, const void *src, struct strbuf *out)
{
	bool first = true;
	strbuf_addc(out, '{');
	for (size_t i = 0; i < type->count; i++) {
		const struct crd_field *f = &type->fields[i];
		if (is_absent(f, src) && !f->required)
			continue;
		strbuf_adds(out, first ? "\"" : ",\"");
		strbuf_adds(out, f->key);
		strbuf_adds(out, "\":");
		encode_value(f, src, out);
		first = false;
	}
	strbuf_addc(out, '}');
}

const char *crd_text(const struct crd_type *type, const void *src, struct arena *a)
{
	struct strbuf out = { .arena = a };
	crd_encode(type, src, &out);
	return strbuf_str(&out);
}
