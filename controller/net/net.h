/*
 * The real world behind controller/world.h: an API server over HTTP/2, execs over WebSockets, the system's clock.
 *
 * One thread owns it. Its functions never wait but net_poll(), which is also the only place that calls back.
 */
#pragma once

#include "controller/auth/credentials.h"
#include "controller/world.h"

struct net;

/* CREDENTIALS must live as long as the result. NULL with ERR when the server's address is no URL. */
struct net *net_new(struct credentials *credentials, struct err *err);
const struct world *net_world(const struct net *net);

/*
 * Sends what was asked for and calls back for what came. When there is nothing to call back about it waits until
 * something comes, FD can be read, or TIMEOUT_MS have passed. Returns whether FD can be read.
 */
bool net_poll(struct net *net, int64_t timeout_ms, int fd);

/* Frees memory that is kept for the next requests. For when there are none for a while. */
void net_give_back(struct net *net);

/* Requests are dropped without calling back; execs that still run are answered with EXEC_LOST. */
void net_free(struct net *net);
