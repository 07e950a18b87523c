#include "workers.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX 256
#define OUTPUT_MAX ((size_t)1 << 20) /* what one run may say before it is written in pieces */

/* Who holds the byte in this pipe may write to stdout. */
static int token[2] = {-1, -1};

struct worker {
	pid_t pid;
	int from;
};

void workers_flush(void)
{
	char byte = 0;
	bool is_alone = token[0] < 0;
	bool has_token = is_alone || read(token[0], &byte, 1) == 1;

	fflush(stdout);
	if (!is_alone && has_token && write(token[1], &byte, 1) != 1)
		abort();
}

static void add(struct totals *t, const struct totals *more)
{
	t->runs += more->runs;
	t->failed += more->failed;
	t->steps += more->steps;
	t->crashes += more->crashes;
	for (int r = 0; r < RULES; r++)
		t->arose[r] += more->arose[r];
	figures_add(&t->figures, &more->figures);
}

static struct totals run_every(const struct batch *b, uint64_t first, uint64_t stride)
{
	struct totals t = {0};

	for (uint64_t k = first; k <= b->last && t.failed < FAILURES_MAX; k += stride) {
		struct setup s = b->make(k);

		b->run(&s, &t);
		workers_flush();
	}
	return t;
}

static _Noreturn void work(const struct batch *b, uint64_t first, uint64_t stride, int to)
{
	static char output[OUTPUT_MAX];
	struct totals t;

	setvbuf(stdout, output, _IOFBF, sizeof(output));
	t = run_every(b, first, stride);
	_exit(write(to, &t, sizeof(t)) == sizeof(t) ? 0 : 1);
}

static struct worker start(const struct batch *b, uint64_t first, uint64_t stride)
{
	int ends[2];
	struct worker w;

	fflush(stdout);
	if (pipe(ends) || (w.pid = fork()) < 0) {
		perror("sim");
		exit(2);
	}
	if (w.pid == 0) {
		close(ends[0]);
		work(b, first, stride, ends[1]);
	}
	close(ends[1]);
	w.from = ends[0];
	return w;
}

/* One that is gone without its sums has met an assertion or a sanitizer: that run has failed. */
static void collect(const struct worker *w, struct totals *t)
{
	struct totals more = {0};
	bool is_whole = read(w->from, &more, sizeof(more)) == sizeof(more);
	int status = 0;

	close(w->from);
	waitpid(w->pid, &status, 0);
	if (is_whole) {
		add(t, &more);
		return;
	}
	printf("VIOLATION a process of the simulation ended early (%s %d); what it had counted is lost\n",
	       WIFSIGNALED(status) ? "signal" : "code", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	t->runs++;
	t->failed++;
}

void workers_run(const struct batch *b, unsigned jobs, struct totals *t)
{
	struct worker workers[JOBS_MAX];
	struct totals own;

	jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX;
	if (jobs < 2 || b->first == b->last) {
		own = run_every(b, b->first, b->every);
		add(t, &own);
		return;
	}
	if (pipe(token) || write(token[1], "", 1) != 1) {
		perror("sim");
		exit(2);
	}
	for (unsigned i = 0; i < jobs; i++)
		workers[i] = start(b, b->first + i * b->every, jobs * b->every);
	for (unsigned i = 0; i < jobs; i++)
		collect(&workers[i], t);
	close(token[0]);
	close(token[1]);
	token[0] = token[1] = -1;
}
