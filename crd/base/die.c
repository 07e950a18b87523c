#include "die.h"

#include <stdio.h>
#include <stdlib.h>

void die(const char *who, const char *why, size_t size)
{
	fprintf(stderr, "%s: %s (%zu asked for)\n", who, why, size);
	abort();
}
