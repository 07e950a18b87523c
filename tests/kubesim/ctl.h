/* Things that are made to go wrong while kubesim runs: a line of words to CTL_PATH, from "kubesim ctl". */
#pragma once

#include "kubesim.h"

#define CTL_PATH "/kubesim/ctl"

extern const char ctl_help[];

struct reply ctl_request(struct kubesim *k, const char *line);
/* The client's side: sends the words to the kubesim whose folder is DIR, prints its answer, returns the exit code. */
int ctl_send(const char *dir, const char *const *words, size_t count);
