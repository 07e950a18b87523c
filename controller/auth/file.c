#include "file.h"

#include "crd/base/json.h"
#include "crd/base/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void close_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

int file_read(const char *path, struct strbuf *out, struct err *err)
{
	__attribute__((cleanup(close_file))) FILE *f = fopen(path, "re");
	char part[4096];
	size_t n;

	if (!f)
		return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_INVALID, "cannot open %s: %s", path,
		               strerror(errno));
	strbuf_clear(out);
	while ((n = fread(part, 1, sizeof(part), f)) > 0) {
		strbuf_add(out, part, n);
		if (out->len > FILE_MAX)
			return err_set(err, ERR_LIMIT, "%s is larger than %zu bytes", path, FILE_MAX);
	}
	if (ferror(f))
		return err_set(err, ERR_INVALID, "cannot read %s: %s", path, strerror(errno));
	return 0;
}

cJSON *file_parse(const char *text, size_t len, struct err *err)
{
	static const char bom[] = "\xEF\xBB\xBF";

	if (len >= 3 && memcmp(text, bom, 3) == 0) {
		text += 3;
		len -= 3;
	}
	/* cJSON would end a text at its NUL without a word; libyaml's reader says so. */
	bool like_json = text[strspn(text, " \t\r\n")] == '{' && !memmem(text, len, "\\u0000", 6);
	cJSON *tree = like_json ? json_parse(text, len, NULL) : NULL;
	return tree ? tree : yaml_parse(text, len, err);
}
