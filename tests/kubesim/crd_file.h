/* A CustomResourceDefinition as it stands in crd/: its names, its printer columns and its schema. */
#pragma once

#include "crd/base/json.h"

struct crd_file {
	cJSON *root;              /* NULL: there is none */
	const cJSON *names;       /* .spec.names */
	const cJSON *columns;     /* additionalPrinterColumns of the only version */
	const cJSON *schema;      /* its openAPIV3Schema */
};

/* Reads FOLDER/NAME.yaml. Returns 0 or -1 with ERR set. */
int crd_file_load(const char *folder, const char *name, struct crd_file *ret, struct err *err);
void crd_file_release(struct crd_file *c);
