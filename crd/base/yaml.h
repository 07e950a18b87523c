/*
 * YAML 1.1 -> cJSON trees, by libyaml. What is text and what is not follows kubectl (sigs.k8s.io/yaml):
 *
 *   quoted or block scalars            text
 *   (empty) ~ null Null NULL           null
 *   true false yes no on off y n       boolean, also with a capital first letter and in capitals
 *   12 -3 +4 1_000 0x1F 0b11 0o17 017  integer; beyond 2^53 the tree would lose digits, so that is an error
 *   1.5 1e3 .5                         number; infinity and not-a-number are an error, for JSON has neither
 *   all else                           text; so are timestamps
 *
 * Anchors, aliases and merge keys ("<<") work. Keys are text as written. A key that occurs twice in one mapping is an
 * error, and so is a tag other than !!str, !!seq and !!map. Errors name the line.
 */
#pragma once

#include "err.h"

#include <stddef.h>

#include <cjson/cJSON.h>

/* Files that people write: the largest CRD in use is about 1 MiB. */
#define YAML_SIZE_MAX ((size_t)4 << 20)
#define YAML_DEPTH_MAX 100
/* Values in one input after its aliases were expanded: an alias of an alias grows without bound. */
#define YAML_NODES_MAX 200000
/* Bytes in all texts and keys, likewise. */
#define YAML_TEXT_MAX ((size_t)16 << 20)

/* The only document of TEXT; an empty one is null. NULL with ERR set; the caller deletes it. */
cJSON *yaml_parse(const char *text, size_t len, struct err *err);
/* All documents of TEXT as one array; empty ones are left out. NULL with ERR set; the caller deletes it. */
cJSON *yaml_parse_all(const char *text, size_t len, struct err *err);
