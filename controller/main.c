#include "auth/login.h"
#include "cli/cli.h"
#include "cli/complete.h"
#include "log.h"
#include "loop.h"
#include "net/net.h"
#include "operator.h"
#include "trees.h"
#include "version.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory goes back to the system early: between bursts of work the operator idles for hours. */
#define TRIM_THRESHOLD (128 << 10)
#define MMAP_THRESHOLD (64 << 10)

/*
 * libcurl's friends bring GnuTLS along, which nothing here uses: it asks this function whether it may spare itself the
 * start (GNUTLS_SKIP_GLOBAL_INIT of gnutls.h). That is 0.7 MiB of the operator's memory.
 */
int _gnutls_global_init_skip(void);
__attribute__((visibility("default"))) int _gnutls_global_init_skip(void)
{
	return 1;
}

static void free_net(struct net **net)
{
	net_free(*net);
}

static void free_operator(struct operator **op)
{
	operator_free(*op);
}

static int fail(const struct err *err)
{
	log_error("cannot start", LOG_STR("error", err->msg));
	return EXIT_FAILED;
}

static int run(const struct options *o)
{
	cleanup_credentials struct credentials credentials = { 0 };
	__attribute__((cleanup(free_net))) struct net *net = NULL;
	__attribute__((cleanup(free_operator))) struct operator *op = NULL;
	char host[64] = "";
	struct err err;

	trees_use_arena();
	log_set_level(o->log_level);
	if (login(o->kubeconfig, o->context, &credentials, &err) < 0)
		return fail(&err);
	int signals = loop_take_signals(&err);
	if (signals < 0)
		return fail(&err);
	net = net_new(&credentials, &err);
	if (!net)
		return fail(&err);
	gethostname(host, sizeof(host) - 1);
	op = operator_new(net_world(net), &(struct operator_options){
						  .namespace = o->namespace,
						  .instance = *host ? host : NULL,
					  });
	log_info("started", LOG_STR("version", ROLECALL_VERSION), LOG_STR("server", credentials.server),
	         LOG_STR("who", credentials.who), LOG_STR("namespace", o->namespace));
	if (credentials.insecure)
		log_warn("whoever answers is believed to be the API server: insecure-skip-tls-verify",
		         LOG_STR("server", credentials.server));
	int ended = loop_run(net, op, signals);
	log_info("stopped");
	return ended == 0 ? EXIT_OK : EXIT_FAILED;
}

/* One thread needs one arena; libcurl's look-ups of names would each make another. */
static void tune_memory(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD);
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
}

/*
 * glibc keeps the last seven freed pieces of each small size for their thread. After a burst nearly each of them holds a page
 * that could be given back: 0.9 MiB. It can be told to do without only from outside, before the process starts.
 */
static void start_without_thread_cache(char **argv)
{
	static const char name[] = "GLIBC_TUNABLES", value[] = "glibc.malloc.tcache_count=0";
	const char *now = getenv(name);
	char path[PATH_MAX];
	ssize_t len = now ? -1 : readlink("/proc/self/exe", path, sizeof(path) - 1);

	/* Programs that are started for credentials are as they were. */
	if (now && strcmp(now, value) == 0)
		unsetenv(name);
	if (len < 0)
		return;
	path[len] = '\0';
	/* When this fails, nothing is lost but the memory. */
	if (setenv(name, value, 0) == 0)
		execv(path, argv);
	unsetenv(name);
}

int main(int argc, char **argv)
{
	struct options options;
	struct err err;

	tune_memory();
	if (complete_is_meant(argc, argv))
		return (int)complete_run(argc, argv);
	if (options_parse(argc, argv, &options, &err) < 0)
		return cli_usage(&options, &err);
	if (options.command == COMMAND_RUN && !options.help) {
		start_without_thread_cache(argv);
		return run(&options);
	}
	return (int)cli_run(&options);
}
