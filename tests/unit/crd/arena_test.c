#include "tests/unit/unit.h"

#include "crd/base/arena.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_zero(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	char *before = NULL;
	for (size_t size = 1; size < 5000; size += 7) {
		char *p = arena_alloc(&a, size);
		assert_true(is_zero(p, size));
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		assert_true(!before || is_zero(before, 1) == false);
		memset(p, 0xee, size);
		before = p;
	}
}

static void nothing_has_an_address(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	char *none = arena_alloc(&a, 0), *other = arena_array(&a, 0, 8);
	assert_non_null(none);
	assert_non_null(other);
	assert_ptr_not_equal(none, other);
}

static void reset_gives_zeroed_memory_again(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	memset(arena_alloc(&a, 100000), 0xff, 100000);
	arena_reset(&a);
	assert_int_equal(a.used, 0);
	assert_true(is_zero(arena_alloc(&a, 100000), 100000));
	arena_release(&a);
	arena_release(&a);
	arena_release(NULL);
	assert_null(a.chunks);
}

static void grow_keeps_what_was_there(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	int *few = arena_array(&a, 2, sizeof(int));
	few[0] = 7, few[1] = 8;
	int *more = arena_grow(&a, few, 2, 4, sizeof(int));
	assert_int_equal(more[0], 7);
	assert_int_equal(more[1], 8);
	assert_int_equal(more[3], 0);
	assert_non_null(arena_grow(&a, NULL, 0, 1, sizeof(int)));
}

static void strings(void **state)
{
	(void)state;
	cleanup_arena struct arena a = { 0 };
	assert_null(arena_strdup(&a, NULL));
	assert_string_equal(arena_strdup(&a, ""), "");
	assert_string_equal(arena_strndup(&a, "member", 3), "mem");
	assert_string_equal(arena_strndup(&a, "mem", 100), "mem");
	assert_string_equal(arena_strndup(&a, (const char[]){ 'm', 'e' }, 2), "me");
	assert_string_equal(arena_printf(&a, "%s-%d", "web", 12), "web-12");
	char *long_one = arena_printf(&a, "%0*d", 200000, 1);
	assert_int_equal(strlen(long_one), 200000);
}

/* How a child that runs ASK ends: the signal that killed it, or 0. */
static int signal_of(void (*ask)(struct arena *))
{
	pid_t child = fork();
	if (child == 0) {
		close(STDERR_FILENO);
		struct arena a = { .cap = 1000 };
		ask(&a);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void ask_within(struct arena *a)
{
	arena_alloc(a, 500);
	arena_reset(a);
	arena_alloc(a, 900);
}

static void ask_twice(struct arena *a)
{
	arena_alloc(a, 600);
	arena_alloc(a, 600);
}

static void ask_all(struct arena *a)
{
	arena_alloc(a, SIZE_MAX);
}

static void ask_overflow(struct arena *a)
{
	arena_array(a, SIZE_MAX / 2, 4);
}

static void over_the_cap_ends_the_process(void **state)
{
	(void)state;
	assert_int_equal(signal_of(ask_within), 0);
	assert_int_equal(signal_of(ask_twice), SIGABRT);
	assert_int_equal(signal_of(ask_all), SIGABRT);
	assert_int_equal(signal_of(ask_overflow), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
		cmocka_unit_test(nothing_has_an_address),
		cmocka_unit_test(reset_gives_zeroed_memory_again),
		cmocka_unit_test(grow_keeps_what_was_there),
		cmocka_unit_test(strings),
		cmocka_unit_test(over_the_cap_ends_the_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
