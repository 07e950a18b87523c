#include "reconcile/steps/steps.h"

/*
 * Deletion. Children go with their owner by Kubernetes' garbage collection; nobody is told, no queue, exec or node is
 * waited for, and there is no finalizer that could trap the object.
 */
enum step_result step_finalize(struct draft *d)
{
	return d->s->cluster->metadata->deletion_timestamp ? STEP_STOP : STEP_NEXT;
}
