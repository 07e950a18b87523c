#include "reconcile/member/call.h"

#include "reconcile/member/queue.h"

#define RUNNING_ASK_MAX_MS 10000 /* DESIGN section 4: repeated after 1 to 10 s */
#define SILENT_ASK_MAX_MS 30000  /* N4: backoff 1 s to 30 s */
#define CHECK_AGAIN_MS 1000      /* a check is repeated only to bring a newer configmeta */

const struct app *member_app(const struct draft *d, const struct role_status *role, const struct member_view *v)
{
	const struct app *app = v->app ? draft_app(d, v->app) : NULL;
	return app ? app : draft_role_app(d, role);
}

const struct exec_report *call_report_of_head(const struct draft *d, const struct member *m)
{
	const struct exec_report *r = draft_exec(d, m->pod);
	const struct queue_entry *head = queue_head(m);
	if (!r || !head || r->flying || r->id != head->id || r->attempt != head->attempts + 1)
		return NULL;
	return r;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* How long to wait after R, which was about this very run in this very container. */
static int64_t pause_after(const struct exec_report *r)
{
	switch (r->answer) {
	case ANSWER_RUNNING:
		return least(1000 * (int64_t)(r->tries > 0 ? r->tries : 1), RUNNING_ASK_MAX_MS);
	case ANSWER_REFUSED:
	case ANSWER_UNKNOWN:
		return r->tries > 5 ? SILENT_ASK_MAX_MS : least(1000LL << (r->tries > 0 ? r->tries - 1 : 0), SILENT_ASK_MAX_MS);
	case ANSWER_NONE:
	case ANSWER_DONE:
	case ANSWER_TIMEOUT:
	case ANSWER_NO_SETUP:
	case ANSWER_NO_CONFIG:
		return 0;
	case ANSWER_SETUP:
		return CHECK_AGAIN_MS;
	}
	return 0;
}

bool call_is_due(struct draft *d, const struct member *m, const struct member_view *v, int64_t id, int64_t attempt,
                 int64_t next_attempt)
{
	const struct exec_report *r = draft_exec(d, m->pod);
	if (r && r->flying && same_text(r->container, v->container))
		return false; /* one to a container that is gone holds up nobody */
	int64_t at = next_attempt;
	if (r && same_text(r->container, v->container) && r->id == id && r->attempt == attempt) {
		int64_t again = r->ended_at + pause_after(r);
		at = again > at ? again : at;
	}
	if (at <= d->s->now)
		return true;
	draft_requeue(d, at);
	return false;
}
