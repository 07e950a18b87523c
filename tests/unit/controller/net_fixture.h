/* A real server for tests of net/: server.py, kubeconfigs that lead to it, and requests that are waited for. */
#pragma once

#include "tests/unit/unit.h"

#include "controller/auth/login.h"
#include "controller/clock.h"
#include "controller/net/net.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Longer than anything here takes. */
#define TIMEOUT_MS 20000
#define SERVER "tests/unit/controller/server.py"

static char dir[] = "/tmp/net_test.XXXXXX";
static struct {
	pid_t pid;
	int input;
	int tls, tls6, http, https, socks; /* ports */
} server;

static inline int start_server(void **state)
{
	int to[2], from[2];
	char line[128];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	server.pid = fork();
	if (server.pid == 0) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		execlp("python3", "python3", SERVER, dir, (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	server.input = to[1];
	FILE *f = fdopen(from[0], "r");
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_int_equal(sscanf(line, "%d %d %d %d %d", &server.tls, &server.tls6, &server.http, &server.https,
	                        &server.socks), 5);
	return 0;
}

static inline int stop_server(void **state)
{
	char command[64];

	(void)state;
	close(server.input);
	waitpid(server.pid, NULL, 0);
	snprintf(command, sizeof(command), "%s", dir);
	pid_t pid = fork();
	if (pid == 0) {
		execlp("rm", "rm", "-rf", command, (char *)NULL);
		_exit(127);
	}
	return waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static inline const char *in_dir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static inline void write_file(const char *name, const char *text, mode_t mode)
{
	unlink(in_dir(name));
	FILE *f = fopen(in_dir(name), "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(in_dir(name), mode), 0);
}

static inline int port_of(const char *name, size_t len)
{
	const struct {
		const char *name;
		int port;
	} ports[] = { { "TLS", server.tls }, { "TLS6", server.tls6 }, { "HTTP", server.http }, { "HTTPS", server.https },
		      { "SOCKS", server.socks } };

	for (size_t i = 0; i < UNIT_COUNT(ports); i++)
		if (strlen(ports[i].name) == len && strncmp(ports[i].name, name, len) == 0)
			return ports[i].port;
	fail_msg("no port %.*s", (int)len, name);
	return 0;
}

/* The text with each @NAME@ replaced by a port of the server, and @@ by @. */
static inline void expand(const char *text, struct strbuf *out)
{
	for (const char *at; (at = strchr(text, '@')); text = at + 1) {
		size_t len = strcspn(at + 1, "@");
		strbuf_add(out, text, (size_t)(at - text));
		if (len > 0)
			strbuf_addf(out, "%d", port_of(at + 1, len));
		else
			strbuf_addc(out, '@');
		at += len + 1;
	}
	strbuf_adds(out, text);
}

/* Logs in with a kubeconfig of this cluster and user. */
static inline int log_in(const char *cluster, const char *user, struct credentials *c, struct err *err)
{
	cleanup_strbuf struct strbuf text = { 0 }, config = { 0 };

	strbuf_addf(&text,
	            "{current-context: x, contexts: [{name: x, context: {cluster: k, user: u}}],\n"
	            " clusters: [{name: k, cluster: {%s}}],\n users: [{name: u, user: {%s}}]}\n",
	            cluster, user);
	expand(text.data, &config);
	write_file("config", config.data, 0600);
	return login(in_dir("config"), NULL, c, err);
}

/* One request and what came of it. */
struct asked {
	void *handle;
	bool done;
	int http;
	char body[4096];
	struct err err;
};

static inline void on_done(void *ctx, const struct response *r)
{
	struct asked *a = ctx;

	a->done = true;
	a->http = r->http;
	a->err = r->err;
	snprintf(a->body, sizeof(a->body), "%s", r->body ? r->body : "");
}

static inline void on_data(void *ctx, const char *data, size_t len)
{
	(void)ctx, (void)data, (void)len;
}

static inline void ask(struct net *net, struct asked *a, enum verb verb, const char *path)
{
	const struct world *w = net_world(net);

	*a = (struct asked){ 0 };
	a->handle = w->request(w->self, &(struct request){
						.verb = verb,
						.path = path,
						.timeout_ms = TIMEOUT_MS,
						.on_data = verb == VERB_WATCH ? on_data : NULL,
						.on_done = on_done,
						.ctx = a,
					});
}

static inline void wait_for(struct net *net, const bool *done)
{
	int64_t deadline = clock_steady_ms() + TIMEOUT_MS;

	while (!*done) {
		assert_true(clock_steady_ms() < deadline);
		net_poll(net, TIMEOUT_MS, -1);
	}
}

static inline void get(struct net *net, struct asked *a, const char *path)
{
	ask(net, a, VERB_GET, path);
	wait_for(net, &a->done);
}

static inline void check_words(const char *text, const char *const *words, size_t max)
{
	for (size_t i = 0; i < max && words[i]; i++) {
		cleanup_strbuf struct strbuf word = { 0 };
		expand(words[i], &word);
		if (!strstr(text, word.data))
			fail_msg("\"%s\" is not in: %s", word.data, text);
	}
}
