#include "strmap.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>

#define uthash_fatal(msg) die("strmap", msg, 0)
#include <uthash.h>

struct strmap_entry {
	void *value;
	UT_hash_handle hh;
	char key[];
};

static struct strmap_entry *find(const struct strmap *m, const char *key)
{
	struct strmap_entry *found;
	HASH_FIND_STR(m->entries, key, found);
	return found;
}

void *strmap_get(const struct strmap *m, const char *key)
{
	struct strmap_entry *entry = find(m, key);
	return entry ? entry->value : NULL;
}

void *strmap_set(struct strmap *m, const char *key, void *value)
{
	struct strmap_entry *entry = find(m, key);
	if (entry) {
		void *old = entry->value;
		entry->value = value;
		return old;
	}
	size_t len = strlen(key);
	entry = calloc(1, sizeof(*entry) + len + 1);
	if (!entry)
		die("strmap", "out of memory", len);
	memcpy(entry->key, key, len);
	entry->value = value;
	HASH_ADD_KEYPTR(hh, m->entries, entry->key, len, entry);
	return NULL;
}

void *strmap_remove(struct strmap *m, const char *key)
{
	struct strmap_entry *entry = find(m, key);
	if (!entry)
		return NULL;
	void *value = entry->value;
	HASH_DEL(m->entries, entry);
	free(entry);
	return value;
}

size_t strmap_count(const struct strmap *m)
{
	return HASH_COUNT(m->entries);
}

const char *strmap_next(const struct strmap *m, struct strmap_iter *it)
{
	struct strmap_entry *entry = it->started ? it->next : m->entries;
	it->started = 1;
	it->next = entry ? entry->hh.next : NULL;
	it->value = entry ? entry->value : NULL;
	return entry ? entry->key : NULL;
}

void strmap_release(struct strmap *m)
{
	if (!m)
		return;
	struct strmap_entry *entry, *next;
	HASH_ITER(hh, m->entries, entry, next) {
		HASH_DEL(m->entries, entry);
		free(entry);
	}
}
