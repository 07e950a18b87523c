/* Reading a small file whole, and taking its text apart. */
#pragma once

#include "crd/base/err.h"
#include "crd/base/strbuf.h"

#include <cjson/cJSON.h>

/* Kubeconfigs with a dozen clusters and CA bundles stay well below. */
#define FILE_MAX ((size_t)1 << 20)

/* Replaces OUT by the contents of PATH. Returns 0, or -1 with ERR naming the path; OUT is then empty or unchanged. */
int file_read(const char *path, struct strbuf *out, struct err *err);

/*
 * TEXT as a tree: JSON, or else YAML. libyaml takes most of JSON, but neither tabs before a token nor escaped surrogates.
 * NULL with ERR set; the caller deletes it.
 */
cJSON *file_parse(const char *text, size_t len, struct err *err);
