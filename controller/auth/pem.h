/* Looking into PEM texts before they are used, so that the message says what is wrong with which of them. */
#pragma once

#include "credentials.h"

/* Whether CA begins with a certificate that can be read. Returns 0, or -1 with ERR. */
int pem_check_ca(const struct material *ca, struct err *err);

/* Whether CERT is a certificate and KEY its key, not encrypted. Returns 0, or -1 with ERR. */
int pem_check_pair(const struct material *cert, const struct material *key, struct err *err);
