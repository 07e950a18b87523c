/* The steps of a cluster's pass, in the order of cluster.c; each file begins with what it decides. */
#pragma once

#include "reconcile/draft.h"

enum step_result step_finalize(struct draft *d);
enum step_result step_admit(struct draft *d);
enum step_result step_roles(struct draft *d);
enum step_result step_members(struct draft *d);
enum step_result step_answers(struct draft *d);
enum step_result step_commands(struct draft *d);
enum step_result step_scale(struct draft *d);
enum step_result step_upgrade(struct draft *d);
enum step_result step_children(struct draft *d);
enum step_result step_deliver(struct draft *d);
enum step_result step_finish(struct draft *d);
enum step_result step_rollup(struct draft *d);
