#include "serve_conn.h"

#include "controller/clock.h"
#include "controller/mem.h"
#include "serve_stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* A TLS record holds at most this, so that nothing stays behind in OpenSSL, where poll() would not see it. */
#define RECORD_MAX 16384
/* Others have their turn after so many. */
#define READS_MAX 64
#define WRITES_MAX 256

struct conn *conn_new(SSL_CTX *context, int fd, const struct serve_handlers *handlers)
{
	SSL *tls = SSL_new(context);

	if (!tls || SSL_set_fd(tls, fd) != 1) {
		SSL_free(tls);
		close(fd);
		return NULL;
	}
	struct conn *c = mem_new(sizeof(*c));
	*c = (struct conn){ .handlers = handlers, .fd = fd, .tls = tls, .deadline = clock_steady_ms() + CONN_GREETING_MS };
	return c;
}

/* The owner of one may still write to another in here, so the session must stay until all have gone. */
static void drop_streams(struct conn *c)
{
	while (c->streams)
		stream_vanish(c->streams);
}

void conn_free(struct conn *c)
{
	if (!c)
		return;
	c->phase = CONN_GONE;
	drop_streams(c);
	if (c->protocol)
		c->protocol->release(c);
	bytes_release(&c->out);
	SSL_free(c->tls);
	close(c->fd);
	free(c);
}

short conn_events(const struct conn *c)
{
	short in = c->is_full ? 0 : POLLIN;

	switch (c->phase) {
	case CONN_GREETING:
		return c->tls_waits_to_write ? POLLOUT : POLLIN;
	case CONN_OPEN:
		return (short)(in | (c->out.len > 0 || c->tls_waits_to_write ? POLLOUT : 0));
	case CONN_ENDING:
		return (short)(in | POLLOUT);
	case CONN_LINGERING:
		return POLLIN;
	case CONN_GONE:
		break;
	}
	return 0;
}

static void greet(struct conn *c)
{
	switch (tls_accept(c->tls)) {
	case TLS_DONE:
		c->phase = CONN_OPEN;
		c->protocol = tls_speaks_h2(c->tls) ? &h2_protocol : &h1_protocol;
		c->tls_waits_to_write = false;
		c->deadline = INT64_MAX;
		break;
	case TLS_WAITS_TO_READ:
		c->tls_waits_to_write = false;
		break;
	case TLS_WAITS_TO_WRITE:
		c->tls_waits_to_write = true;
		break;
	case TLS_OVER:
		c->phase = CONN_GONE;
		break;
	}
}

static void receive(struct conn *c)
{
	char data[RECORD_MAX];
	size_t len;

	for (int i = 0; i < READS_MAX && c->phase == CONN_OPEN && !c->is_full; i++) {
		enum tls_result result = tls_read(c->tls, data, sizeof(data), &len);
		c->tls_waits_to_write = result == TLS_WAITS_TO_WRITE;
		if (result == TLS_OVER)
			c->phase = CONN_GONE;
		if (result != TLS_DONE)
			return;
		c->protocol->receive(c, data, len);
	}
}

static void discard(struct conn *c)
{
	char data[RECORD_MAX];

	for (int i = 0; i < READS_MAX; i++) {
		ssize_t len = recv(c->fd, data, sizeof(data), MSG_DONTWAIT);
		if (len == 0 && c->phase == CONN_LINGERING)
			c->phase = CONN_GONE;
		else if (len == 0)
			c->is_full = true;
		if (len <= 0)
			return;
	}
}

void conn_read(struct conn *c, short events)
{
	if (c->phase == CONN_GREETING && events)
		greet(c);
	if (c->phase == CONN_OPEN && events)
		receive(c);
	else if (events && (c->phase == CONN_ENDING || c->phase == CONN_LINGERING))
		discard(c);
	if (events & (POLLERR | POLLHUP | POLLNVAL))
		c->phase = CONN_GONE;
}

static void say_goodbye(struct conn *c)
{
	SSL_shutdown(c->tls);
	shutdown(c->fd, SHUT_WR);
	drop_streams(c);
	c->phase = CONN_LINGERING;
}

/* True when all of it is out. */
static bool send_out(struct conn *c)
{
	while (c->out.len > 0) {
		size_t len = c->out.len < RECORD_MAX ? c->out.len : RECORD_MAX, written;
		enum tls_result result = tls_write(c->tls, bytes_front(&c->out), len, &written);
		if (result == TLS_OVER)
			c->phase = CONN_GONE;
		if (result != TLS_DONE)
			return false;
		bytes_take(&c->out, written);
	}
	return true;
}

void conn_turn(struct conn *c)
{
	if (c->deadline <= clock_steady_ms())
		c->phase = CONN_GONE;
	for (int i = 0; i < WRITES_MAX && (c->phase == CONN_OPEN || c->phase == CONN_ENDING); i++) {
		c->protocol->turn(c);
		if (c->phase == CONN_ENDING && c->out.len == 0)
			say_goodbye(c);
		if (c->out.len == 0 || !send_out(c))
			break;
	}
}

void conn_send(struct conn *c, const char *data, size_t len)
{
	bytes_add(&c->out, data, len);
}

void conn_end(struct conn *c)
{
	if (c->phase != CONN_OPEN)
		return;
	c->phase = CONN_ENDING;
	c->deadline = clock_steady_ms() + CONN_ENDING_MS;
}
