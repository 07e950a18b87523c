/*
 * The end of the process when memory runs out or a cap that only a bug can reach is reached. It is restartable by
 * design: whatever it was doing is in the API server, and the next one goes on from there.
 */
#pragma once

#include <stddef.h>

/* Says on standard error that WHO could not have SIZE bytes (or items), and WHY; then aborts. */
_Noreturn void die(const char *who, const char *why, size_t size);
