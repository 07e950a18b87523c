/* The parts of a pass, for pass.c and each other: see pass.h. */
#pragma once

#include "controller/work/pass.h"

/* observe.c: what is known, in the arena; the snapshot borrows from the store. Forgets members that are gone. */
struct snapshot observe_cluster(struct pass *p, const struct cluster *cluster, int64_t now);
struct app_snapshot observe_app(struct pass *p, const struct app *app, int64_t now);

/* record.c */
/* The status as the API server shall hold it, when that is not what OBJECT holds; else NULL. In the arena. */
const char *record_difference(struct pass *p, const void *object, const void *status);
/* Writes it; pass_written() follows. */
void record_write(struct pass *p, const void *object, const char *status);
/* Reads the object; pass_read() follows. */
void record_read(struct pass *p);
void record_cancel(struct pass *p);

/* execute.c */
/* Makes requests of the actions, about OBJECT. */
void execute_prepare(struct pass *p, const void *object, const struct action *actions, size_t count);
/* Sends what was prepared; pass_acted() follows when all is answered, at once when there is nothing to wait for. */
void execute_start(struct pass *p);
/* Forgets what was prepared and not sent. */
void execute_drop(struct pass *p);
/* Cancels the rest as well. */
void execute_cancel(struct pass *p);

/* call.c: execs. */
void call_prepare(struct pass *p, const struct action *action);
void call_start_all(struct pass *p);
void call_drop(struct pass *p);
/* Those under way go on without the pass. */
void call_orphan(struct pass *p);

/* pass.c: the ends of the above. ERR is NULL when it went well. */
void pass_written(struct pass *p, const struct err *err);
void pass_read(struct pass *p, const struct err *err);
void pass_acted(struct pass *p);
/* A pass in a moment, because something was learnt. */
void pass_soon(struct pass *p);
void pass_after(struct pass *p, int64_t delay_ms);
