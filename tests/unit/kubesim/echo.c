/*
 * A small program on top of serve, for serve_test.py: it tells what was asked, and holds, trickles or floods on request.
 *
 * Usage: echo CERT KEY [CLIENT_CA]     prints its port; ends when its standard input does
 */
#include "controller/mem.h"
#include "crd/base/strbuf.h"
#include "tests/kubesim/serve.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <utlist.h>

#define FLOOD_SIZE 65536

enum manner { HOLDS, TRICKLES, FLOODS, EXECS, AWAITS_HELD, AWAITS_CLOSED };

/* A stream that was not answered at once. */
struct guest {
	struct stream *stream;
	enum manner manner;
	long left; /* lines of TRICKLES; how many are awaited; not 0: EXECS floods */
	struct guest *prev, *next;
};

struct echo {
	struct guest *guests;
	long closed; /* .on_closed so often */
	bool is_busy;
};

static void add_guest(struct echo *e, struct stream *s, enum manner manner, long left)
{
	struct guest *g = mem_new(sizeof(*g));

	*g = (struct guest){ .stream = s, .manner = manner, .left = left };
	stream_set_owner(s, g);
	DL_APPEND(e->guests, g);
}

static void remove_guest(struct echo *e, struct guest *g)
{
	DL_DELETE(e->guests, g);
	free(g);
}

static void say(struct stream *s, const char *text)
{
	stream_answer(s, 200, "text/plain", text, strlen(text), 0);
}

static void add_pair(struct strbuf *b, const char *name, const char *value)
{
	strbuf_addf(b, "\"%s\":", name);
	strbuf_add_json(b, value);
	strbuf_addc(b, ',');
}

static void tell(struct stream *s, const struct serve_request *r)
{
	cleanup_strbuf struct strbuf b = { 0 };

	strbuf_addc(&b, '{');
	add_pair(&b, "method", r->method);
	add_pair(&b, "path", r->path);
	add_pair(&b, "content_type", r->content_type);
	add_pair(&b, "accept", r->accept);
	add_pair(&b, "authorization", r->authorization);
	add_pair(&b, "user_agent", r->user_agent);
	if (r->len < FLOOD_SIZE)
		add_pair(&b, "body", r->body);
	strbuf_addf(&b, "\"len\":%zu,\"strlen\":%zu}", r->len, strlen(r->body));
	stream_answer(s, 200, "application/json", b.data, b.len, 0);
}

/* "/size/N" */
static void fill(struct stream *s, long size)
{
	char *text = mem_new((size_t)size + 1);

	memset(text, 'x', (size_t)size);
	stream_answer(s, 200, "text/plain", text, (size_t)size, 0);
	free(text);
}

static void release(struct echo *e)
{
	struct guest *g, *next;

	DL_FOREACH_SAFE(e->guests, g, next) {
		if (g->manner != HOLDS)
			continue;
		say(g->stream, "released");
		remove_guest(e, g);
	}
}

static void begin(struct echo *e, struct stream *s, enum manner manner, long left)
{
	stream_begin(s, 200, "application/json");
	add_guest(e, s, manner, left);
}

/* Tried without being asked as well: serve has to cope with it. */
static void upgrade(struct echo *e, struct stream *s, const struct serve_request *r)
{
	stream_upgrade(s, r->protocols ? r->protocols[0] : NULL);
	add_guest(e, s, EXECS, 0);
}

static bool begins(const char *path, const char *start, long *ret_number)
{
	size_t len = strlen(start);

	if (strncmp(path, start, len) != 0)
		return false;
	*ret_number = strtol(path + len, NULL, 10);
	return true;
}

static void on_request(void *ctx, struct stream *s, const struct serve_request *r)
{
	struct echo *e = ctx;
	long number;

	if (begins(r->path, "/size/", &number))
		fill(s, number);
	else if (begins(r->path, "/hold", &number))
		add_guest(e, s, HOLDS, 0);
	else if (begins(r->path, "/held/", &number))
		add_guest(e, s, AWAITS_HELD, number);
	else if (begins(r->path, "/closed/", &number))
		add_guest(e, s, AWAITS_CLOSED, number);
	else if (begins(r->path, "/watch/", &number))
		begin(e, s, TRICKLES, number);
	else if (begins(r->path, "/flood", &number))
		begin(e, s, FLOODS, 0);
	else if (begins(r->path, "/exec", &number))
		upgrade(e, s, r);
	else if (begins(r->path, "/busy", &number))
		stream_answer(s, 429, "text/plain", "busy", 4, 7);
	else if (begins(r->path, "/release", &number)) {
		release(e);
		say(s, "ok");
	} else
		tell(s, r);
}

static void on_frame(void *ctx, struct stream *s, const void *data, size_t len)
{
	struct echo *e = ctx;

	stream_frame(s, data, len);
	if (len == 3 && memcmp(data, "bye", 3) == 0) {
		remove_guest(e, stream_owner(s));
		stream_close(s, 1000);
	}
	if (len == 5 && memcmp(data, "flood", 5) == 0)
		((struct guest *)stream_owner(s))->left = 1;
}

static void on_closed(void *ctx, struct stream *s)
{
	struct echo *e = ctx;

	e->closed++;
	remove_guest(e, stream_owner(s));
}

static void trickle(struct echo *e, struct guest *g)
{
	static const char line[] = "{\"type\":\"ADDED\"}\n";

	if (g->left-- > 0) {
		stream_write(g->stream, line, sizeof(line) - 1);
	} else {
		stream_end(g->stream);
		remove_guest(e, g);
	}
	e->is_busy = true;
}

static long count_held(const struct echo *e)
{
	const struct guest *g;
	long count = 0;

	DL_FOREACH(e->guests, g)
		count += g->manner == HOLDS;
	return count;
}

static void say_so_many(struct echo *e, struct guest *g)
{
	say(g->stream, "so many");
	remove_guest(e, g);
}

static void act(struct echo *e, struct guest *g)
{
	static const char much[FLOOD_SIZE];

	switch (g->manner) {
	case TRICKLES:
		trickle(e, g);
		break;
	case FLOODS:
		stream_write(g->stream, much, sizeof(much));
		e->is_busy = true;
		break;
	case EXECS:
		if (g->left > 0)
			stream_frame(g->stream, much, sizeof(much));
		e->is_busy = e->is_busy || g->left > 0;
		break;
	case AWAITS_HELD:
		if (count_held(e) >= g->left)
			say_so_many(e, g);
		break;
	case AWAITS_CLOSED:
		if (e->closed < g->left)
			break;
		e->closed -= g->left;
		say_so_many(e, g);
		break;
	case HOLDS:
		break;
	}
}

int main(int argc, char **argv)
{
	struct echo e = { 0 };
	struct err err;
	struct guest *g, *next;

	if (argc < 3)
		return 2;
	struct serve_options o = { .address = "127.0.0.1", .cert_file = argv[1], .key_file = argv[2],
	                           .client_ca_file = argc > 3 ? argv[3] : NULL };
	struct serve_handlers h = { .ctx = &e, .on_request = on_request, .on_frame = on_frame, .on_closed = on_closed };
	struct serve *s = serve_new(&o, &h, &err);
	if (!s) {
		printf("%s\n", err.msg);
		return 1;
	}
	printf("%u\n", (unsigned)serve_port(s));
	fflush(stdout);
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	for (char byte; read(STDIN_FILENO, &byte, 1) != 0;) {
		serve_step(s, e.is_busy ? 0 : 1000, STDIN_FILENO);
		e.is_busy = false;
		DL_FOREACH_SAFE(e.guests, g, next)
			act(&e, g);
	}
	serve_free(s);
	return e.guests ? 1 : 0;
}
