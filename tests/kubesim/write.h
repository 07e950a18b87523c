/* Everything that changes an object: what it would be is made here and checked against its schema; tests/sim stores it. */
#pragma once

#include "form.h"

struct reply write_request(struct kubesim *k, const struct api_target *t, const struct form *f,
                           const struct serve_request *r);

/* RFC 6902 on TREE. False: an operation cannot be done, and some before it may have been. */
bool jsonpatch_apply(cJSON *tree, const cJSON *patch);
