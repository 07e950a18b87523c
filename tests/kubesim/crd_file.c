#include "crd_file.h"

#include "crd/base/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int read_file(const char *path, struct strbuf *ret_text, struct err *err)
{
	FILE *file = fopen(path, "re");
	char bytes[4096];
	size_t n;

	if (!file)
		return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		strbuf_add(ret_text, bytes, n);
	fclose(file);
	return 0;
}

int crd_file_load(const char *folder, const char *name, struct crd_file *ret, struct err *err)
{
	cleanup_strbuf struct strbuf text = {.cap = YAML_SIZE_MAX};
	char path[512];
	const cJSON *spec, *versions;

	snprintf(path, sizeof(path), "%s/%s.yaml", folder, name);
	if (read_file(path, &text, err) < 0)
		return -1;
	ret->root = yaml_parse(text.data, text.len, err);
	if (!ret->root)
		return err_wrap(err, "%s", path);
	spec = json_get(ret->root, "spec");
	versions = json_get(spec, "versions");
	ret->names = json_get(spec, "names");
	ret->columns = versions ? json_get(versions->child, "additionalPrinterColumns") : NULL;
	ret->schema = versions ? json_get(json_get(versions->child, "schema"), "openAPIV3Schema") : NULL;
	return ret->names && ret->schema ? 0 : err_set(err, ERR_INVALID, "%s is no CustomResourceDefinition", path);
}

void crd_file_release(struct crd_file *c)
{
	cJSON_Delete(c->root);
	*c = (struct crd_file){0};
}
