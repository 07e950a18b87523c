/*
 * What can stand at the cursor of a command line: behind "rolecall __complete" stand the words of the line up to the
 * cursor, the last of them being the one that is being typed, maybe empty. Prints the candidates, one a line, and says
 * nothing when something goes wrong: a shell has no place for it.
 */
#pragma once

#include "commands.h"

#define COMPLETE_WORD "__complete"
/* Somebody waits at the keyboard. */
#define COMPLETE_TIMEOUT_MS 3000

/* ARGV[0] is the program, as for main(), and the words follow. */
enum exit_code complete_run(int argc, char **argv);
