#include "reconcile/desired/quantity.h"

#include "tests/unit/unit.h"

#define MIB ((int64_t)1 << 20)

static const struct row {
	const char *name; /* the JSON text */
	int64_t cores, mib;
} rows[] = {
	{ "2", 2, 0 },
	{ "\"2\"", 2, 0 },
	{ "9", 9, 0 },
	{ "\"500m\"", 1, 0 },
	{ "\"1000m\"", 1, 0 },
	{ "\"1001m\"", 2, 0 },
	{ "\"0\"", 0, 0 },
	{ "\"0.5\"", 1, 0 },
	{ "\".5\"", 1, 0 },
	{ "1.5", 2, 0 },
	{ "\"1Mi\"", 1 << 20, 1 },
	{ "\"2Gi\"", (int64_t)2 << 30, 2048 },
	{ "\"1G\"", 1000000000, 953 },
	{ "\"1e3\"", 1000, 0 },
	{ "\"9e15\"", 9000000000000000, 8583068847 },
	{ "\"1E\"", -1, 953674316406 },
	{ "1048576", 1 << 20, 1 },
	{ "\"-1\"", -1, -1 },
	{ "\"1x\"", -1, -1 },
	{ "\"0x10\"", -1, -1 },
	{ "\"inf\"", -1, -1 },
	{ "\"\"", -1, -1 },
	{ "null", -1, -1 },
	{ "\"100Ei\"", -1, 109951162777600 },
};

static void run(void **state)
{
	const struct row *row = *state;
	assert_int_equal(quantity_in(row->name, 1, true), row->cores);
	assert_int_equal(quantity_in(row->name, MIB, false), row->mib);
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows)];
	UNIT_ROWS(tests, rows, run);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
