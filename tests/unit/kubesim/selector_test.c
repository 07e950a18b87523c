/* Label and field selectors: what they select, and what is none. */
#include "tests/unit/unit.h"

#include "tests/sim/selector.h"
#include "tests/sim/tree.h"

static const char labels[] = "{\"colour\":\"red\",\"size\":\"1\",\"empty\":\"\",\"x.dev/y\":\"z\"}";
static const char object[] = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"},\"spec\":{\"nodeName\":\"one\"}}";

enum answer { NO, YES, NONE };

static const struct row {
	const char *name; /* the selector */
	bool of_fields;
	enum answer answer;
} rows[] = {
	{"", false, YES},
	{"colour=red", false, YES}, {"colour==red", false, YES}, {"colour=blue", false, NO}, {"colour = red", false, YES},
	{"colour!=red", false, NO}, {"colour!=blue", false, YES}, {"none!=red", false, YES}, {"none=red", false, NO},
	{"colour", false, YES}, {"none", false, NO}, {"!colour", false, NO}, {"!none", false, YES}, {"empty", false, YES},
	{"empty=", false, YES}, {"colour=", false, NO}, {"none=", false, NO}, {"empty in ()", false, YES},
	{"x.dev/y=z", false, YES}, {"x.dev/y", false, YES},
	{"colour in (red,blue)", false, YES}, {"colour in (blue, red)", false, YES}, {"colour in (blue)", false, NO},
	{"colour in ()", false, NO}, {"none in (red)", false, NO},
	{"colour notin (red)", false, NO}, {"colour notin (blue)", false, YES}, {"none notin (red)", false, YES},
	{"colour=red,size=1", false, YES}, {"colour=red,size=2", false, NO}, {"size=1,colour in (red,blue),!none", false, YES},
	{"colour in red", false, NONE}, {"colour in (red", false, NONE}, {"colour=(red)", false, NONE},
	{"a=b=c", false, NONE}, {"!", false, NONE}, {",", false, NONE}, {"=red", false, NONE}, {"a b", false, NONE},
	{"metadata.name=a", true, YES}, {"metadata.name!=a", true, NO}, {"metadata.name=b", true, NO},
	{"metadata.name=a,metadata.namespace=n", true, YES}, {"spec.nodeName=one", true, YES}, {"spec.none=", true, YES},
	{"spec.none.deep!=x", true, YES}, {"metadata=", true, YES},
};

static void run(void **state)
{
	const struct row *r = *state;
	cleanup_json cJSON *tree = cJSON_Parse(r->of_fields ? object : labels);
	struct arena a = {0};
	struct selector s;

	assert_int_equal(selector_parse(&a, r->name, &s), r->answer != NONE);
	if (r->answer != NONE)
		assert_int_equal(r->of_fields ? selector_takes_fields(&s, tree) : selector_takes(&s, tree), r->answer);
	arena_release(&a);
}

static void the_one_value(void **state)
{
	struct arena a = {0};
	struct selector s;

	(void)state;
	assert_true(selector_parse(&a, "metadata.name=x,b in (1,2),c!=3,d in (4)", &s));
	assert_string_equal(selector_value(&s, "metadata.name"), "x");
	assert_null(selector_value(&s, "b"));
	assert_null(selector_value(&s, "c"));
	assert_string_equal(selector_value(&s, "d"), "4");
	assert_null(selector_value(&s, "e"));
	arena_release(&a);
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + 1];

	UNIT_ROWS(tests, rows, run);
	tests[UNIT_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(the_one_value);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
