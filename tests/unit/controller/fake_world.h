/*
 * A world that does nothing by itself: requests and execs are noted down, and the test answers those it wants to. Time
 * stands still until the test moves it.
 */
#pragma once

#include "controller/world.h"

#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_MAX 128
#define FAKE_START INT64_C(1800000000000)

struct fake_request {
	enum verb verb;
	char *path, *body;
	const struct request *origin;
	bool open, cancelled;
};

struct fake_exec {
	char *pod, *container, *key;
	struct exec_request request;
	bool open;
};

struct fake_world {
	struct world world;
	int64_t now;
	struct fake_request requests[FAKE_MAX];
	size_t request_count;
	struct fake_exec execs[FAKE_MAX];
	size_t exec_count;
};

static int64_t fake_now(void *self)
{
	return ((struct fake_world *)self)->now;
}

static void *fake_send(void *self, const struct request *r)
{
	struct fake_world *w = self;
	struct fake_request *f = &w->requests[w->request_count++];

	assert_true(w->request_count < FAKE_MAX);
	*f = (struct fake_request){ r->verb, strdup(r->path), r->body ? strdup(r->body) : NULL, r, true, false };
	return f;
}

static void fake_cancel(void *self, void *handle)
{
	struct fake_request *f = handle;

	(void)self;
	assert_true(f->open);
	f->open = false;
	f->cancelled = true;
}

/* The fifth argument is the launcher's key: "sh -c TEXT rolecall KEY ...". */
static void fake_start_exec(void *self, const struct exec_request *r)
{
	struct fake_world *w = self;
	struct fake_exec *e = &w->execs[w->exec_count++];

	assert_true(w->exec_count < FAKE_MAX && r->argc > 4);
	*e = (struct fake_exec){ strdup(r->pod), strdup(r->container), strdup(r->argv[4]), *r, true };
}

/* No jitter. */
static uint32_t fake_random(void *self)
{
	(void)self;
	return 0;
}

static inline void fake_init(struct fake_world *w)
{
	*w = (struct fake_world){ .now = FAKE_START };
	w->world = (struct world){ w, fake_now, fake_send, fake_cancel, fake_start_exec, fake_random };
}

static inline void fake_release(struct fake_world *w)
{
	for (size_t i = 0; i < w->request_count; i++) {
		free(w->requests[i].path);
		free(w->requests[i].body);
	}
	for (size_t i = 0; i < w->exec_count; i++) {
		free(w->execs[i].pod);
		free(w->execs[i].container);
		free(w->execs[i].key);
	}
}

static inline size_t fake_open_count(const struct fake_world *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->request_count; i++)
		count += w->requests[i].open;
	return count;
}

/* The oldest open request of this kind whose path contains PART; NULL when there is none. */
static inline struct fake_request *fake_find(struct fake_world *w, enum verb verb, const char *part)
{
	for (size_t i = 0; i < w->request_count; i++) {
		struct fake_request *f = &w->requests[i];

		if (f->open && f->verb == verb && strstr(f->path, part))
			return f;
	}
	return NULL;
}

static inline void fake_answer(struct fake_request *f, const char *body)
{
	struct response r = { .http = 200, .body = body, .len = strlen(body) };

	assert_non_null(f);
	assert_true(f->open);
	f->open = false;
	f->origin->on_done(f->origin->ctx, &r);
}

static inline void fake_fail_after(struct fake_request *f, enum err_kind kind, const char *message, int retry_after_s)
{
	struct response r = { .http = 0 };

	assert_non_null(f);
	assert_true(f->open);
	err_set(&r.err, kind, "%s", message);
	r.err.retry_after_s = retry_after_s;
	f->open = false;
	f->origin->on_done(f->origin->ctx, &r);
}

static inline void fake_fail(struct fake_request *f, enum err_kind kind, const char *message)
{
	fake_fail_after(f, kind, message, 0);
}

static inline void fake_data(struct fake_request *f, const char *bytes)
{
	assert_non_null(f);
	assert_true(f->open);
	f->origin->on_data(f->origin->ctx, bytes, strlen(bytes));
}

static inline void fake_exec_end(struct fake_exec *e, enum exec_end end, const char *output)
{
	struct exec_result r = { .end = end, .output = output, .len = strlen(output), .message = "it ended" };

	assert_true(e->open);
	e->open = false;
	e->request.on_done(e->request.ctx, &r);
}

/* "rolecall/1 KEY done CODE" */
static inline void fake_exec_done(struct fake_exec *e, int code)
{
	char line[256];

	snprintf(line, sizeof(line), "rolecall/1 %s done %d\n", e->key, code);
	fake_exec_end(e, EXEC_EXITED, line);
}
