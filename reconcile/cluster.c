#include "reconcile/steps/steps.h"

/*
 * One pass over a Cluster. Answers come before the upgrade, because they are what it waits for; children after it, because
 * a role's template follows its turn; the end of a plan after the queues, because U1 asks whether they are empty.
 */
static const struct step cluster_steps[] = {
	{ "finalize", step_finalize, ALWAYS },        /* a cluster that is being deleted: nothing more to do */
	{ "admit", step_admit, ALWAYS },              /* can the spec be followed? if not, the last one is */
	{ "roles", step_roles, UNLESS_PAUSED },       /* which members there shall be, and who must be told */
	{ "members", step_members, ALWAYS },          /* what is seen of each member */
	{ "answers", step_answers, ALWAYS },          /* what members answered since the last pass */
	{ "commands", step_commands, UNLESS_PAUSED }, /* what the user asks for by annotation */
	{ "scale", step_scale, UNLESS_PAUSED },       /* members that come and go, and who is told (N9) */
	{ "upgrade", step_upgrade, UNLESS_PAUSED },   /* from one App to the next, and back */
	{ "children", step_children, UNLESS_PAUSED }, /* Service and StatefulSets follow what was decided */
	{ "deliver", step_deliver, UNLESS_PAUSED },   /* the heads of the queues that are due */
	{ "finish", step_finish, UNLESS_PAUSED },     /* the plan that has reached its end */
	{ "rollup", step_rollup, ALWAYS },            /* conditions, state and counts from all of this */
};

struct verdict decide_cluster(const struct snapshot *s, struct arena *arena)
{
	struct draft d;
	draft_begin(&d, s, arena);
	draft_run(&d, cluster_steps, sizeof cluster_steps / sizeof *cluster_steps);
	return draft_verdict(&d);
}
