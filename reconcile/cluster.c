#include "reconcile/steps/steps.h"

/*
 * One pass over a Cluster. Answers come before the upgrade, because they are what it waits for; children after it, because
 * a role's template follows its turn; the end of a plan after the queues, because U1 asks whether they are empty.
 */
static const struct step cluster_steps[] = {
	{ "finalize", step_finalize }, /* a cluster that is being deleted: nothing more to do */
	{ "admit", step_admit },       /* can the spec be followed? if not, what was accepted last keeps running */
	{ "roles", step_roles },       /* which roles and members there shall be, and who must be told */
	{ "members", step_members },   /* what is seen of each member */
	{ "answers", step_answers },   /* what members answered since the last pass */
	{ "upgrade", step_upgrade },   /* from one App to the next, role by role, member by member */
	{ "children", step_children }, /* Service and StatefulSets follow what was decided */
	{ "deliver", step_deliver },   /* the heads of the queues that are due */
	{ "finish", step_finish },     /* the plan that has reached its end */
	{ "rollup", step_rollup },     /* conditions, state and counts from all of this */
};

struct verdict decide_cluster(const struct snapshot *s, struct arena *arena)
{
	struct draft d;
	draft_begin(&d, s, arena);
	draft_run(&d, cluster_steps, sizeof cluster_steps / sizeof *cluster_steps);
	return draft_verdict(&d);
}
