#include "controller/cli/table.h"
#include "tests/unit/unit.h"

#define CELLS 3

struct line {
	size_t depth;
	const char *cells[CELLS];
};

struct row {
	const char *name;
	struct column columns[CELLS];
	struct style style;
	bool leave_out_empty;
	struct line lines[8]; /* until the first without a first cell */
	const char *want;
};

#define PLAIN { { .title = "NAME" }, { .title = "STATE", .rank = 1 }, { .title = "AGE", .rank = 2 } }
#define FREE { { .title = "NAME" }, { .title = "STATE", .rank = 1 }, { .title = "DETAIL", .rank = 2, .free_text = true } }
#define TREE { { 0, { "shop", "x", NULL } }, { 1, { "a", "y", NULL } }, { 2, { "a-0", NULL, NULL } }, \
	       { 2, { "a-1", NULL, NULL } }, { 1, { "b", NULL, NULL } }, { 2, { "b-0", NULL, NULL } } }
#define LONG "one two three four five six seven"

static const struct row rows[] = {
	{ "columns are as wide as their widest cell", PLAIN, { 0 }, false,
	  { { 0, { "a-long-name", "up", "5m" } }, { 0, { "b", "down", "12d" } } },
	  "NAME         STATE  AGE\na-long-name  up     5m\nb            down   12d\n" },
	{ "no blanks at the end", PLAIN, { 0 }, false, { { 0, { "a", "up", NULL } } }, "NAME  STATE  AGE\na     up\n" },
	{ "a cell may be empty", PLAIN, { 0 }, false, { { 0, { "a", NULL, "5m" } } }, "NAME  STATE  AGE\na            5m\n" },
	{ "empty columns go", PLAIN, { 0 }, true, { { 0, { "a", NULL, "5m" } } }, "NAME  AGE\na     5m\n" },
	{ "but not when everything is asked for", PLAIN, { .wide = true }, true, { { 0, { "a", NULL, "5m" } } },
	  "NAME  STATE  AGE\na            5m\n" },
	{ "it just fits", PLAIN, { .width = 16 }, false, { { 0, { "a", "up", "5m" } } }, "NAME  STATE  AGE\na     up     5m\n" },
	{ "the lowest rank goes first", PLAIN, { .width = 15 }, false, { { 0, { "a", "up", "5m" } } }, "NAME  AGE\na     5m\n" },
	{ "then the next", PLAIN, { .width = 8 }, false, { { 0, { "a", "up", "5m" } } }, "NAME\na\n" },
	{ "then names are shortened in the middle", PLAIN, { .width = 10 }, false,
	  { { 0, { "shop-front-1a2b3-0", "up", "5m" } } }, "NAME\nshop..b3-0\n" },
	{ "but never to nothing", PLAIN, { .width = 2 }, false, { { 0, { "shop-front-1a2b3-0", "up", "5m" } } },
	  "NAME\nsho..3-0\n" },
	{ "wide shortens nothing", PLAIN, { .width = 10, .wide = true }, false, { { 0, { "shop-front-1a2b3-0", "up", "5m" } } },
	  "NAME                STATE  AGE\nshop-front-1a2b3-0  up     5m\n" },
	{ "columns for wide only", { { .title = "NAME" }, { .title = "STATE", .wide_only = true }, { .title = "AGE" } }, { 0 },
	  false, { { 0, { "a", "up", "5m" } } }, "NAME  AGE\na     5m\n" },
	{ "free text is broken into lines", FREE, { .width = 35 }, false, { { 0, { "a", "up", LONG } }, { 0, { "b", "up", "x" } } },
	  "NAME  STATE  DETAIL\na     up     one two three four\n             five six seven\nb     up     x\n" },
	{ "free text costs other columns before itself", FREE, { .width = 30 }, false, { { 0, { "a", "up", LONG } } },
	  "NAME  DETAIL\na     one two three four five\n      six seven\n" },
	{ "free text goes when too little is left", FREE, { .width = 20 }, false, { { 0, { "a", "up", LONG } } }, "NAME\na\n" },
	{ "short free text needs little", FREE, { .width = 19 }, false, { { 0, { "a", "up", "x" } } },
	  "NAME  STATE  DETAIL\na     up     x\n" },
	{ "free text as it is", FREE, { 0 }, false, { { 0, { "a", "up", LONG } } },
	  "NAME  STATE  DETAIL\na     up     " LONG "\n" },
	{ "a tree", FREE, { 0 }, true, TREE,
	  "NAME       STATE\nshop       x\n+- a       y\n|  +- a-0\n|  `- a-1\n`- b\n   `- b-0\n" },
	{ "a tree in UTF-8", FREE, { .utf8 = true }, true, TREE,
	  "NAME       STATE\nshop       x\n"
	  "\u251c\u2500 a       y\n\u2502  \u251c\u2500 a-0\n\u2502  \u2514\u2500 a-1\n\u2514\u2500 b\n   \u2514\u2500 b-0\n" },
	{ "branches go on beside broken text", FREE, { .width = 38 }, false,
	  { { 0, { "shop", "x", LONG } }, { 1, { "a", "y", LONG } }, { 2, { "a-0", "z", LONG } }, { 1, { "b", "y", LONG } } },
	  "NAME       STATE  DETAIL\n"
	  "shop       x      one two three four\n"
	  "|                 five six seven\n"
	  "+- a       y      one two three four\n"
	  "|  |              five six seven\n"
	  "|  `- a-0  z      one two three four\n"
	  "|                 five six seven\n"
	  "`- b       y      one two three four\n"
	  "                  five six seven\n" },
};

static void fill(struct table *t, const struct line *lines)
{
	for (; lines->cells[0]; lines++) {
		struct table_row *row = table_add(t, lines->depth);
		for (size_t c = 0; c < CELLS; c++)
			row->cells[c].text = lines->cells[c];
	}
}

static void test_row(void **state)
{
	const struct row *row = *state;
	cleanup_arena struct arena a = { 0 };
	cleanup_strbuf struct strbuf out = { 0 };
	struct table t = {
		.columns = row->columns,
		.column_count = CELLS,
		.leave_out_empty = row->leave_out_empty,
		.arena = &a,
	};

	fill(&t, row->lines);
	table_print(&t, &row->style, &out);
	assert_string_equal(strbuf_str(&out), row->want);
}

static void test_colours(void **state)
{
	static const struct column columns[] = { { .title = "NAME" }, { .title = "STATE" }, { .title = "AGE" } };
	cleanup_arena struct arena a = { 0 };
	cleanup_strbuf struct strbuf out = { 0 };
	struct table t = { .columns = columns, .column_count = CELLS, .arena = &a };
	struct style style = { .colour = true };
	struct table_row *row = table_add(&t, 0);

	(void)state;
	row->cells[0].text = "a";
	row->cells[1] = (struct cell){ "up", TONE_GOOD };
	row->cells[2] = (struct cell){ "5m", TONE_BAD };
	table_print(&t, &style, &out);
	assert_string_equal(strbuf_str(&out), "NAME  STATE  AGE\na     \033[32mup\033[0m     \033[31m5m\033[0m\n");
}

int main(void)
{
	struct CMUnitTest tests[UNIT_COUNT(rows) + 1];

	UNIT_ROWS(tests, rows, test_row);
	tests[UNIT_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(test_colours);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
