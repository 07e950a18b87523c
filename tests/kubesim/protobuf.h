/*
 * kubectl sends new objects of built-in kinds as protobuf ("kubectl create namespace"). Of such a body the kind and what
 * stands in metadata are read, which is all that a Namespace has.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
#pragma once

#include "crd/base/json.h"

#define PROTOBUF_TYPE "application/vnd.kubernetes.protobuf"

/* The object with apiVersion, kind and metadata; NULL with ERR set. The caller deletes it. */
cJSON *protobuf_parse(const char *data, size_t len, struct err *err);
