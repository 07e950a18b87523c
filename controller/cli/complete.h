/*
 * What can stand at the cursor of a command line: behind "rolecall __complete" stand the words of the line up to the
 * cursor, the last of them being the one that is being typed, maybe empty. Prints the candidates, one a line, and says
 * nothing when something goes wrong: a shell has no place for it.
 *
 * Under the name kubectl_complete-rolecall it is what kubectl asks to complete "kubectl rolecall"; then a last line tells
 * kubectl not to offer names of files.
 * https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
 */
#pragma once

#include "commands.h"

#include <stdbool.h>

#define COMPLETE_WORD "__complete"
/* Somebody waits at the keyboard. */
#define COMPLETE_TIMEOUT_MS 3000

/* Whether it is this that main() was started for. */
bool complete_is_meant(int argc, char **argv);
/* ARGC and ARGV of main(). */
enum exit_code complete_run(int argc, char **argv);
