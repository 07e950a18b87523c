/* Credential plugins for tests: a folder with a kubeconfig and a script in it. */
#pragma once

#include "tests/unit/unit.h"

#include "controller/auth/kubeconfig.h"
#include "controller/auth/plugin.h"
#include "controller/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The tests run in a folder of their own, where "plugin" is what a row says. */
static char dir[] = "/tmp/plugin_test.XXXXXX";

/* Longer than any plugin here takes that ends by itself. */
#define TIMEOUT_MS 20000

#define V1 "client.authentication.k8s.io/v1"
#define STATUS(status) "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{" status "}}"
#define SAY(status) "echo '" STATUS(status) "'\n"
#define SAY_T SAY("\"token\":\"t\"")

static inline void write_file(const char *name, const char *text, mode_t mode)
{
	unlink(name);
	FILE *f = fopen(name, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(name, mode), 0);
}

static inline int make_dir(void **state)
{
	char path[512];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("in-path", 0700), 0);
	snprintf(path, sizeof(path), "%s/in-path:%s", dir, getenv("PATH"));
	setenv("PATH", path, 1);
	setenv("INHERITED", "yes", 1);
	write_file("in-path/bare-plugin", "#!/bin/sh\n" SAY("\"token\":\"from-path\""), 0700);
	write_file("plain-text", SAY_T, 0600);
	return 0;
}

static inline int remove_dir(void **state)
{
	static const char *const names[] = { "in-path/bare-plugin", "plain-text", "plugin", "config", "seen", "count" };

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(names); i++)
		unlink(names[i]);
	rmdir("in-path");
	assert_int_equal(chdir("/"), 0);
	return rmdir(dir);
}

/* Loads a kubeconfig with this exec and this text of "plugin". */
static inline int load(const char *exec, const char *script, struct credentials *c, struct err *err)
{
	cleanup_strbuf struct strbuf config = { 0 }, plugin = { 0 };

	strbuf_addf(&config,
	            "current-context: x\n"
	            "contexts: [{name: x, context: {cluster: k, user: u}}]\n"
	            "clusters: [{name: k, cluster: {server: 'https://h', certificate-authority-data: Q0E=, extensions: "
	            "[{name: client.authentication.k8s.io/exec, extension: {audience: a, n: [1, \"b\"]}}]}}]\n"
	            "users: [{name: u, user: {exec: {apiVersion: " V1 ", interactiveMode: Never, %s}}}]\n",
	            exec);
	strbuf_addf(&plugin, "#!/bin/sh\n%s", script ? script : "");
	write_file("config", config.data, 0600);
	write_file("plugin", plugin.data, 0700);
	unlink("seen");
	if (kubeconfig_load("./config", NULL, c, err) < 0)
		return -1;
	c->plugin->config.timeout_ms = TIMEOUT_MS;
	return 0;
}
