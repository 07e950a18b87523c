#include "selector.h"

#include <string.h>

static const char *trimmed(struct arena *a, const char *text, size_t len)
{
	while (len > 0 && *text == ' ') {
		text++;
		len--;
	}
	while (len > 0 && text[len - 1] == ' ')
		len--;
	return arena_strndup(a, text, len);
}

/* "(f,g)" of a set, or one value. */
static const char **read_values(struct arena *a, const char *text, bool is_set)
{
	const char **values = arena_array(a, strlen(text) + 2, sizeof(*values));
	size_t n = 0;

	if (is_set != (*text == '('))
		return NULL;
	if (!is_set) {
		values[0] = trimmed(a, text, strlen(text));
		return strpbrk(text, "=!<>,() ") ? NULL : values;
	}
	while (*text == '(' || *text == ',') {
		size_t len = strcspn(++text, ",)");

		values[n++] = trimmed(a, text, len);
		text += len;
	}
	return strcmp(text, ")") == 0 ? values : NULL;
}

static bool read_requirement(struct arena *a, const char *text, struct requirement *r)
{
	static const struct {
		const char *word;
		bool is_negated;
	} operators[] = {{"!=", true}, {"==", false}, {"=", false}, {" notin ", true}, {" in ", false}};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		const char *word = operators[i].word, *at = strstr(text, word), *value = at ? at + strlen(word) : "";

		if (!at)
			continue;
		*r = (struct requirement){
			.key = trimmed(a, text, (size_t)(at - text)), .is_negated = operators[i].is_negated,
			.has_values = true, .values = read_values(a, trimmed(a, value, strlen(value)), *word == ' '),
		};
		return *r->key && r->values;
	}
	*r = (struct requirement){.is_negated = *text == '!'};
	r->key = trimmed(a, text + r->is_negated, strlen(text + r->is_negated));
	return *r->key && !strpbrk(r->key, " (),!");
}

/* Up to the next comma that is not between parentheses. */
static size_t length_of(const char *text)
{
	size_t len = 0;
	bool within = false;

	for (; text[len] && (within || text[len] != ','); len++)
		within = text[len] == '(' || (within && text[len] != ')');
	return len;
}

bool selector_parse(struct arena *a, const char *text, struct selector *ret_selector)
{
	struct selector s = {.items = arena_array(a, strlen(text) / 2 + 1, sizeof(*s.items))};

	while (*text) {
		size_t len = length_of(text);

		if (!read_requirement(a, trimmed(a, text, len), &s.items[s.count++]))
			return false;
		text += len + (text[len] == ',');
	}
	*ret_selector = s;
	return true;
}

static bool holds(const struct requirement *r, const char *value)
{
	bool found = value && !r->has_values;

	for (size_t i = 0; value && r->has_values && r->values[i]; i++)
		found = found || strcmp(r->values[i], value) == 0;
	return found != r->is_negated;
}

bool selector_takes(const struct selector *s, const cJSON *labels)
{
	for (size_t i = 0; i < s->count; i++) {
		if (!holds(&s->items[i], json_str(labels, s->items[i].key)))
			return false;
	}
	return true;
}

static const char *field_of(const cJSON *object, const char *path)
{
	char key[64];
	size_t len;

	for (; path[len = strcspn(path, ".")] && len < sizeof(key); path += len + 1) {
		memcpy(key, path, len);
		key[len] = '\0';
		object = json_get(object, key);
	}
	return json_str(object, path) ? json_str(object, path) : "";
}

bool selector_takes_fields(const struct selector *s, const cJSON *object)
{
	for (size_t i = 0; i < s->count; i++) {
		if (!holds(&s->items[i], field_of(object, s->items[i].key)))
			return false;
	}
	return true;
}

const char *selector_value(const struct selector *s, const char *key)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct requirement *r = &s->items[i];

		if (strcmp(r->key, key) == 0 && r->has_values && !r->is_negated && r->values[0] && !r->values[1])
			return r->values[0];
	}
	return NULL;
}
