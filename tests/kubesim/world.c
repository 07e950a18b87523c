/* What the parts of tests/sim ask of the rest of the simulation, answered by kubesim. */
#include "kubesim.h"

#include "exec.h"
#include "namespaces.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

static void say(const char *fmt, va_list args)
{
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void trace(struct sim *sim, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (kubesim_of(sim)->is_loud)
		say(fmt, args);
	va_end(args);
}

/* Nobody is judged here: a rule of the simulation that does not hold is only told. */
void violation(struct sim *sim, enum rule rule, const char *fmt, ...)
{
	va_list args;

	(void)sim;
	(void)rule;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void arose(enum rule rule)
{
	(void)rule;
}

/* Watches are told all at once, after what is going on (watch.c). */
void stream_wake(struct sim *sim, enum kind kind)
{
	(void)sim;
	(void)kind;
}

void book_changed(struct sim *sim, const struct object *o, enum change change)
{
	namespaces_changed(sim, o, change);
}

void book_started(struct sim *sim, struct run *run)
{
	(void)sim;
	(void)run;
}

void book_ended(struct sim *sim, struct run *run)
{
	(void)sim;
	(void)run;
}

void wire_exec_ended(struct sim *sim, struct exec_flight *f, const struct exec_result *result)
{
	exec_ended(kubesim_of(sim), f, result);
}

static const struct steer *steer_of(const struct sim *sim, const struct seat *seat)
{
	static const struct steer none;
	const struct steer *steer = switches_of(&kubesim_of(sim)->switches, seat->namespace, seat->pod);

	return steer ? steer : &none;
}

bool faults_refuse_pod(struct sim *sim)
{
	return kubesim_of(sim)->switches.no_quota;
}

bool faults_lost_for_good(const struct sim *sim, const struct seat *seat)
{
	return steer_of(sim, seat)->is_lost;
}

bool faults_hold_container(const struct sim *sim, const struct seat *seat)
{
	return steer_of(sim, seat)->is_down;
}

bool faults_cut_input(struct sim *sim)
{
	(void)sim;
	return false;
}

int faults_exit_code(struct sim *sim, const struct run *run)
{
	const struct steer *steer = steer_of(sim, run->seat);

	return steer->fails_on == EVENT_KIND_NONE || steer->fails_on == run->event ? steer->exit_code : 0;
}

int64_t faults_handler_ms(struct sim *sim, const struct run *run)
{
	const struct steer *steer = steer_of(sim, run->seat);

	return steer->handler_ms ? steer->handler_ms : kubesim_of(sim)->switches.handler_ms;
}
