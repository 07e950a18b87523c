/*
 * The kubeconfig files in force, and what is found in them. They are merged as kubectl does
 * (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/): of entries with one name that
 * of the first file counts, whole; of current-contexts the first that is not empty. Files that do not exist are left
 * out; one that cannot be read is an error.
 */
#pragma once

#include "entry.h"

/* Kubeconfig files in one $KUBECONFIG; people with one file for each of their clusters have a few dozen. */
#define KUBEFILES_MAX 128

struct kubefile {
	const char *path;
	cJSON *tree;
};

struct kubefiles {
	struct kubefile files[KUBEFILES_MAX];
	size_t count;
	const char *names;    /* for messages: all paths */
	struct arena *memory; /* of every text that is made here */
};

/* PATH, else the list $KUBECONFIG, else $HOME/.kube/config. Returns 0, or -1 when there is none, or one is broken. */
int kubefiles_read(struct kubefiles *f, const char *path, struct arena *memory, struct err *err);
void kubefiles_release(struct kubefiles *f);
#define cleanup_kubefiles __attribute__((cleanup(kubefiles_release)))

/* The current-context, NULL when there is none. Returns 0 or -1. */
int kubefiles_current(const struct kubefiles *f, const char **ret, struct err *err);

enum kubefiles_kind { KUBEFILES_CONTEXT, KUBEFILES_CLUSTER, KUBEFILES_USER };

/* Returns 0, or -1 when there is no entry NAME (the message lists those that there are), or two in one file. */
int kubefiles_find(const struct kubefiles *f, enum kubefiles_kind kind, const char *name, struct entry *ret,
                   struct err *err);

/* The names of all entries, for messages; "none" without any. */
const char *kubefiles_names(const struct kubefiles *f, enum kubefiles_kind kind);
