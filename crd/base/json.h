/* The JSON trees of cJSON, fenced in: parsing with bounds, and access by exact key. */
#pragma once

#include "err.h"
#include "strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

/* Deeper than anything Kubernetes has (about 20), shallow enough for the stack. */
#define JSON_DEPTH_MAX 100

/* Parses all of TEXT. Trailing bytes other than white space are an error. NULL with ERR set; the caller deletes it. */
cJSON *json_parse(const char *text, size_t len, struct err *err);

static inline void json_delete(cJSON **tree)
{
	cJSON_Delete(*tree);
}
#define cleanup_json __attribute__((cleanup(json_delete)))

/* Member KEY of an object; NULL when there is none, when it is null, or when OBJ is no object. Case counts. */
const cJSON *json_get(const cJSON *obj, const char *key);
/* Its text, or NULL when it is no string. */
const char *json_str(const cJSON *obj, const char *key);
/* Its value, or FALLBACK when it is no integer within 2^53. */
int64_t json_int(const cJSON *obj, const char *key, int64_t fallback);
bool json_bool(const cJSON *obj, const char *key);

/*
 * Appends TREE as compact JSON. Integers within 2^53 are printed in full and others with the digits that bring the same
 * double back (cJSON prints 9007199254740991 as 9.00719925474099e+15, which no integer field accepts).
 */
void json_print(const cJSON *tree, struct strbuf *out);

/*
 * Lays OVER on BASE and appends the result to OUT: objects are merged key by key; lists whose items all have a "name"
 * are merged by it, in BASE's order and then OVER's; everything else is replaced. Both are JSON text; OVER may be NULL.
 * Numbers and strings keep their value. Returns 0 or -1 with ERR set.
 */
int json_overlay(const char *base, const char *over, struct strbuf *out, struct err *err);
