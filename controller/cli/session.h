/*
 * Requests of a command, one after the other: sends one, waits for its answer. Everything below is the operator's
 * (controller/net), so that both reach the same servers in the same way.
 */
#pragma once

#include "controller/auth/credentials.h"
#include "controller/cli/options.h"
#include "controller/world.h"

struct net;

/* A request that was turned away as too early is sent again at most so often, when the server said after how long. */
#define SESSION_TRIES_MAX 3

struct session {
	struct credentials credentials;
	struct net *net;
	const char *namespace; /* that commands are about; NULL: all of them */
	int64_t timeout_ms;
};

/* Reads the kubeconfig that O tells of; sends nothing. Returns 0, or -1 with ERR. */
int session_open(struct session *s, const struct options *o, struct err *err);
void session_close(struct session *s);

/*
 * Sends one request and waits. RET_BODY gets the body of the answer, also of a refusal; BODY may be NULL. Returns 0 for
 * a 2xx, else -1 with ERR: .http is 0 when there was no answer.
 */
int session_call(struct session *s, enum verb verb, const char *path, const char *body, struct strbuf *ret_body,
                 struct err *err);

/* Waits for MS without doing anything. */
void session_pause(struct session *s, int64_t ms);

/*
 * One watch: ON_DATA gets the bytes as they come, until the server ends the stream (0), it breaks (-1 with ERR), or
 * ON_DATA returns false (0).
 */
int session_watch(struct session *s, const char *path, bool (*on_data)(void *ctx, const char *data, size_t len),
                  void *ctx, struct err *err);
