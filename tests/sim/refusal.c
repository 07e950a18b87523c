#include "refusal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const reasons[] = {
	[CAUSE_INVALID] = "FieldValueInvalid",
	[CAUSE_DUPLICATE] = "FieldValueDuplicate",
	[CAUSE_TYPE] = "FieldValueTypeInvalid",
	[CAUSE_REQUIRED] = "FieldValueRequired",
	[CAUSE_UNSUPPORTED] = "FieldValueNotSupported",
	[CAUSE_TOO_LONG] = "FieldValueTooLong",
	[CAUSE_TOO_MANY] = "FieldValueTooMany",
};

static void add(struct refusal *r, enum cause_kind kind, const char *field, const char *before, const char *fmt,
                va_list args) __attribute__((format(printf, 5, 0)));

static void add(struct refusal *r, enum cause_kind kind, const char *field, const char *before, const char *fmt,
                va_list args)
{
	struct cause *c;
	int n;

	if (r->count == REFUSAL_CAUSES_MAX)
		return;
	c = &r->causes[r->count++];
	c->kind = kind;
	snprintf(c->field, sizeof(c->field), "%s", field);
	n = snprintf(c->message, sizeof(c->message), "%s", before);
	vsnprintf(c->message + n, sizeof(c->message) - (size_t)n, fmt, args);
}

bool refusal_add(struct refusal *r, const char *field, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(r, CAUSE_INVALID, field, "Invalid value: ", fmt, args);
	va_end(args);
	return false;
}

bool refusal_add_as(struct refusal *r, enum cause_kind kind, const char *field, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(r, kind, field, "", fmt, args);
	va_end(args);
	return false;
}

bool refusal_lets_rules_speak(const struct refusal *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->causes[i].kind >= CAUSE_TYPE)
			return false;
	}
	return true;
}

void refusal_print(const struct refusal *r, struct strbuf *b)
{
	strbuf_adds(b, r->count > 1 ? "[" : "");
	for (size_t i = 0; i < r->count; i++)
		strbuf_addf(b, "%s%s: %s", i ? ", " : "", r->causes[i].field, r->causes[i].message);
	strbuf_adds(b, r->count > 1 ? "]" : "");
}

void refusal_print_causes(const struct refusal *r, struct strbuf *b)
{
	strbuf_adds(b, "\"causes\":[");
	for (size_t i = 0; i < r->count; i++) {
		strbuf_addf(b, "%s{\"reason\":\"%s\",\"message\":", i ? "," : "", reasons[r->causes[i].kind]);
		strbuf_add_json(b, r->causes[i].message);
		strbuf_adds(b, ",\"field\":");
		strbuf_add_json(b, r->causes[i].field);
		strbuf_addc(b, '}');
	}
	strbuf_addc(b, ']');
}
