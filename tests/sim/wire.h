/*
 * controller/world.h as the operator sees it: requests and execs take time on the way, may fail before or after their
 * effect, and their answers may be lost.
 *
 * A crash takes the operator's end of everything away: what was sent arrives all the same, nothing comes back. From the
 * request after which the operator is to crash until it is gone, what it sends goes nowhere: it had not sent it yet.
 */
#pragma once

#include "api.h"

/* What becomes of a request or an exec. The middle ones leave the operator in the dark about the effect. */
enum fate {
	FATE_GOOD,
	FATE_REJECTED,     /* 429, 500 or 503, or an exec refused: nothing happened */
	FATE_NO_WAY,       /* no connection: nothing happened */
	FATE_SWALLOWED,    /* never arrives; its timeout ends it */
	FATE_ANSWER_5XX,   /* happened, and then the answer is an error */
	FATE_ANSWER_CUT,   /* happened, and the connection breaks */
	FATE_ANSWER_NEVER, /* happened, and its timeout ends it */
};

struct feed;

/* One API request under way. */
struct flight {
	struct request request;   /* with copies of path and body */
	enum fate fate;
	bool over;                /* answered, cancelled or orphaned: no callback any more */
	uint64_t number;          /* .sent of the wire when it left */
	int64_t sent_at;
	struct reply reply;
	struct feed *stream;
	struct flight *next;      /* all of this operator's life */
};

/* One exec under way. */
struct exec_flight {
	struct exec_request request; /* with copies */
	enum fate fate;
	bool over;
	uint64_t number;          /* as of a flight */
	int64_t sent_at;
	struct exec_result result;
	struct exec_flight *next;
};

struct feed {
	struct flight *flight;
	struct api_target target;
	size_t cursor;            /* next of the history to send */
	int64_t opened_at, last_data_at;
	int64_t pump_since;       /* when the delivery under way was scheduled */
	bool pumping;             /* a delivery is scheduled */
	bool deaf;                /* gets nothing any more, and nobody says so */
	struct feed *next;
};

struct wire {
	struct flight *flights;
	struct exec_flight *execs;
	struct feed *streams;
	uint64_t sent;            /* requests and execs, watches too */
	uint64_t asked;           /* the same without watches and Events */
	uint64_t exec_count;
	int64_t acted_at;         /* when a change of a child or an exec was sent last: then a pass had its status stored */
	uint64_t crash_after;     /* crash when .sent gets there; 0: not */
	bool crash_due;
	uint64_t back_after;      /* the user sets spec.app back when .sent gets there; 0: not */
	bool back_on_arrival;     /* and when that request has taken effect */
};

struct sim;

struct world wire_world(struct sim *sim);
/* After the operator is gone: nothing that it started may call back. */
void wire_orphan(struct sim *sim);
/* Requests that would end by their timeout only end now. */
void wire_break_silence(struct sim *sim);
/* Ends the flight with a reply, or with ERR when reply->http is 0. */
void wire_answer(struct sim *sim, struct flight *f, const struct err *err);

/* An exec reached the member and ended with RESULT (its texts live until the end of the run). */
void wire_exec_ended(struct sim *sim, struct exec_flight *f, const struct exec_result *result);

/* Watches (stream.c). */
void stream_open(struct sim *sim, struct flight *f, const struct api_target *t);
void stream_wake(struct sim *sim, enum kind kind);
void stream_cut_all(struct sim *sim);
/* The operator has a watch of KIND that has told all there was to tell SPAN_MS ago. */
bool stream_is_current(const struct sim *sim, enum kind kind, int64_t span_ms);
