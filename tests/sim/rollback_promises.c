/*
 * U3, the way back, as in promises.c: judged by what ran in the members, by image and log. The way back begins when a
 * status that says isRollingBack is stored.
 */
#include "sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_upgraded_event(enum event_kind event)
{
	return event == EVENT_KIND_POD_UPGRADED || event == EVENT_KIND_ROLE_UPGRADED ||
	       event == EVENT_KIND_CLUSTER_UPGRADED;
}

static bool is_reverted_event(enum event_kind event)
{
	return event == EVENT_KIND_POD_REVERTED || event == EVENT_KIND_ROLE_REVERTED ||
	       event == EVENT_KIND_CLUSTER_REVERTED;
}

static const struct upgrade_info *info_of(const struct cluster *c)
{
	return c && c->status ? c->status->upgrade_info : NULL;
}

static bool plan_tells(const struct plan *plan, const char *pod, enum event_kind event, int64_t id)
{
	char text[192];

	snprintf(text, sizeof(text), "%s: %s %" PRId64 " ", pod, event_kind_text(event), id);
	for (size_t i = 0; i < plan->warnings_count; i++) {
		if (strncmp(plan->warnings[i].message, text, strlen(text)) == 0)
			return true;
	}
	return plan->warnings_dropped > 0;
}

/* What is withdrawn as the rollback begins stands in the plan of the upgrade, which is over by then. */
bool was_withdrawn(struct sim *sim, const struct entry_change *c)
{
	const struct cluster_status *s = sim->book.is->status;

	if (!sim->book.back_at || !is_upgraded_event(c->was->event))
		return false;
	arose(RULE_U3);
	if (!(s->plan && plan_tells(s->plan, c->was_in->pod, c->was->event, c->was->id)) &&
	    !(s->last_plans_count && plan_tells(&s->last_plans[0], c->was_in->pod, c->was->event, c->was->id)))
		violation(sim, RULE_U3, "%s: %s id=%" PRId64 " was withdrawn and no plan says so", c->was_in->pod,
		          event_kind_text(c->was->event), c->was->id);
	return true;
}

/* What of the upgrade has to have reached SEAT before it may hear RUN's event. */
static bool was_reached(struct sim *sim, const struct run *run)
{
	bool ran = book_ran_b(sim, run->seat), role = book_was_head(sim, run->seat, EVENT_KIND_ROLE_UPGRADED);

	if (run->event == EVENT_KIND_POD_REVERTED)
		return ran;
	return role || (run->event == EVENT_KIND_CLUSTER_REVERTED &&
	                (ran || book_was_head(sim, run->seat, EVENT_KIND_CLUSTER_UPGRADED)));
}

static void reverted_is_due(struct sim *sim, const struct run *run)
{
	const char *event = event_kind_text(run->event);

	arose(RULE_U3);
	if (!sim->book.back_at)
		violation(sim, RULE_U3, "%s hears %s and no rollback was recorded", run->seat->pod, event);
	else if (!was_reached(sim, run))
		violation(sim, RULE_U3, "%s hears %s, but nothing of the upgrade had reached it", run->seat->pod, event);
	if (strcmp(run->box->image, IMAGE_A) != 0)
		violation(sim, RULE_U3, "%s hears %s in a container of B", run->seat->pod, event);
}

/* No handler of an upgrade event starts that was not asked for before; nothing comes after cluster_reverted. */
static void run_fits(struct sim *sim, const struct run *run)
{
	if (is_upgraded_event(run->event) && run->sent_at > sim->book.back_at)
		violation(sim, RULE_U3, "%s hears %s after the rollback was recorded", run->seat->pod,
		          event_kind_text(run->event));
	if (!sim->book.upgrade_is_over && run->event != EVENT_KIND_CONFIGURE && run->event != EVENT_KIND_CLUSTER_REVERTED &&
	    book_was_asked(sim, run->seat, EVENT_KIND_CLUSTER_REVERTED))
		violation(sim, RULE_U3, "%s hears %s after cluster_reverted", run->seat->pod,
		          event_kind_text(run->event));
}

static void names_stay(struct sim *sim)
{
	const struct cluster *was = sim->book.was, *is = sim->book.is;
	const struct upgrade_info *info = info_of(is);

	if (!info)
		return;
	if (!info->prev_app || strcmp(info->prev_app, APP_A) != 0 || !info->to_app || strcmp(info->to_app, APP_B) != 0)
		violation(sim, RULE_U3, "upgradeInfo goes from %s to %s", info->prev_app, info->to_app);
	if (info_of(was) && info_of(was)->is_rolling_back && !info->is_rolling_back)
		violation(sim, RULE_U3, "a rollback was turned round");
	if (!info->is_rolling_back)
		return;
	arose(RULE_U3);
	if (!is->status->app || strcmp(is->status->app, APP_A) != 0)
		violation(sim, RULE_U3, "a rollback runs and status.app is %s", is->status->app);
}

static bool is_queued_in(const struct role_status *r, enum event_kind event)
{
	for (size_t i = 0; i < r->members_count; i++) {
		for (size_t q = 0; q < book_queue_length(&r->members[i]); q++) {
			if (r->members[i].state_detail->pending_notify_cmds[q].event == event)
				return true;
		}
	}
	return false;
}

/* role_reverted when the role is back, cluster_reverted when all are. */
static void told_in_time(struct sim *sim)
{
	const struct cluster_status *s = sim->book.is->status;
	bool cluster_is_told = false, all_back = true;

	for (const struct role_status *r = s->roles; r < s->roles + s->roles_count; r++) {
		bool is_back = r->role_upgrade_status == UPGRADE_STATE_ROLLED_BACK;

		if (is_queued_in(r, EVENT_KIND_ROLE_REVERTED) && !is_back)
			violation(sim, RULE_U3, "role_reverted is queued and role %s is not back", r->id);
		cluster_is_told = cluster_is_told || is_queued_in(r, EVENT_KIND_CLUSTER_REVERTED);
		all_back = all_back && (is_back || r->role_upgrade_status == UPGRADE_STATE_NONE);
	}
	if (cluster_is_told && !all_back)
		violation(sim, RULE_U3, "cluster_reverted is queued and not every role is back");
}

/* An automatic rollback is one that was asked for, and says so; a user's is not written down as one. */
static void cause_is_told(struct sim *sim)
{
	const struct cluster *was = sim->book.was, *is = sim->book.is;
	bool by_user = strcmp(is->spec->app, APP_A) == 0;

	if (!info_of(is) || !info_of(is)->is_rolling_back || (info_of(was) && info_of(was)->is_rolling_back))
		return;
	arose(RULE_U3);
	if (!by_user && !sim->setup.rolls_back_itself)
		violation(sim, RULE_U3, "a rollback that nobody asked for");
	if (!by_user && (!is->status->rolled_back || strcmp(is->status->rolled_back->app, APP_B) != 0))
		violation(sim, RULE_U3, "an automatic rollback, and rolledBack does not name B");
	if (by_user && is->status->rolled_back)
		violation(sim, RULE_U3, "a user's rollback is recorded as an automatic one");
}

void check_u3(struct sim *sim)
{
	struct book *b = &sim->book;

	for (size_t i = 0; i < b->started_count; i++) {
		if (is_reverted_event(b->started[i]->event))
			reverted_is_due(sim, b->started[i]);
		if (b->back_at)
			run_fits(sim, b->started[i]);
	}
	if (!b->written || !b->is || !b->is->status)
		return;
	names_stay(sim);
	cause_is_told(sim);
	if (info_of(b->is))
		told_in_time(sim);
}

/* What the operator went back from by itself it does not try again until spec.app has been something else. */
void check_back(struct sim *sim)
{
	const struct cluster *was = sim->book.was, *is = sim->book.is;

	if (!sim->book.written || !was || !was->status || !was->status->rolled_back || !is || !is->status)
		return;
	arose(RULE_BACK);
	if (info_of(is) && !info_of(is)->is_rolling_back)
		violation(sim, RULE_BACK, "B was rolled back and is tried again");
	if (!is->status->rolled_back && strcmp(is->spec->app, APP_B) == 0)
		violation(sim, RULE_BACK, "spec.app is still B and rolledBack is forgotten");
}
