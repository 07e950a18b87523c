/* JSON trees as text for people and programs: what -o json and -o yaml print. Pure. */
#pragma once

#include "crd/base/json.h"
#include "crd/base/strbuf.h"

/* JSON, indented by four as kubectl does. */
void dump_json(const cJSON *tree, struct strbuf *out);
/* YAML that kubectl reads back as the same values: what could be taken for something else than text is quoted. */
void dump_yaml(const cJSON *tree, struct strbuf *out);
