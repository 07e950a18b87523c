#include "strmap.h"

#include "die.h"
#include "slabs.h"

#include <stdlib.h>
#include <string.h>

/* Most maps are small, and each has a table: M is the map that is changed. */
#define HASH_INITIAL_NUM_BUCKETS 8U
#define HASH_INITIAL_NUM_BUCKETS_LOG2 3U
#define uthash_fatal(msg) die("strmap", msg, 0)
#define uthash_malloc(size) slabs_new(m->slabs, size)
#define uthash_free(table, size) slabs_free(m->slabs, table, size)
#include <uthash.h>

struct strmap_entry {
	void *value;
	UT_hash_handle hh;
	char key[];
};

static size_t size_of(size_t key_len)
{
	return sizeof(struct strmap_entry) + key_len + 1;
}

static void free_entry(struct strmap *m, struct strmap_entry *entry)
{
	slabs_free(m->slabs, entry, size_of(strlen(entry->key)));
}

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
	entry = slabs_new(m->slabs, size_of(len));
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
	free_entry(m, entry);
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
		free_entry(m, entry);
	}
}
