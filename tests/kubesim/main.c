#include "kubesim.h"

#include "ctl.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define HANDLER_MS 200

static const char usage[] =
	"kubesim --dir DIR [OPTION...]        a stand-in for a Kubernetes API server with nodes, on 127.0.0.1\n"
	"  --dir DIR          gets kubeconfig, ca.crt, server.crt, server.key\n"
	"  --port N           default: any free one\n"
	"  --speed F          whatever takes time in nodes and members goes so many times as fast\n"
	"  --handler-ms N     how long a handler runs (200)\n"
	"  --hold-down POD    as \"ctl down POD\" from the start; may be given several times\n"
	"  --crds DIR         where app.yaml and cluster.yaml are; default: crd/ of this source tree\n"
	"  --ready-file FILE  gets the first line of output, too\n"
	"  --verbose          what happens in nodes and members, on standard error\n"
	"kubesim ctl --dir DIR COMMAND...     makes something go wrong in one that runs:\n";

static int help(FILE *to)
{
	fprintf(to, "%s%s", usage, ctl_help);
	return to == stdout ? 0 : 2;
}

static bool read_options(int argc, char **argv, struct kubesim_options *o)
{
	static const struct option all[] = {
		{"dir", required_argument, NULL, 'd'}, {"port", required_argument, NULL, 'p'},
		{"speed", required_argument, NULL, 's'}, {"handler-ms", required_argument, NULL, 'm'},
		{"hold-down", required_argument, NULL, 'h'}, {"crds", required_argument, NULL, 'c'},
		{"ready-file", required_argument, NULL, 'r'}, {"verbose", no_argument, NULL, 'v'}, {0},
	};

	for (int c; (c = getopt_long(argc, argv, "", all, NULL)) != -1;) {
		if (c == 'd')
			o->dir = optarg;
		else if (c == 'p')
			o->port = (uint16_t)strtoul(optarg, NULL, 10);
		else if (c == 's')
			o->speed = strtod(optarg, NULL);
		else if (c == 'm')
			o->handler_ms = strtoll(optarg, NULL, 10);
		else if (c == 'h' && o->down_count < KUBESIM_DOWN_MAX)
			o->down[o->down_count++] = optarg;
		else if (c == 'c')
			o->crds = optarg;
		else if (c == 'r')
			o->ready_file = optarg;
		else if (c == 'v')
			o->is_loud = true;
		else
			return false;
	}
	return o->dir && o->speed >= 0 && o->handler_ms >= 0 && optind == argc;
}

static int say_ready(const struct kubesim *k, const struct kubesim_options *o, struct err *err)
{
	FILE *file = o->ready_file ? fopen(o->ready_file, "we") : NULL;

	printf("kubesim ready https://127.0.0.1:%u\n", serve_port(k->serve));
	fflush(stdout);
	if (!o->ready_file)
		return 0;
	if (!file)
		return err_set(err, ERR_INVALID, "%s: %s", o->ready_file, strerror(errno));
	fprintf(file, "kubesim ready https://127.0.0.1:%u\n", serve_port(k->serve));
	return fclose(file) == 0 ? 0 : err_set(err, ERR_INVALID, "%s: %s", o->ready_file, strerror(errno));
}

static void run(struct kubesim *k)
{
	struct signalfd_siginfo info;
	sigset_t ends;
	int fd;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	fd = signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC);
	while (read(fd, &info, sizeof(info)) < 0)
		serve_step(k->serve, kubesim_turn(k), fd);
	close(fd);
}

static int serve_main(const struct kubesim_options *o)
{
	static struct kubesim k;
	struct err err = {0};
	bool good = kubesim_start(&k, o, &err) == 0 && say_ready(&k, o, &err) == 0;

	if (good)
		run(&k);
	else
		fprintf(stderr, "kubesim: %s\n", err.msg);
	kubesim_release(&k);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct kubesim_options o = {.speed = 1, .handler_ms = HANDLER_MS};

	if (argc > 1 && strcmp(argv[argc - 1], "--help") == 0)
		return help(stdout);
	if (argc > 4 && strcmp(argv[1], "ctl") == 0 && strcmp(argv[2], "--dir") == 0)
		return ctl_send(argv[3], (const char *const *)argv + 4, (size_t)argc - 4);
	return read_options(argc, argv, &o) ? serve_main(&o) : help(stderr);
}
