#include "exec.h"

#include "controller/clock.h"
#include "job.h"

#include <stdio.h>
#include <utlist.h>

#define WHY_MAX 128

void execs_init(struct execs *x, struct endpoint *endpoint)
{
	*x = (struct execs){ .endpoint = endpoint };
}

void execs_add(struct execs *x, const struct exec_request *r)
{
	struct job *job = job_new(x->endpoint, r);

	DL_APPEND(x->jobs, job);
}

static void start(struct execs *x, struct job *job)
{
	if (!x->multi)
		x->multi = easy_new_multi();
	job_start(job, x->multi, &x->trust);
	x->running++;
}

static void remove_job(struct execs *x, struct job *job)
{
	if (job->state != JOB_WAITING)
		x->running--;
	DL_DELETE(x->jobs, job);
	job_free(job);
}

static void take_connections(struct execs *x)
{
	int left;

	if (!x->multi)
		return;
	curl_multi_perform(x->multi, &left);
	for (CURLMsg *m; (m = curl_multi_info_read(x->multi, &left));) {
		struct job *job;
		CURLcode code = m->data.result;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&job);
		if (code == CURLE_OK)
			trust_copy(&x->trust, &job->trust);
		job_connected(job, code);
	}
}

static void time_out(struct job *job)
{
	static const char *const missing[] = {
		[JOB_WAITING] = "its turn did not come",
		[JOB_CONNECTING] = "no connection",
		[JOB_SENDING] = "the request could not be sent",
		[JOB_HEAD] = "no answer",
		[JOB_REFUSED] = "no whole answer",
		[JOB_OPEN] = "the end of the command was not told",
	};
	char why[WHY_MAX];

	snprintf(why, sizeof(why), "%s within %lld ms", missing[job->state], (long long)job->timeout_ms);
	job_give_up(job, why);
}

/* Without credentials nothing is sent: a job waits while they are asked for, and is refused when they cannot be had. */
static void start_if_allowed(struct execs *x, struct job *job)
{
	const struct credentials *c = x->endpoint->credentials;
	struct err problem;

	if (job->state != JOB_WAITING || x->running == EXECS_MAX)
		return;
	switch (credentials_state(c, clock_steady_ms())) {
	case CREDENTIALS_READY:
		start(x, job);
		break;
	case CREDENTIALS_PENDING:
		break;
	case CREDENTIALS_MISSING:
		credentials_problem(c, &problem);
		job_give_up(job, problem.msg);
		break;
	}
}

bool execs_step(struct execs *x)
{
	struct job *job, *next;
	bool any = false;

	take_connections(x);
	DL_FOREACH_SAFE(x->jobs, job, next) {
		start_if_allowed(x, job);
		job_step(job);
		if (!job_is_over(job) && clock_steady_ms() >= job->deadline)
			time_out(job);
		if (job_is_over(job)) {
			remove_job(x, job);
			any = true;
		}
	}
	if (x->running == 0 && x->multi) {
		curl_multi_cleanup(x->multi);
		x->multi = NULL;
	}
	return any;
}

void execs_give_back(struct execs *x)
{
	trust_release(&x->trust);
}

void execs_release(struct execs *x)
{
	struct job *job, *next;

	DL_FOREACH_SAFE(x->jobs, job, next) {
		job_give_up(job, "rolecall ended");
		remove_job(x, job);
	}
	if (x->multi)
		curl_multi_cleanup(x->multi);
	execs_give_back(x);
	*x = (struct execs){ 0 };
}

/* libcurl tells the sockets of connections that it is still making only in this form. */
static size_t connecting_sockets(const struct execs *x, struct curl_waitfd *sockets, size_t max)
{
	fd_set in, out, except;
	size_t count = 0;
	int last = -1;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&except);
	if (!x->multi || curl_multi_fdset(x->multi, &in, &out, &except, &last) != CURLM_OK)
		return 0;
	for (int fd = 0; fd <= last && count < max; fd++) {
		int events = FD_ISSET(fd, &in) ? CURL_WAIT_POLLIN : 0;
		if (FD_ISSET(fd, &out))
			events |= CURL_WAIT_POLLOUT;
		if (events)
			sockets[count++] = (struct curl_waitfd){ .fd = fd, .events = (short)events };
	}
	return count;
}

size_t execs_sockets(const struct execs *x, struct curl_waitfd *sockets, size_t max)
{
	size_t count = connecting_sockets(x, sockets, max);
	const struct job *job;

	DL_FOREACH(x->jobs, job)
		if (job->state >= JOB_SENDING && count < max)
			sockets[count++] = (struct curl_waitfd){ .fd = job->socket, .events = job_events(job) };
	return count;
}

int64_t execs_deadline(const struct execs *x)
{
	int64_t first = INT64_MAX;
	bool pending = credentials_state(x->endpoint->credentials, clock_steady_ms()) == CREDENTIALS_PENDING;
	const struct job *job;
	long curl_ms = -1;

	DL_FOREACH(x->jobs, job) {
		if (job->state == JOB_WAITING && x->running < EXECS_MAX && !pending)
			return 0;
		if (job->deadline < first)
			first = job->deadline;
	}
	if (x->multi && curl_multi_timeout(x->multi, &curl_ms) == CURLM_OK && curl_ms >= 0 &&
	    clock_steady_ms() + curl_ms < first)
		first = clock_steady_ms() + curl_ms;
	return first;
}
