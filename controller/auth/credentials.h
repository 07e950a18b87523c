/*
 * Where the API server is and what it takes to talk to it, whichever way that was told: kubeconfig.h, incluster.h.
 *
 * All material is kept in memory and handed to libcurl from there: nothing is ever written to disk. What came from a
 * file is read again, because tokens and certificates rotate under a running process (Kubernetes: "Bound service
 * account tokens"); a file that is gone or unreadable in the middle of a swap leaves the old contents in force.
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/base/err.h"
#include "crd/base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* How often files are looked at, unless the API server refused what we have. */
#define CREDENTIALS_REREAD_MS 60000

struct plugin;

struct material {
	struct strbuf text;  /* empty: there is none */
	const char *file;    /* NULL: it was given inline */
	const char *source;  /* for messages: "client-key-data of user x" */
};

struct credentials {
	const char *server;          /* "https://host:port/prefix", without a slash at the end */
	const char *tls_server_name; /* NULL: the server's host */
	const char *proxy_url;       /* as libcurl takes it; NULL: as the environment says */
	const char *namespace;       /* of the context or the pod; NULL when not told */
	const char *who;             /* for messages: "user x in /path" */
	bool insecure;
	struct material ca;          /* empty: the system's certificates */
	struct material cert, key;
	struct material token;
	const char *basic;           /* base64 of name and password; NULL: there are none */
	const char *impersonate;     /* header lines that end with CRLF; NULL: we act as ourselves */
	struct plugin *plugin;       /* in .memory; NULL: all is there from the start */
	unsigned version;            /* rises whenever something changed */
	int64_t read_at_ms;          /* monotonic; when the files were last looked at */
	struct arena memory;         /* the strings above */
};

/*
 * Fills M from FILE; a token is trimmed. Returns 0 or -1. SOURCE and FILE are borrowed: they must live as long as M.
 */
int material_load(struct material *m, const char *file, const char *source, struct err *err);
int token_load(struct material *m, const char *file, const char *source, struct err *err);

/* Takes white space and a byte order mark off a token, and refuses what may not stand in a header. */
int token_clean(struct material *m, struct err *err);

/* Whether the PEM texts can be used: certificates are there, the key is not encrypted and fits its certificate. */
int credentials_check(const struct credentials *c, struct err *err);

/* Appends the header lines that say who we are, each with its CRLF: Authorization, Impersonate-... */
void credentials_add_headers(const struct credentials *c, struct strbuf *out);

/*
 * Reads the files again if CREDENTIALS_REREAD_MS have passed since the last time, or AT_ONCE; runs the plugin when that is
 * due, or AT_ONCE. True when something changed: a request that was refused with an older version may be tried once more.
 */
bool credentials_refresh(struct credentials *c, int64_t now_ms, bool at_once);

enum credentials_state {
	CREDENTIALS_READY,
	CREDENTIALS_PENDING, /* the plugin is being asked: nothing may be sent, least of all anonymously */
	CREDENTIALS_MISSING, /* the plugin fails: credentials_problem() */
};
enum credentials_state credentials_state(const struct credentials *c, int64_t now_ms);

/* Why the plugin failed when it was last run, into ERR. Returns -1 when it did, else 0. */
int credentials_problem(const struct credentials *c, struct err *err);

/*
 * Waits for the plugin's first answer. Only for the time before the loop. Returns 0 when there is one or none is needed,
 * else -1 with ERR.
 */
int credentials_wait(struct credentials *c, struct err *err);

/*
 * When credentials_refresh() must run: when one of FDS can be read, and at the deadline (clock_steady_ms()). Returns how
 * many of FDS there are.
 */
#define CREDENTIALS_FDS_MAX 3
size_t credentials_descriptors(const struct credentials *c, int fds[CREDENTIALS_FDS_MAX]);
int64_t credentials_deadline(const struct credentials *c);

void credentials_release(struct credentials *c);
#define cleanup_credentials __attribute__((cleanup(credentials_release)))
