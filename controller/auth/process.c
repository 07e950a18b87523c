#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A killed program is gone at once, unless the system itself hangs. */
#define REAP_MS 200
/* Reads of standard error in one step, so that a program that never stops complaining does not stop us. */
#define COMPLAINT_READS 16

struct pipes {
	int out[2], err[2];
};

static void close_pipes(struct pipes *p)
{
	int fds[] = { p->out[0], p->out[1], p->err[0], p->err[1] };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static int open_pipes(struct pipes *p, bool with_err, struct err *err)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 } };
	if (pipe2(p->out, O_CLOEXEC) < 0 || (with_err && pipe2(p->err, O_CLOEXEC) < 0))
		return err_set(err, ERR_UNAVAILABLE, "cannot make a pipe: %s", strerror(errno));
	fcntl(p->out[0], F_SETFL, O_NONBLOCK);
	if (with_err)
		fcntl(p->err[0], F_SETFL, O_NONBLOCK);
	return 0;
}

static void set_files(posix_spawn_file_actions_t *files, const struct pipes *pipes, bool attended)
{
	if (!attended)
		posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(files, pipes->out[1], STDOUT_FILENO);
	if (!attended)
		posix_spawn_file_actions_adddup2(files, pipes->err[1], STDERR_FILENO);
	/* Not every descriptor of a library is closed by exec, and a connection must not live on in there. */
	posix_spawn_file_actions_addclosefrom_np(files, STDERR_FILENO + 1);
}

/* We block the signals that end us and ignore SIGPIPE; the program shall not. */
static void set_attributes(posix_spawnattr_t *attributes, bool attended)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t none, changed;

	sigemptyset(&none);
	sigemptyset(&changed);
	sigaddset(&changed, SIGPIPE);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &changed);
	posix_spawnattr_setflags(attributes, attended ? flags : flags | POSIX_SPAWN_SETPGROUP);
}

static int spawn(const struct process_request *r, const struct pipes *pipes, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	set_files(&files, pipes, r->attended);
	set_attributes(&attributes, r->attended);
	/* POSIX wants pointers to char that may be written, and writes to none of them. */
	int failed = posix_spawnp(ret_pid, r->argv[0], &files, &attributes, (char *const *)r->argv,
	                          (char *const *)r->env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return failed;
}

int process_start(struct process *p, const struct process_request *r, struct err *err)
{
	__attribute__((cleanup(close_pipes))) struct pipes pipes;
	struct process new = { .deadline = r->deadline, .attended = r->attended, .out.cap = PROCESS_OUTPUT_MAX };

	if (open_pipes(&pipes, !r->attended, err) < 0)
		return -1;
	int failed = spawn(r, &pipes, &new.pid);
	if (failed)
		return err_set(err, failed == ENOENT ? ERR_NOT_FOUND : ERR_UNAVAILABLE, "cannot run %s: %s", r->argv[0],
		               strerror(failed));
	new.pid_fd = (int)syscall(SYS_pidfd_open, new.pid, 0);
	new.out_fd = take_fd(&pipes.out[0]);
	new.err_fd = take_fd(&pipes.err[0]);
	*p = new;
	if (p->pid_fd >= 0)
		return 0;
	err_set(err, ERR_UNAVAILABLE, "cannot watch %s: %s", r->argv[0], strerror(errno));
	process_release(p);
	return -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Closes the pipe at its end: there would be nothing to wait for. */
static bool read_part(int *fd, struct strbuf *to)
{
	char part[4096];
	ssize_t got = *fd < 0 ? 0 : read(*fd, part, sizeof(part));

	if (got > 0)
		strbuf_add(to, part, (size_t)got);
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		close_fd(fd);
	return got > 0;
}

static void read_output(struct process *p)
{
	while (!p->out.full && read_part(&p->out_fd, &p->out))
		;
	for (int i = 0; i < COMPLAINT_READS && read_part(&p->err_fd, &p->complaint); i++) {
		size_t over = p->complaint.len > PROCESS_COMPLAINT_MAX ? p->complaint.len - PROCESS_COMPLAINT_MAX : 0;
		if (over == 0)
			continue;
		memmove(p->complaint.data, p->complaint.data + over, PROCESS_COMPLAINT_MAX + 1);
		p->complaint.len = PROCESS_COMPLAINT_MAX;
	}
}

static void forget(struct process *p)
{
	close_fd(&p->pid_fd);
	close_fd(&p->out_fd);
	close_fd(&p->err_fd);
	p->pid = 0;
}

/* Whether it has ended by itself. */
static bool reap(struct process *p)
{
	int status;

	if (waitpid(p->pid, &status, WNOHANG) != p->pid)
		return false;
	read_output(p);
	p->end = p->out.full ? PROCESS_TOO_LONG : WIFEXITED(status) ? PROCESS_EXITED : PROCESS_KILLED;
	p->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	forget(p);
	return true;
}

static void put_down(struct process *p, enum process_end end)
{
	struct pollfd ended = { .fd = p->pid_fd, .events = POLLIN };

	kill(p->attended ? p->pid : -p->pid, SIGKILL);
	if (p->pid_fd >= 0)
		poll(&ended, 1, REAP_MS);
	waitpid(p->pid, NULL, WNOHANG);
	p->end = end;
	forget(p);
}

bool process_step(struct process *p, int64_t now_ms)
{
	if (p->pid == 0)
		return true;
	read_output(p);
	if (p->out.full)
		put_down(p, PROCESS_TOO_LONG);
	else if (!reap(p) && now_ms >= p->deadline)
		put_down(p, PROCESS_TIMED_OUT);
	return p->pid == 0;
}

size_t process_descriptors(const struct process *p, int fds[PROCESS_FDS_MAX])
{
	size_t count = 0;

	if (p->pid == 0)
		return 0;
	fds[count++] = p->pid_fd;
	if (p->out_fd >= 0)
		fds[count++] = p->out_fd;
	if (p->err_fd >= 0)
		fds[count++] = p->err_fd;
	return count;
}

void process_release(struct process *p)
{
	if (p->pid != 0)
		put_down(p, PROCESS_KILLED);
	strbuf_release(&p->out);
	strbuf_release(&p->complaint);
	*p = (struct process){ 0 };
}
