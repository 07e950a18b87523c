#include "tests/unit/unit.h"

#include "controller/api/watch.h"
#include "crd/base/json.h"

#include <stdlib.h>
#include <string.h>

static void note_event(void *ctx, enum watch_event event, struct cJSON *object)
{
	static const char letters[] = "AMDB";

	strbuf_addf(ctx, "%c%s ", letters[event], json_str(json_get(object, "metadata"), "name"));
}

#define EVENT(type, name) "{\"type\":\"" type "\",\"object\":{\"metadata\":{\"name\":\"" name "\"}}}\n"
#define STATUS(fields) "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"," fields "}}\n"

static const struct row {
	const char *name;
	const char *stream;
	const char *events;
	enum err_kind end;
	bool cut;
} rows[] = {
	{ "every type", EVENT("ADDED", "a") EVENT("MODIFIED", "b") EVENT("DELETED", "c") EVENT("BOOKMARK", "d"),
	  "Aa Mb Dc Bd ", ERR_NONE, false },
	{ "empty lines and carriage returns", "\n\r\n" EVENT("ADDED", "a") "\n", "Aa ", ERR_NONE, false },
	{ "a line break inside a string stays escaped", EVENT("ADDED", "a\\nb"), "Aa\nb ", ERR_NONE, false },
	{ "nothing", "", "", ERR_NONE, false },
	{ "cut inside an object", EVENT("ADDED", "a") "{\"type\":\"ADDED\",\"obj", "Aa ", ERR_NONE, true },
	{ "410 first", STATUS("\"code\":410"), "", ERR_GONE, false },
	{ "410 after good events", EVENT("ADDED", "a") EVENT("ADDED", "b") STATUS("\"code\":410"), "Aa Ab ", ERR_GONE,
	  false },
	{ "410 by its reason", STATUS("\"reason\":\"Expired\""), "", ERR_GONE, false },
	{ "another error is not gone", STATUS("\"code\":500,\"message\":\"etcd\""), "", ERR_UNAVAILABLE, false },
	{ "an error that says nothing", STATUS("\"metadata\":{}"), "", ERR_UNAVAILABLE, false },
	{ "no JSON", EVENT("ADDED", "a") "<html>\n", "Aa ", ERR_PROTOCOL, false },
	{ "no type", "{\"object\":{}}\n", "", ERR_PROTOCOL, false },
	{ "type of another case", "{\"Type\":\"ADDED\",\"object\":{}}\n", "", ERR_PROTOCOL, false },
	{ "unknown type", EVENT("SYNC", "a"), "", ERR_PROTOCOL, false },
	{ "object is a list", "{\"type\":\"ADDED\",\"object\":[]}\n", "", ERR_PROTOCOL, false },
	{ "object is null", "{\"type\":\"ADDED\",\"object\":null}\n", "", ERR_PROTOCOL, false },
	{ "not an object at all", "[]\n", "", ERR_PROTOCOL, false },
};

/* The network cuts where it likes: the outcome is the same for pieces of every size. */
static void in_pieces(const struct row *row, size_t piece)
{
	cleanup_strbuf struct strbuf events = { 0 };
	struct watch w = { .on_event = note_event, .ctx = &events };
	struct err err = { 0 };
	size_t len = strlen(row->stream);
	int rc = 0;

	for (size_t at = 0; at < len && rc == 0; at += piece) {
		/* A copy of just these bytes, so that a sanitizer sees who reads further. */
		size_t size = at + piece < len ? piece : len - at;
		char *bytes = malloc(size);

		memcpy(bytes, row->stream + at, size);
		rc = watch_feed(&w, bytes, size, &err);
		free(bytes);
	}
	assert_string_equal(strbuf_str(&events), row->events);
	assert_int_equal(err.kind, row->end);
	if (rc == 0)
		assert_int_equal(watch_is_cut(&w), row->cut);
	watch_reset(&w);
	assert_false(watch_is_cut(&w));
}

static void run_row(void **state)
{
	const struct row *row = *state;

	for (size_t piece = 1; piece <= strlen(row->stream) + 1; piece++)
		in_pieces(row, piece);
}

static void a_line_over_the_cap_ends_the_stream(void **state)
{
	cleanup_strbuf struct strbuf events = { 0 };
	struct watch w = { .on_event = note_event, .ctx = &events };
	struct err err = { 0 };
	static char bytes[64 << 10];
	size_t fed = 0;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	while (watch_feed(&w, bytes, sizeof(bytes), &err) == 0)
		fed += sizeof(bytes);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_true(fed <= WATCH_LINE_MAX);
	watch_reset(&w);
}

static void no_memory_is_held_between_events(void **state)
{
	cleanup_strbuf struct strbuf events = { 0 };
	struct watch w = { .on_event = note_event, .ctx = &events };
	const char *half = "{\"type\":\"ADDED\",";

	(void)state;
	assert_int_equal(watch_feed(&w, half, strlen(half), NULL), 0);
	assert_non_null(w.line.data);
	half = "\"object\":{\"metadata\":{\"name\":\"a\"}}}\n";
	assert_int_equal(watch_feed(&w, half, strlen(half), NULL), 0);
	assert_null(w.line.data);
	assert_string_equal(strbuf_str(&events), "Aa ");
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + 2];

	UNIT_ROWS(tests, rows, run_row);
	tests[UNIT_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(a_line_over_the_cap_ends_the_stream);
	tests[UNIT_COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(no_memory_is_held_between_events);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
