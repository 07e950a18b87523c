/*
 * Which connections are alive: when something last came over each. They are told apart by their local port.
 *
 * A connection can die without a word, behind a proxy even with every byte acknowledged, and libcurl would put new
 * requests on it again and again. So a request that gets no answer takes its connection down if nothing else came over
 * it either; one slow answer among others leaves it alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than HTTP1_CONNECTIONS_MAX: a connection that was overwritten passes for silent. */
#define LINES_MAX 64

struct line {
	long port;
	int64_t heard_ms;
};

struct lines {
	struct line at[LINES_MAX];
	size_t next; /* to be overwritten */
};

void lines_hear(struct lines *l, long port, int64_t now_ms);
bool lines_is_silent(const struct lines *l, long port, int64_t since_ms);
