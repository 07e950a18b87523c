/* What a plain (unquoted) scalar of YAML 1.1 means: see the table in yaml.h. Used by yaml.c only. */
#pragma once

#include <cjson/cJSON.h>

/* A new value, or NULL with the reason in RET_WHY. */
cJSON *yaml_scalar(const char *text, const char **ret_why);
