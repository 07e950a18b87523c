/* What the operator did so far, as counters. */
#pragma once

#include "controller/world.h"

struct stats {
	uint64_t requests[VERBS];
	uint64_t passes;
	uint64_t status_writes;  /* that were sent */
	uint64_t status_bytes;   /* in their bodies */
	uint64_t conflicts;      /* 409s of status writes */
	uint64_t execs;
	uint64_t failures;       /* requests of passes that failed, status writes included */
	uint64_t events_lost;    /* Kubernetes Events are best effort */
	uint64_t undecoded;      /* objects that could not be read and were passed over */
};
