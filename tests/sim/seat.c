#include "sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_MS 10000 /* longest wait of one call of the launcher */

static void write_key(char key[OBJECT_KEY_MAX], const char *namespace, const char *pod)
{
	snprintf(key, OBJECT_KEY_MAX, "%s/%s", namespace, pod);
}

struct seat *seat_in(const struct sim *sim, const char *namespace, const char *pod)
{
	char key[OBJECT_KEY_MAX];

	write_key(key, namespace, pod);
	return strmap_get(&sim->seat_index, key);
}

struct seat *seat_find(const struct sim *sim, const char *pod)
{
	return seat_in(sim, SIM_NAMESPACE, pod);
}

static bool comes_before(const struct seat *seat, const char *namespace, const char *pod)
{
	int order = strcmp(seat->namespace, namespace);

	return order ? order < 0 : strcmp(seat->pod, pod) < 0;
}

struct seat *seat_get(struct sim *sim, const char *namespace, const char *pod, const char *role)
{
	struct seat *seat = seat_in(sim, namespace, pod), **place = &sim->seats;
	char key[OBJECT_KEY_MAX];

	if (seat)
		return seat;
	/* Pods come set by set: the place is as a rule right behind the last one. */
	if (sim->newest_seat && comes_before(sim->newest_seat, namespace, pod))
		place = &sim->newest_seat->next;
	while (*place && comes_before(*place, namespace, pod))
		place = &(*place)->next;
	seat = arena_alloc(&sim->arena, sizeof(*seat));
	*seat = (struct seat){
		.namespace = arena_strdup(&sim->arena, namespace), .pod = arena_strdup(&sim->arena, pod),
		.role = arena_strdup(&sim->arena, role), .next = *place,
	};
	*place = sim->newest_seat = seat;
	write_key(key, namespace, pod);
	strmap_set(&sim->seat_index, key, seat);
	return seat;
}

void seat_remove(struct sim *sim, struct seat *seat)
{
	struct seat **place = &sim->seats;
	char key[OBJECT_KEY_MAX];

	while (*place != seat)
		place = &(*place)->next;
	*place = seat->next;
	sim->newest_seat = NULL;
	write_key(key, seat->namespace, seat->pod);
	strmap_remove(&sim->seat_index, key);
}

static void refuse(struct sim *sim, struct exec_flight *f, const char *why)
{
	wire_exec_ended(sim, f, &(struct exec_result){.end = EXEC_REFUSED, .output = "", .message = why});
}

static void say(struct sim *sim, struct exec_flight *f, const char *text)
{
	wire_exec_ended(sim, f, &(struct exec_result){.end = EXEC_EXITED, .output = text, .len = strlen(text)});
}

/* Whether an earlier run of the same key was cut in this very box: the launcher says so. */
static bool ran_before(const struct run *run)
{
	for (size_t i = run->seat->run_count; i-- > 0;) {
		const struct run *r = run->seat->runs[i];

		if (r != run && r->box == run->box && strcmp(r->key, run->key) == 0)
			return true;
	}
	return false;
}

static const char *config_line(struct sim *sim, const struct box *box, const char *key)
{
	return box->config ? arena_printf(&sim->arena, "rolecall/1 %s config %" PRId64 "\n", key, box->config) : "";
}

static void say_run(struct sim *sim, struct exec_flight *f, const struct run *run)
{
	static const char *const words[] = {"running", "done", "timeout", "running"};
	const char *again = ran_before(run) ? arena_printf(&sim->arena, "rolecall/1 %s again 0\n", run->key) : "";
	const char *tail = run->state == RUN_ENDED && run->exit_code ? "the handler is not pleased\n" : "";

	say(sim, f, arena_printf(&sim->arena, "%s%srolecall/1 %s %s %d\n%s", again,
	                         config_line(sim, run->box, run->key), run->key, words[run->state], run->exit_code,
	                         tail));
}

static void answer_waits(struct sim *sim, struct run *run)
{
	struct wait *wait = run->waits;

	run->waits = NULL;
	for (; wait; wait = wait->next)
		say_run(sim, wait->flight, run);
}

void seat_run_ended(struct sim *sim, struct run *run, enum run_state how)
{
	run->state = how;
	run->ended_at = sim->clock.now;
	if (how == RUN_TIMED_OUT)
		run->exit_code = 0;
	if (run->state == RUN_ENDED && run->exit_code == 0 && run->setup)
		run->box->setup = run->setup;
	trace(sim, "member %s: end %s id=%" PRId64 " attempt=%" PRId64 " %s %d", run->seat->pod,
	      event_kind_text(run->event), run->id, run->attempt, how == RUN_TIMED_OUT ? "timeout" : "exit",
	      run->exit_code);
	book_ended(sim, run);
	answer_waits(sim, run);
}

static void handler_ends(struct sim *sim, void *arg)
{
	struct run *run = arg;

	if (run->state != RUN_GOING)
		return;
	if (run->box->frozen)
		run->due = run->due == RUN_GOING ? RUN_ENDED : run->due;
	else
		seat_run_ended(sim, run, RUN_ENDED);
}

static void handler_is_late(struct sim *sim, void *arg)
{
	struct run *run = arg;

	if (run->state != RUN_GOING)
		return;
	if (run->box->frozen)
		run->due = run->due == RUN_GOING ? RUN_TIMED_OUT : run->due;
	else
		seat_run_ended(sim, run, RUN_TIMED_OUT);
}

static void stop_waiting(struct sim *sim, void *arg)
{
	struct wait *wait = arg, **place = &wait->run->waits;

	while (*place && *place != wait)
		place = &(*place)->next;
	if (!*place || wait->run->box->frozen)
		return;
	*place = wait->next;
	say_run(sim, wait->flight, wait->run);
}

static void wait_for(struct sim *sim, struct exec_flight *f, struct run *run)
{
	struct wait *wait = arena_alloc(&sim->arena, sizeof(*wait));

	*wait = (struct wait){.flight = f, .run = run, .next = run->waits};
	run->waits = wait;
	clock_in(&sim->clock, CALL_MS, stop_waiting, wait);
}

static const char *joined(struct sim *sim, const char *const *argv, size_t argc)
{
	cleanup_strbuf struct strbuf b = {0};

	for (size_t i = 0; i < argc; i++)
		strbuf_addf(&b, "%s%s", i ? " " : "", argv[i]);
	return arena_strdup(&sim->arena, strbuf_str(&b));
}

static void log_run(struct sim *sim, struct run *run)
{
	struct seat *seat = run->seat;

	if (seat->run_count == seat->run_room) {
		seat->run_room = seat->run_room ? seat->run_room * 2 : 16;
		seat->runs = arena_grow(&sim->arena, seat->runs, seat->run_count, seat->run_room, sizeof(struct run *));
	}
	seat->runs[seat->run_count++] = run;
	if (!run->box->first_told_at)
		run->box->first_told_at = sim->clock.now;
	trace(sim, "member %s: start %s id=%" PRId64 " attempt=%" PRId64, seat->pod, event_kind_text(run->event),
	      run->id, run->attempt);
	book_started(sim, run);
}

/* The word of the event is the first argument that is one: the handler's own come before it. */
static size_t find_event(const char *const *argv, size_t argc, enum event_kind *ret_event)
{
	for (size_t i = 0; i < argc; i++) {
		*ret_event = event_kind_parse(strncmp(argv[i], "--", 2) == 0 ? argv[i] + 2 : NULL);
		if (*ret_event != EVENT_KIND_NONE)
			return i + 1;
	}
	return argc;
}

/* The launcher's arguments, after "rolecall". */
struct launch {
	const char *key, *mode, *setup, *pod;
	int64_t id, attempt, limit_s, sent_at;
	const char *const *handler;
	size_t handler_count;
	int64_t config;
	size_t config_length;
	const char *input;
};

static struct run *start(struct sim *sim, struct box *box, const struct launch *l)
{
	struct run *run = arena_alloc(&sim->arena, sizeof(*run));
	size_t args;

	*run = (struct run){
		.seat = box->seat, .box = box, .id = l->id, .attempt = l->attempt,
		.key = arena_strdup(&sim->arena, l->key), .sent_at = l->sent_at, .started_at = sim->clock.now,
		.config = box->config, .config_text = box->config_text,
		.setup = strcmp(l->mode, "configure") == 0 ? arena_strdup(&sim->arena, l->setup) : NULL,
	};
	args = find_event(l->handler, l->handler_count, &run->event);
	run->args = joined(sim, l->handler + args, l->handler_count - args);
	run->exit_code = faults_exit_code(sim, run);
	log_run(sim, run);
	clock_in(&sim->clock, faults_handler_ms(sim, run), handler_ends, run);
	clock_in(&sim->clock, l->limit_s * 1000, handler_is_late, run);
	return run;
}

/* The run of KEY that goes on or has a result in this box. */
static struct run *known_run(const struct box *box, const char *key)
{
	for (size_t i = box->seat->run_count; i-- > 0;) {
		struct run *r = box->seat->runs[i];

		if (r->box == box && r->state != RUN_CUT && strcmp(r->key, key) == 0)
			return r;
	}
	return NULL;
}

static bool read_key(const char *key, struct launch *l)
{
	const char *id = strchr(key, '.'), *attempt = id ? strchr(id + 1, '.') : NULL;

	if (!attempt)
		return false;
	l->id = strtoll(id + 1, NULL, 10);
	l->attempt = strtoll(attempt + 1, NULL, 10);
	return true;
}

static bool read_launch(const struct exec_request *r, struct launch *l)
{
	if (r->argc < 11 || strcmp(r->argv[0], "/bin/sh") != 0 || strcmp(r->argv[1], "-c") != 0)
		return false;
	*l = (struct launch){
		.key = r->argv[4], .mode = r->argv[5], .setup = r->argv[6], .limit_s = strtoll(r->argv[7], NULL, 10),
		.config = strtoll(r->argv[8], NULL, 10), .config_length = strtoul(r->argv[9], NULL, 10),
		.pod = r->argv[10], .input = r->input[0].data, .handler = r->argv + 11, .handler_count = r->argc - 11,
	};
	return read_key(l->key, l);
}

/* An older one never overwrites a newer one. */
static void take_config(struct sim *sim, struct box *box, const struct launch *l)
{
	if (l->config_length == 0 || l->config < box->config)
		return;
	box->config = l->config;
	box->config_held |= UINT64_C(1) << (l->config & 63);
	box->config_text = l->input;
	trace(sim, "member %s: configmeta %" PRId64, box->seat->pod, box->config);
}

/* Why this call runs nothing; NULL when it does. */
static const char *why_not(struct sim *sim, struct box *box, const struct launch *l)
{
	bool has_setup = strcmp(l->setup, "-") == 0 || (box->setup && strcmp(box->setup, l->setup) == 0);

	if (strcmp(l->mode, "configure") != 0 && !has_setup)
		return "no-setup";
	if (l->config_length && faults_cut_input(sim))
		return "no-state";
	take_config(sim, box, l);
	if (box->config < l->config)
		return "no-config";
	return strcmp(l->mode, "check") == 0 ? "setup" : NULL;
}

bool seat_is_launch(const struct exec_request *r, size_t *ret_input)
{
	struct launch l;

	if (!read_launch(r, &l))
		return false;
	*ret_input = l.config_length;
	return true;
}

/* What launcher.sh does, line for line in this order. */
static void launch(struct sim *sim, struct exec_flight *f, struct box *box, const struct launch *l)
{
	struct run *run = known_run(box, l->key);
	const char *why = strcmp(l->pod, box->pod_uid) != 0 ? "other-pod" : run ? NULL : why_not(sim, box, l);

	if (why) {
		say(sim, f, arena_printf(&sim->arena, "%srolecall/1 %s %s 0\n", config_line(sim, box, l->key), l->key, why));
		return;
	}
	if (run)
		arose(RULE_N6);
	else
		run = start(sim, box, l);
	if (run->state == RUN_GOING)
		wait_for(sim, f, run);
	else
		say_run(sim, f, run);
}

void seat_call(struct sim *sim, struct exec_flight *f)
{
	struct seat *seat = seat_in(sim, f->request.namespace, f->request.pod);
	struct box *box = seat ? seat->box : NULL;
	struct launch l;

	if (!seat || !seat->uid)
		refuse(sim, f, "pods not found");
	else if (!box || !box->alive)
		refuse(sim, f, "container not found (\"app\")");
	else if (box->frozen)
		refuse(sim, f, "cannot exec in a paused state");
	else if (!read_launch(&f->request, &l) || f->request.input[0].len != l.config_length)
		violation(sim, RULE_API, "an exec that is no call of the launcher: %s",
		          joined(sim, f->request.argv, f->request.argc));
	else {
		l.sent_at = f->sent_at;
		launch(sim, f, box, &l);
	}
}
