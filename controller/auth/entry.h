/*
 * One entry of a kubeconfig file, read member by member. Errors name the entry and the member, never a value: it may be a
 * secret.
 */
#pragma once

#include "credentials.h"

#include <cjson/cJSON.h>

/* Of arguments, variables, groups: the longest in use have a few dozen. */
#define ENTRY_LIST_MAX 1000

struct entry {
	const cJSON *body;
	const char *who;      /* for messages: user "x" in FILE */
	const char *file;     /* that holds it: its relative paths start in this file's folder */
	struct arena *memory; /* of what is made from it */
};

/*
 * Member KEY. One that is absent, null or empty gives NULL, false or no items; one of another type is an error, for who
 * writes a number means text. Texts live as long as the tree does. Return 0, or -1 with ERR.
 */
int entry_text(const struct entry *e, const char *key, const char **ret, struct err *err);
int entry_bool(const struct entry *e, const char *key, bool *ret, struct err *err);

struct texts {
	const char **items;
	size_t count;
};
/* The list KEY as it is, of at most ENTRY_LIST_MAX items. */
int entry_list(const struct entry *e, const char *key, const cJSON **ret, struct err *err);
int entry_texts(const struct entry *e, const char *key, struct texts *ret, struct err *err);

/* PATH as seen from here; the result is in .memory. */
const char *entry_path(const struct entry *e, const char *path);

/* Fills M from KEY-data or from the file KEY; the former wins, as in kubectl. Without either M stays empty. */
int entry_material(const struct entry *e, const char *key, struct material *m, struct err *err);
