/* A CA and a certificate for 127.0.0.1 and localhost, made anew at every start. */
#pragma once

#include "crd/base/err.h"

/* Writes DIR/ca.crt, DIR/server.crt and DIR/server.key. Returns 0 or -1 with ERR set. */
int certs_make(const char *dir, struct err *err);
