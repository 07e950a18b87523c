/*
 * Execs: one WebSocket each, by libwslay over connections that libcurl only opens (CURLOPT_CONNECT_ONLY), so that proxy,
 * CA and credentials are those of every other call.
 *
 * They have a multi handle of their own without a limit of connections: in the one of http.h the limit would close live
 * execs silently (tried with libcurl 7.88). It exists only while there are execs.
 *
 *	WAITING -> CONNECTING -> SENDING -> HEAD -> OPEN -> done
 *	                                      \-> REFUSED -> done      any but 101
 *
 * Up to CONNECTING nothing has reached the server, so a failure means that nothing was started; from SENDING on it may
 * have been.
 */
#pragma once

#include "controller/world.h"
#include "easy.h"
#include "trust.h"

#include <stdbool.h>

/* Each holds a connection and about 60 KiB; the others wait in line. */
#define EXECS_MAX 32
#define EXEC_TIMEOUT_MS 30000 /* for an exec that names none */
/* A body that says why there was no 101. */
#define EXEC_REFUSAL_MAX 16384
/* One message of a channel; kubelets send at most 32 KiB. */
#define EXEC_MESSAGE_MAX ((size_t)1 << 20)

/*
 * Bytes of standard input in one message. The next is made when the one before has left for the socket, so that an exec holds no
 * more than this beside the requester's own.
 */
#define EXEC_INPUT_CHUNK ((size_t)32 << 10)

struct job;

struct execs {
	struct endpoint *endpoint; /* borrowed */
	CURLM *multi;              /* NULL while there is no exec */
	struct trust trust;        /* of the last connection that was made */
	struct job *jobs;          /* in the order they came */
	size_t running;
};

void execs_init(struct execs *x, struct endpoint *endpoint);
/* Answers every exec that is left with EXEC_LOST. */
void execs_release(struct execs *x);

/* Frees what is kept for the next exec. */
void execs_give_back(struct execs *x);

void execs_add(struct execs *x, const struct exec_request *r);

/* Does what can be done without waiting, and calls back. True when somebody was called back. */
bool execs_step(struct execs *x);

/* What to wait for. Sockets beyond MAX are left out: execs_deadline() is then near. Returns how many were written. */
size_t execs_sockets(const struct execs *x, struct curl_waitfd *sockets, size_t max);
/* A bound on the sockets of EXECS_MAX execs: while one connects there are several (IPv4 and IPv6, name look-up). */
#define EXEC_SOCKETS_MAX (4 * EXECS_MAX)
/* When execs_step() must run even if nothing comes (clock_steady_ms()); INT64_MAX: never. */
int64_t execs_deadline(const struct execs *x);
