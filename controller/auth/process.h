/*
 * A program that runs beside the loop: started without a shell, its output collected without waiting, killed when its
 * time is over.
 *
 * It is over when the program itself has ended; what it left behind in the background may keep the pipes open for ever.
 */
#pragma once

#include "crd/base/err.h"
#include "crd/base/strbuf.h"

#include <stdint.h>
#include <sys/types.h>

/* Of standard output; more ends the program. A client certificate with its chain has about 16 KiB. */
#define PROCESS_OUTPUT_MAX ((size_t)256 << 10)
/* Of standard error the last bytes are kept: what went wrong stands at the end. */
#define PROCESS_COMPLAINT_MAX 2048
/* .pid_fd, .out_fd, .err_fd */
#define PROCESS_FDS_MAX 3

enum process_end {
	PROCESS_RUNS,      /* or was never started */
	PROCESS_EXITED,    /* .code is its exit code */
	PROCESS_KILLED,    /* .code is the signal */
	PROCESS_TIMED_OUT,
	PROCESS_TOO_LONG,  /* more than PROCESS_OUTPUT_MAX */
};

struct process {
	pid_t pid;               /* 0: there is none, and the descriptors below mean nothing */
	int pid_fd;              /* can be read when it has ended (pidfd_open(2)) */
	int out_fd, err_fd;      /* -1: closed, or not ours */
	bool attended;
	int64_t deadline;        /* clock_steady_ms() */
	enum process_end end;
	int code;
	struct strbuf out, complaint;
};

struct process_request {
	const char *const *argv; /* NULL at the end; [0] without a slash is looked up in $PATH */
	const char *const *env;  /* all of it, NULL at the end */
	int64_t deadline;
	/*
	 * Somebody is at the terminal: the program may ask, and its complaints go there. Else it has no input, and it and its
	 * children are a group of their own that is killed as a whole.
	 */
	bool attended;
};

/* P is zeroed or released. Returns 0, or -1 when the program cannot be run: ERR is NOT_FOUND when it is not there. */
int process_start(struct process *p, const struct process_request *r, struct err *err);

/* Takes what has come. Whether it is over: .end, .code and the texts then tell how. */
bool process_step(struct process *p, int64_t now_ms);

/* What to wait for, all of it to be read. Returns how many were written. */
size_t process_descriptors(const struct process *p, int fds[PROCESS_FDS_MAX]);

/* Kills it if it still runs. */
void process_release(struct process *p);
