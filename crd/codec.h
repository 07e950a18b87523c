/*
 * One interpreter over the tables that hack/crdgen.py makes from the schemas in crd/: JSON <-> C structs.
 *
 * How a schema becomes a struct (crd/README.md has the page for people):
 *   string             const char *x        NULL = absent
 *   string with enum   enum TITLE x         0 (TITLE_NONE) = absent; TITLE_text(x) gives the word
 *   date-time          int64_t x            milliseconds since 1970; 0 = absent
 *   micro-time         int64_t x            the same, but written with six digits
 *   integer            int64_t x            0 = absent, unless the schema says "minimum: 0": then bool has_x too
 *   boolean            bool x               false = absent
 *   object             struct TITLE *x      NULL = absent
 *   list               T *x; size_t x_count NULL = absent; an empty list has x != NULL and x_count == 0
 *   map of strings     struct crd_pair *x; size_t x_count
 *   anything else      const char *x        the JSON text, compact
 * "required" in a schema makes decoding fail without it, and encoding write it even when zero.
 */
#pragma once

#include "crd/base/arena.h"
#include "crd/base/err.h"
#include "crd/base/slabs.h"
#include "crd/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

enum crd_kind {
	CRD_STRING, CRD_ENUM, CRD_TIME, CRD_MICROTIME, CRD_INT, CRD_BOOL, CRD_OBJECT,
	CRD_OBJLIST, CRD_STRLIST, CRD_STRMAP, CRD_RAW,
};

struct crd_type;

struct crd_field {
	const char *key;
	enum crd_kind kind;
	bool required;
	bool has;                    /* an integer with a presence flag at .aux */
	size_t offset;
	size_t aux;                  /* offset of a list's count or of has_x */
	const struct crd_type *type; /* of an object or of a list's items */
	const char *const *words;    /* of an enum: words[value], words[0] == NULL */
	size_t word_count;
};

struct crd_type {
	const char *name;
	size_t size;
	const struct crd_field *fields;
	size_t count;
};

struct crd_pair {
	const char *key, *value;
};

/*
 * Decodes OBJ into DST (zeroed, type->size bytes). Everything is copied into A: OBJ may be freed. Unknown fields are
 * passed over, null is absent. Returns 0, or -1 with the JSON path and the reason in ERR.
 */
int crd_decode(const struct crd_type *type, const struct cJSON *obj, void *dst, struct arena *a, struct err *err);
/* The same from JSON text of LEN bytes. */
int crd_decode_text(const struct crd_type *type, const char *text, size_t len, void *dst, struct arena *a,
                    struct err *err);

/* Appends SRC as compact JSON: fields in the schema's order, absent ones left out. */
void crd_encode(const struct crd_type *type, const void *src, struct strbuf *out);

/* The same text in arena memory, NUL-terminated: for hashing and comparing without a malloc. */
const char *crd_text(const struct crd_type *type, const void *src, struct arena *a);

/* A deep copy in A that may be changed. */
void *crd_copy(const struct crd_type *type, const void *src, struct arena *a);
/*
 * A deep copy in one block of SLABS (NULL: of malloc), for a cache: slabs_free() with its size ends it. *RET_SIZE may be NULL.
 */
void *crd_pack(const struct crd_type *type, const void *src, struct slabs *slabs, size_t *ret_size);
/* Equal in every field, however the strings are stored. */
bool crd_equal(const struct crd_type *type, const void *a, const void *b);
