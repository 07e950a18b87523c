#include "kubesim.h"

#include "certs.h"
#include "controller/clock.h"
#include "watch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_MAX ((size_t)8 << 30)

/* crd/ beside or above the folder of this program. */
static int find_crds(char folder[PATH_MAX], struct err *err)
{
	char path[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);

	folder[n < 0 ? 0 : n] = '\0';
	for (char *slash; (slash = strrchr(folder, '/'));) {
		*slash = '\0';
		snprintf(path, sizeof(path), "%s/crd/cluster.yaml", folder);
		if (access(path, R_OK) == 0) {
			snprintf(folder + strlen(folder), PATH_MAX - strlen(folder), "/crd");
			return 0;
		}
	}
	return err_set(err, ERR_NOT_FOUND, "no crd/cluster.yaml above this program: use --crds");
}

static int load_crds(struct kubesim *k, const char *given, struct err *err)
{
	char folder[PATH_MAX];

	if (!given && find_crds(folder, err) < 0)
		return -1;
	if (crd_file_load(given ? given : folder, "app", &k->crds[KIND_APP], err) < 0)
		return -1;
	return crd_file_load(given ? given : folder, "cluster", &k->crds[KIND_CLUSTER], err);
}

static void add_namespace(struct kubesim *k, const char *name)
{
	cJSON *tree = tree_parsef("{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{\"kubernetes.io/metadata."
	                          "name\":\"%s\"}},\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}", name);

	etcd_add(&k->sim, KIND_NAMESPACE, "", name, tree);
}

static void set_up(struct kubesim *k, const struct kubesim_options *o)
{
	struct sim *sim = &k->sim;

	sim->arena.cap = k->scratch.cap = MEMORY_MAX;
	sim->scratch = &k->scratch;
	sim->clock.now = clock_wall_ms();
	sim->clock.speed = o->speed;
	/* Everything takes as long as in the middle of what the simulation draws, and happens in the same order. */
	sim->rng_kube.is_flat = true;
	rng_seed(&sim->rng_users, (uint64_t)sim->clock.now, 1);
	k->dir = o->dir;
	k->booted_at = sim->clock.now - clock_ms(CLOCK_BOOTTIME);
	k->switches.handler_ms = o->handler_ms;
	k->is_loud = o->is_loud;
	for (size_t i = 0; i < o->down_count; i++)
		switches_steer(&k->switches, o->down[i])->is_down = true;
	add_namespace(k, "default");
}

/* Not a secret: who can read the folder may do everything here. */
static int make_token(struct kubesim *k, struct err *err)
{
	struct rng r;

	rng_seed(&r, (uint64_t)k->sim.clock.now, (uint64_t)getpid());
	if (asprintf(&k->token, "kubesim-%08x%08x", rng_next(&r), rng_next(&r)) < 0)
		return err_set(err, ERR_LIMIT, "out of memory");
	return 0;
}

static int write_kubeconfig(struct kubesim *k, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/kubeconfig", dir);
	file = fopen(path, "we");
	if (!file)
		return err_set(err, ERR_INVALID, "%s: %s", path, strerror(errno));
	fprintf(file, "apiVersion: v1\nkind: Config\ncurrent-context: kubesim\n"
	        "clusters:\n- name: kubesim\n  cluster: {server: 'https://127.0.0.1:%u', certificate-authority: ca.crt}\n"
	        "users:\n- name: kubesim\n  user: {token: '%s'}\n"
	        "contexts:\n- name: kubesim\n  context: {cluster: kubesim, user: kubesim}\n", serve_port(k->serve), k->token);
	return fclose(file) == 0 ? 0 : err_set(err, ERR_INVALID, "%s: %s", path, strerror(errno));
}

int kubesim_start(struct kubesim *k, const struct kubesim_options *o, struct err *err)
{
	char cert[PATH_MAX], key[PATH_MAX];
	struct serve_options serve = {.address = "127.0.0.1", .port = o->port, .cert_file = cert, .key_file = key};
	struct serve_handlers handlers = {
		.ctx = k, .on_request = kubesim_request, .on_frame = kubesim_frame, .on_closed = kubesim_closed,
	};

	set_up(k, o);
	snprintf(cert, sizeof(cert), "%s/server.crt", o->dir);
	snprintf(key, sizeof(key), "%s/server.key", o->dir);
	if (mkdir(o->dir, 0700) < 0 && errno != EEXIST)
		return err_set(err, ERR_INVALID, "%s: %s", o->dir, strerror(errno));
	if (load_crds(k, o->crds, err) < 0 || certs_make(o->dir, err) < 0 || make_token(k, err) < 0)
		return -1;
	k->serve = serve_new(&serve, &handlers, err);
	return k->serve ? write_kubeconfig(k, o->dir, err) : -1;
}

int kubesim_turn(struct kubesim *k)
{
	struct sim *sim = &k->sim;
	int64_t next, in;

	sim->clock.now = clock_wall_ms();
	while (clock_next(&sim->clock) <= sim->clock.now) {
		struct clock_event e = clock_pop(&sim->clock);

		e.fn(sim, e.arg);
	}
	next = watches_tell(k);
	if (sim->etcd.history_bytes > KUBESIM_HISTORY_MAX)
		etcd_compact(&sim->etcd, sim->etcd.history[sim->etcd.history_count / 2].version);
	arena_reset(&k->scratch);
	if (clock_next(&sim->clock) < next)
		next = clock_next(&sim->clock);
	in = next - clock_wall_ms();
	return in < 0 ? 0 : in > 60000 ? 60000 : (int)in;
}

/* What start made; the folder only when nothing else is in it. */
static void remove_files(const char *dir)
{
	static const char *const names[] = {"kubeconfig", "ca.crt", "server.crt", "server.key"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

void kubesim_release(struct kubesim *k)
{
	if (k->serve)
		remove_files(k->dir);
	serve_free(k->serve);
	watches_release(k);
	kube_release(&k->sim.kube);
	etcd_release(&k->sim.etcd);
	strmap_release(&k->sim.seat_index);
	clock_release(&k->sim.clock);
	switches_release(&k->switches);
	for (int kind = 0; kind < KINDS; kind++)
		crd_file_release(&k->crds[kind]);
	arena_release(&k->scratch);
	arena_release(&k->sim.arena);
	free(k->token);
}

