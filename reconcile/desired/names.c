#include "reconcile/desired/names.h"

#include "crd/base/sha256.h"

#include <string.h>

#define HASH_DIGITS 5

static char *munge(struct arena *arena, const char *name, size_t max)
{
	char *out = arena_strndup(arena, name, max);
	for (char *p = out; *p; p++) {
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
		else if (*p == '.' || *p == '_')
			*p = '-';
	}
	return out;
}

/* The hash covers the full names with a byte between them that no name has, so that no two pairs share it by accident. */
static const char *hash(struct arena *arena, const char *cluster, const char *role)
{
	const char *text = arena_printf(arena, "%s/%s", cluster, role);
	char *hex = arena_alloc(arena, HASH_DIGITS + 1);
	sha256_hex(text, strlen(text), hex, HASH_DIGITS);
	return hex;
}

/* A DNS-1035 name begins with a letter; a DNS-1123 one, which a cluster's is, may begin with a digit. */
static const char *letter_first(const char *munged)
{
	return *munged >= '0' && *munged <= '9' ? "c" : "";
}

const char *name_statefulset(struct arena *arena, const char *cluster, const char *role)
{
	const size_t parts_max = NAME_STATEFULSET_MAX - HASH_DIGITS - 2 - 1;
	size_t c = strlen(cluster), r = strlen(role);
	if (c + r > parts_max) {
		size_t half = parts_max / 2;
		if (r < half)
			c = parts_max - r;
		else if (c < half)
			r = parts_max - c;
		else
			c = r = half;
	}
	const char *munged = munge(arena, cluster, c);
	return arena_printf(arena, "%s%s-%s-%s", letter_first(munged), munged, munge(arena, role, r),
	                    hash(arena, cluster, role));
}

const char *name_service(struct arena *arena, const char *cluster)
{
	const char *munged = munge(arena, cluster, NAME_SERVICE_MAX - HASH_DIGITS - 1 - 1);
	return arena_printf(arena, "%s%s-%s", letter_first(munged), munged, hash(arena, cluster, ""));
}

const char *name_pod(struct arena *arena, const char *statefulset, size_t ordinal)
{
	return arena_printf(arena, "%s-%zu", statefulset, ordinal);
}
