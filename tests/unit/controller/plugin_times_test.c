/* Credential plugins over time: asked again before their answer ends, when it is refused, and after failures. */
#include "plugin_fixture.h"

#include "controller/auth/file.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SHORT_MS 200

static void test_must_ask(void **state)
{
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	(void)state;
	if (load("command: ./plugin", SAY_T, &c, &err) < 0)
		fail_msg("%s", err.msg);
	c.plugin->config.mode = PLUGIN_MUST_ASK;
	/* Whoever runs the tests by hand has a terminal. */
	int terminal = dup(STDIN_FILENO);
	assert_non_null(freopen("/dev/null", "r", stdin));
	assert_int_equal(credentials_wait(&c, &err), -1);
	assert_non_null(strstr(err.msg, "interactiveMode Always"));
	if (terminal >= 0) {
		dup2(terminal, STDIN_FILENO);
		close(terminal);
	}
}

static void test_timeout(void **state)
{
	cleanup_credentials struct credentials c = { 0 };
	cleanup_strbuf struct strbuf seen = { 0 };
	struct err err = { 0 };

	(void)state;
	/* The child is in its group and must go with it. */
	if (load("command: ./plugin", "sleep 600 &\necho $! >seen\necho 'waiting for you' >&2\nwait\n", &c, &err) < 0)
		fail_msg("%s", err.msg);
	c.plugin->config.timeout_ms = SHORT_MS;
	int64_t start = clock_steady_ms();
	assert_int_equal(credentials_wait(&c, &err), -1);
	assert_non_null(strstr(err.msg, "did not end in time and was killed: waiting for you"));
	assert_true(clock_steady_ms() - start < TIMEOUT_MS);
	assert_int_equal(file_read("seen", &seen, &err), 0);
	pid_t child = (pid_t)strtol(seen.data, NULL, 10);
	assert_true(child > 0);
	struct pollfd ended = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	if (ended.fd >= 0)
		assert_int_equal(poll(&ended, 1, TIMEOUT_MS), 1);
	else
		assert_int_equal(errno, ESRCH);
	close(ended.fd);
}

/* What a process with a terminal does: the plugin reads a line from it and answers with that. */
static int log_in_at_terminal(void)
{
	struct credentials c = { 0 };
	struct err err = { 0 };

	if (load("command: ./plugin", "echo \"who? $KUBERNETES_EXEC_INFO\" >&2\nread -r name\n" SAY("\"token\":\"'$name'\""), &c,
	         &err) < 0)
		return 1;
	c.plugin->config.mode = PLUGIN_MUST_ASK;
	if (credentials_wait(&c, &err) < 0)
		return 2;
	int failed = strcmp(c.token.text.data, "jane") != 0;
	credentials_release(&c);
	return failed ? 3 : 0;
}

static void test_somebody_is_there(void **state)
{
	char seen[2048] = "";
	size_t len = 0;
	ssize_t got;
	int terminal, status = -1;

	(void)state;
	pid_t child = forkpty(&terminal, NULL, NULL, NULL);
	assert_true(child >= 0);
	if (child == 0)
		_exit(log_in_at_terminal());
	assert_int_equal(write(terminal, "jane\n", 5), 5);
	/* The question goes to the terminal. At its end reading fails, as the other side is gone. */
	while ((got = read(terminal, seen + len, sizeof(seen) - 1 - len)) > 0)
		len += (size_t)got;
	assert_int_equal(waitpid(child, &status, 0), child);
	close(terminal);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_non_null(strstr(seen, "who? {"));
	assert_non_null(strstr(seen, "\"interactive\":true"));
}

/* Steps until the run that is under way has ended, at a time that stands still. True when something changed. */
static bool finish(struct credentials *c, int64_t now_ms)
{
	bool changed = false;

	while (c->plugin->runs) {
		struct pollfd polled[CREDENTIALS_FDS_MAX];
		int fds[CREDENTIALS_FDS_MAX];
		size_t count = credentials_descriptors(c, fds);
		for (size_t i = 0; i < count; i++)
			polled[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
		assert_true(poll(polled, count, TIMEOUT_MS) > 0);
		changed |= credentials_refresh(c, now_ms, false);
	}
	return changed;
}

/* Counts its runs in "count" and answers the number as its token; FAIL makes it fail. */
#define COUNTING(status)                                               \
	"n=$(cat count); echo $((n+1)) >count; [ ! -e plain-text ] && exit 1\n" \
	"echo '" STATUS("\"token\":\"'t$n'\"" status) "'\n"

static void load_counting(struct credentials *c, const char *script)
{
	struct err err;

	write_file("count", "1\n", 0600);
	if (load("command: ./plugin", script, c, &err) < 0 || credentials_wait(c, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(c->token.text.data, "t1");
	assert_int_equal(c->version, 1);
}

static void check_not_run(struct credentials *c, int64_t now_ms, bool refused)
{
	assert_false(credentials_refresh(c, now_ms, refused));
	assert_false(c->plugin->runs);
}

static void check_run(struct credentials *c, int64_t now_ms, bool refused, const char *token)
{
	credentials_refresh(c, now_ms, refused);
	assert_true(finish(c, now_ms));
	assert_string_equal(c->token.text.data, token);
}

static void test_no_expiry(void **state)
{
	cleanup_credentials struct credentials c = { 0 };
	int64_t now = clock_steady_ms();

	(void)state;
	load_counting(&c, COUNTING(""));
	check_not_run(&c, now + INT64_C(1000000000), false);
	assert_int_equal(credentials_deadline(&c), INT64_MAX);
	/* Refused: asked at once, but not at once again. */
	now += INT64_C(1000000000);
	check_run(&c, now, true, "t2");
	assert_int_equal(c.version, 2);
	check_not_run(&c, now + PLUGIN_REFUSED_REST_MS - 1, true);
	check_run(&c, now + PLUGIN_REFUSED_REST_MS, true, "t3");
}

static void test_refresh_before_the_end(void **state)
{
	cleanup_credentials struct credentials c = { 0 };
	int64_t start = clock_steady_ms();

	(void)state;
	load_counting(&c, COUNTING(",\"expirationTimestamp\":\"'$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)'\""));
	int64_t due = credentials_deadline(&c), early = start + 3600000 - PLUGIN_EARLY_MS;
	assert_in_range(due, early - 2000, early + TIMEOUT_MS);
	check_not_run(&c, due - 1, false);
	assert_false(credentials_refresh(&c, due, false));
	/* What it answered before is good enough meanwhile. */
	assert_true(c.plugin->runs);
	assert_int_equal(credentials_state(&c, due), CREDENTIALS_READY);
	assert_true(finish(&c, due));
	assert_string_equal(c.token.text.data, "t2");
}

static void test_expired_already(void **state)
{
	cleanup_credentials struct credentials c = { 0 };

	(void)state;
	load_counting(&c, COUNTING(",\"expirationTimestamp\":\"2001-01-01T00:00:00Z\""));
	int64_t due = credentials_deadline(&c);
	assert_in_range(due, clock_steady_ms() + PLUGIN_REST_MS - TIMEOUT_MS, clock_steady_ms() + PLUGIN_REST_MS);
	assert_int_equal(credentials_state(&c, due), CREDENTIALS_READY);
	check_run(&c, due, false, "t2");
}

static void test_failures(void **state)
{
	cleanup_credentials struct credentials c = { 0 };
	struct err err = { 0 };

	(void)state;
	load_counting(&c, COUNTING(",\"expirationTimestamp\":\"'$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)'\""));
	int64_t now = credentials_deadline(&c), expires = c.plugin->expires_ms;
	assert_int_equal(unlink("plain-text"), 0);
	credentials_refresh(&c, now, false);
	assert_false(finish(&c, now));
	/* The old answer stays in force, and the next run comes later each time. */
	assert_int_equal(credentials_state(&c, now), CREDENTIALS_READY);
	assert_string_equal(c.token.text.data, "t1");
	assert_int_equal(credentials_deadline(&c), now + PLUGIN_RETRY_MS);
	for (int i = 0; i < 6; i++) {
		now = credentials_deadline(&c);
		credentials_refresh(&c, now, false);
		assert_false(finish(&c, now));
	}
	assert_int_equal(credentials_deadline(&c), now + PLUGIN_RETRY_MAX_MS);
	/* Until it has expired. */
	assert_true(now >= expires);
	assert_int_equal(credentials_state(&c, now), CREDENTIALS_MISSING);
	assert_int_equal(credentials_problem(&c, &err), -1);
	assert_non_null(strstr(err.msg, "failed (exit code 1)"));
	assert_int_equal(credentials_state(&c, credentials_deadline(&c)), CREDENTIALS_PENDING);
	write_file("plain-text", SAY_T, 0600);
	now = credentials_deadline(&c);
	credentials_refresh(&c, now, false);
	assert_true(finish(&c, now));
	assert_int_equal(credentials_state(&c, now), CREDENTIALS_READY);
	assert_int_equal(credentials_problem(&c, &err), 0);
}

static void test_release_ends_it(void **state)
{
	struct credentials c = { 0 };
	struct err err;

	(void)state;
	if (load("command: ./plugin", "exec sleep 600\n", &c, &err) < 0)
		fail_msg("%s", err.msg);
	credentials_refresh(&c, clock_steady_ms(), false);
	assert_true(c.plugin->runs);
	assert_int_equal(credentials_state(&c, clock_steady_ms()), CREDENTIALS_PENDING);
	int64_t start = clock_steady_ms();
	credentials_release(&c);
	assert_true(clock_steady_ms() - start < TIMEOUT_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_must_ask),
		cmocka_unit_test(test_somebody_is_there),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_no_expiry),
		cmocka_unit_test(test_refresh_before_the_end),
		cmocka_unit_test(test_expired_already),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_release_ends_it),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
