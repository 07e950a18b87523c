/* What every unit test includes: cmocka with the headers that it wants first, and tests made from the rows of a table. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define UNIT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Fills TESTS with one test per row of ROWS: RUN gets the row as its state. Each row's type begins with its name.
 *
 *	struct CMUnitTest tests[UNIT_COUNT(rows)];
 *	UNIT_ROWS(tests, rows, run);
 *	return cmocka_run_group_tests(tests, NULL, NULL);
 */
#define UNIT_ROWS(tests, rows, run_row)                                                                 \
	for (size_t unit_i = 0; unit_i < UNIT_COUNT(rows); unit_i++)                                    \
		(tests)[unit_i] = (struct CMUnitTest){ .name = (rows)[unit_i].name, .test_func = run_row, \
		                                       .initial_state = (void *)&(rows)[unit_i] }
