/*
 * Both ends of a call of the launcher: the command line that goes out, and what its output means (DESIGN section 4,
 * N5 and N6). What happens in between is launcher.sh. Pure: no IO, everything is in the arena.
 *
 * An answer is a whole line "rolecall/1 KEY WORD CODE" with the key of the call, and nothing else: exec's own exit code
 * is also what a runtime says when it could not start anything.
 */
#pragma once

#include "reconcile/reconcile.h"

#include <stddef.h>
#include <stdint.h>

struct arena;
struct exec_result;

/*
 * Bytes of a handler with all its arguments. Linux takes 128 KiB in one argument (MAX_ARG_STRLEN); beyond it the runtime
 * reports an exit code 1 that looks like the handler's. Checked before a notification is queued, not here.
 */
#define LAUNCHER_ARG_MAX ((size_t)96 << 10)

/* Bytes of exec_report.detail: an error in a member's status (DESIGN section 2). */
#define LAUNCHER_DETAIL_MAX 128

/* "<clusterUID>.<id>.<attempt>", which names a run for ever. A check of the set-up is "<clusterUID>.0.0". */
const char *launcher_key(const char *cluster_uid, const struct exec_call *call, struct arena *a);

/*
 * The command line of CALL: *RET_ARGC arguments, NULL-terminated. The handler's own are borrowed from CALL. A call that
 * is no check must have a handler.
 */
const char *const *launcher_argv(const char *cluster_uid, const struct exec_call *call, struct arena *a,
				 size_t *ret_argc);

/*
 * Sets .answer, .exit_code, .ran_again, .config* and .detail of REPORT from what came back for KEY. The first line with a final
 * word counts; what follows it is the handler's output. .detail is one line of valid UTF-8 without control characters,
 * or NULL when there is nothing to say: of a failed handler the end of its output, else the reason.
 */
void launcher_answer(const struct exec_result *r, const char *key, struct exec_report *report, struct arena *a);
