/* Base64 as kubeconfigs have it: standard alphabet with padding (RFC 4648 section 4), folded over lines as people do. */
#pragma once

#include "crd/base/strbuf.h"

/* Appends what TEXT stands for to OUT; white space is dropped. Returns 0, or -1 when TEXT is no base64. */
int base64_decode(const char *text, struct strbuf *out);

/* Appends SIZE bytes of DATA as base64 on one line. */
void base64_encode(const void *data, size_t size, struct strbuf *out);
