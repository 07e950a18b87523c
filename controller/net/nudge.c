#include "nudge.h"

#include "controller/clock.h"
#include "flight.h"
#include "http.h"

static void on_done(void *ctx, const struct response *r)
{
	struct http *h = ctx;

	(void)r;
	h->nudging = false;
}

int64_t nudge_deadline(const struct http *h)
{
	int64_t first = INT64_MAX;
	const struct flight *f;

	for (f = h->flights; f && !h->nudging && !h->saw_http1; f = f->next) {
		int64_t at = f->heard_at + NUDGE_AFTER_MS;

		if (f->started && f->heard_at > 0 && !flight_is_watch(f) && at < first)
			first = at;
	}
	return first;
}

void nudge_step(struct http *h)
{
	if (clock_steady_ms() < nudge_deadline(h))
		return;
	struct request r = { .verb = VERB_GET, .path = NUDGE_PATH, .on_done = on_done, .ctx = h };
	struct flight *f = http_request(h, &r);
	f->urgent = true;
	h->nudging = true;
}
