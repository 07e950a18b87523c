/*
 * A map from strings to pointers, in the order of insertion. It owns its copies of the keys, never the values.
 *
 * uthash stands behind it; its macros stay in strmap.c. A zeroed struct is an empty map.
 */
#pragma once

#include <stddef.h>

struct slabs;
struct strmap_entry;

struct strmap {
	struct strmap_entry *entries;
	struct slabs *slabs; /* where entries come from and go back to; NULL means malloc */
};

/* NULL when KEY is not there. */
void *strmap_get(const struct strmap *m, const char *key);
/* Returns the value that KEY had before, or NULL: it is the caller's to free. */
void *strmap_set(struct strmap *m, const char *key, void *value);
/* Returns the value of KEY, which is no longer there, or NULL. */
void *strmap_remove(struct strmap *m, const char *key);
size_t strmap_count(const struct strmap *m);

/*
 * Walks the map: begin with a zeroed iterator, end at NULL. Removing the key just returned is allowed; setting a new
 * key while walking is not.
 *
 *	struct strmap_iter it = { 0 };
 *	for (const char *key; (key = strmap_next(&map, &it));)
 *		use(key, it.value);
 */
struct strmap_iter {
	void *value;
	struct strmap_entry *next;
	int started;
};
const char *strmap_next(const struct strmap *m, struct strmap_iter *it);

/* Frees the map's own memory; the values are the caller's. */
void strmap_release(struct strmap *m);
#define cleanup_strmap __attribute__((cleanup(strmap_release)))
