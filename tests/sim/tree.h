/* Changing JSON trees: what crd/base/json.h, which only reads, leaves out. Keys are compared exactly. */
#pragma once

#include "crd/base/json.h"

cJSON *tree_child(cJSON *obj, const char *key);                       /* NULL when absent */
cJSON *tree_object(cJSON *obj, const char *key);                      /* made when absent */
void tree_put(cJSON *obj, const char *key, cJSON *value);             /* takes VALUE; replaces in place */
void tree_put_str(cJSON *obj, const char *key, const char *value);
void tree_put_int(cJSON *obj, const char *key, int64_t value);
void tree_drop(cJSON *obj, const char *key);
cJSON *tree_copy(const cJSON *src);                                   /* NULL stays NULL */
bool tree_equal(const cJSON *a, const cJSON *b);                      /* two absent ones are equal */
cJSON *tree_parsef(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* text of our own: must be valid */
const char *tree_label(const cJSON *object, const char *key);         /* metadata.labels[key] or NULL */

/* RFC 7396: objects are merged, null removes, everything else replaces. */
void tree_merge_patch(cJSON *base, const cJSON *patch);
/*
 * What server-side apply does for one owner: fields of BEFORE (its last apply, may be NULL) that NOW lacks are removed
 * from BASE, then NOW is laid over it. Lists count as one field.
 */
void tree_apply(cJSON *base, const cJSON *before, const cJSON *now);
