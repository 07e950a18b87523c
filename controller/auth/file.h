/* Reading a small file whole. */
#pragma once

#include "crd/base/err.h"
#include "crd/base/strbuf.h"

/* Kubeconfigs with a dozen clusters and CA bundles stay well below. */
#define FILE_MAX ((size_t)1 << 20)

/* Replaces OUT by the contents of PATH. Returns 0, or -1 with ERR naming the path; OUT is then empty or unchanged. */
int file_read(const char *path, struct strbuf *out, struct err *err);
