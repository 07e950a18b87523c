/*
 * The server's side of a WebSocket (RFC 6455): the answer to the handshake, then frames by libwslay. Whole binary
 * messages come in and go out, whatever fragments they came in; pings are answered by libwslay.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer messages are refused (1009); those of an exec have 32 KiB. */
#define WS_MESSAGE_MAX ((size_t)1 << 20)

struct stream;
struct ws;

/* Answers S with 101. KEY is what the client sent. */
struct ws *ws_new(struct stream *s, const char *key, const char *protocol);
void ws_free(struct ws *w);

/* Calls .on_frame for what has come whole. False: the conversation is over. */
bool ws_receive(struct ws *w, const char *data, size_t len);
void ws_send(struct ws *w, const void *data, size_t len);
/* From now on the stream is not used; what comes is read only for the other side's goodbye. */
void ws_say_goodbye(struct ws *w, uint16_t code);
