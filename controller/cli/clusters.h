/* Clusters as a command reads them: as the server sent them, and decoded. */
#pragma once

#include "cli.h"
#include "crd/base/json.h"
#include "crd/gen/types.h"

/* A list of 250 a page; more is a server that goes round in circles. */
#define CLUSTERS_PAGES_MAX 400

struct clusters {
	cJSON *objects;        /* an array, in the server's order, without managedFields */
	struct cluster *items; /* those that could be decoded; in the arena of the command */
	size_t count;
	size_t unread;         /* those that could not: it was said why */
	const char *version;   /* of the list or the object, to watch from */
};

void clusters_release(struct clusters *c);
#define cleanup_clusters __attribute__((cleanup(clusters_release)))

/* All of the session's namespace, or of all namespaces. Returns 0, or -1 with ERR. */
int clusters_list(struct cli *cli, struct clusters *ret, struct err *err);
/* The one called NAME. When there is none, ERR names the nearest and those that there are. */
int clusters_get(struct cli *cli, const char *name, struct clusters *ret, struct err *err);
/* NAME, or without one (NULL) all. */
int clusters_read(struct cli *cli, const char *name, struct clusters *ret, struct err *err);
/* "namespace shop", "any namespace". */
const char *clusters_where(struct cli *cli);
