#include "loop.h"

#include "clock.h"
#include "log.h"
#include "net/net.h"
#include "operator.h"
#include "trees.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct loop {
	struct operator *op;
	int signals;
	int stops;        /* stop signals so far */
	int64_t stop_by;  /* clock_steady_ms(); after the first of them */
	bool trimmed;     /* free memory was given back, and nothing has happened since */
};

int loop_take_signals(struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A connection that is gone is an error of a call, not the end of the process. */
	signal(SIGPIPE, SIG_IGN);
	int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_UNAVAILABLE, "cannot receive signals: %s", strerror(errno));
	return fd;
}

static void stop(struct loop *loop, const char *signal_name)
{
	if (loop->stops++ > 0)
		return;
	log_info("stopping, the writes under way are finished first", LOG_STR("signal", signal_name));
	loop->stop_by = clock_steady_ms() + LOOP_STOP_MS;
	operator_stop(loop->op);
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1)
			operator_log_stats(loop->op);
		else
			stop(loop, info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
	}
}

static bool must_end(const struct loop *loop)
{
	if (loop->stops == 0)
		return false;
	return loop->stops > 1 || operator_is_quiet(loop->op) || clock_steady_ms() >= loop->stop_by;
}

/* NEXT is wall-clock time, as the operator reckons. */
static int64_t wait_ms(const struct loop *loop, int64_t next)
{
	int64_t wait = LOOP_WAIT_MAX_MS, now = clock_wall_ms();

	if (next < now + wait)
		wait = next - now;
	if (loop->stops > 0 && loop->stop_by - clock_steady_ms() < wait)
		wait = loop->stop_by - clock_steady_ms();
	return wait > 0 ? wait : 0;
}

/*
 * A burst of passes leaves large arenas, and free memory in the middle of the heap, where the trim threshold does not reach.
 * They are given back when nothing has happened for a while.
 */
static void wait_and_give_back(struct loop *loop, struct net *net, int64_t wait)
{
	int64_t start = clock_steady_ms();

	if (!loop->trimmed && wait > LOOP_TRIM_AFTER_MS)
		wait = LOOP_TRIM_AFTER_MS;
	if (net_poll(net, wait, loop->signals))
		take_signals(loop);
	bool quiet = clock_steady_ms() - start >= LOOP_TRIM_AFTER_MS;
	if (quiet && !loop->trimmed) {
		operator_give_back(loop->op);
		net_give_back(net);
		trees_give_back();
		malloc_trim(0);
	}
	loop->trimmed = quiet;
}

int loop_run(struct net *net, struct operator *op, int signals)
{
	struct loop loop = { .op = op, .signals = signals };

	for (;;) {
		int64_t next = operator_tick(op);
		if (must_end(&loop))
			break;
		wait_and_give_back(&loop, net, wait_ms(&loop, next));
	}
	if (operator_is_quiet(op))
		return 0;
	log_warn("stopped before every write under way was answered", LOG_BOOL("second_signal", loop.stops > 1));
	return -1;
}
