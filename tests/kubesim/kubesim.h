/*
 * kubesim: the simulation's API server, Kubernetes controllers and members behind HTTPS, on a clock that follows the real
 * one. README.md beside this file says what it imitates and what not.
 *
 * The parts of tests/sim know struct sim only, and call out by name (stream_wake(), book_started(), faults_...()):
 * world.c answers those calls here.
 */
#pragma once

#include "tests/kubesim/crd_file.h"
#include "tests/kubesim/serve.h"
#include "tests/kubesim/switches.h"
#include "tests/sim/sim.h"

struct watch;

/* What a stream that was not answered at once belongs to: the first member of its owner. */
enum owner { OWNER_WATCH, OWNER_EXEC };

struct kubesim {
	struct sim sim;             /* first: a pointer to one is a pointer to the other */
	struct arena scratch;       /* emptied after each request */
	struct serve *serve;
	struct crd_file crds[KINDS]; /* of our own kinds; .root is NULL for the others */
	struct switches switches;
	struct watch *watches;
	const char *dir;            /* as in the options */
	char *token;
	int64_t booted_at;          /* when this machine was, wall clock: members' logs count from there */
	bool is_loud;
};

static inline struct kubesim *kubesim_of(const struct sim *sim)
{
	return (struct kubesim *)sim;
}

/* History that is kept for watches that come back; what is older is answered 410. */
#define KUBESIM_HISTORY_MAX ((size_t)64 << 20)

#define KUBESIM_DOWN_MAX 64

struct kubesim_options {
	const char *dir;            /* for the kubeconfig and the certificates; made when it is not there */
	const char *crds;           /* folder of the CRDs; NULL: crd/ above this program */
	const char *ready_file;
	uint16_t port;
	double speed;
	int64_t handler_ms;
	bool is_loud;
	const char *down[KUBESIM_DOWN_MAX]; /* pods whose containers do not start */
	size_t down_count;
};

/* K is zeroed; it is to be released even when this fails. Returns 0 or -1 with ERR set. */
int kubesim_start(struct kubesim *k, const struct kubesim_options *o, struct err *err);
void kubesim_release(struct kubesim *k);
/* Does all that is due and returns how long nothing will be, in ms. */
int kubesim_turn(struct kubesim *k);
/* One request; the handler of serve. */
void kubesim_request(void *ctx, struct stream *s, const struct serve_request *r);
/* What comes on an exec's standard input: nobody reads it. */
void kubesim_frame(void *ctx, struct stream *s, const void *data, size_t len);
/* The other side of a stream is gone. */
void kubesim_closed(void *ctx, struct stream *s);
