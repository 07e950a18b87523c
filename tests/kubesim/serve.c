#include "serve.h"

#include "controller/clock.h"
#include "controller/mem.h"
#include "serve_conn.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

/* With their sockets they fit into the 1024 files that a process usually has. */
#define CONNS_MAX 960
#define BACKLOG 128
#define PORT_SIZE 8

struct serve {
	struct serve_handlers owner;
	struct serve_handlers handlers; /* pass it on, and note that */
	bool has_called;
	SSL_CTX *context;
	int listener;
	uint16_t port;
	struct conn *conns;
	size_t count;
	bool is_out_of_files;  /* nobody is let in for one step */
	struct pollfd *polled; /* listener, the caller's, then the connections in their order */
	size_t polled_room;
};

static void pass_request(void *ctx, struct stream *stream, const struct serve_request *r)
{
	struct serve *s = ctx;

	s->has_called = true;
	s->owner.on_request(s->owner.ctx, stream, r);
}

static void pass_frame(void *ctx, struct stream *stream, const void *data, size_t len)
{
	struct serve *s = ctx;

	s->has_called = true;
	s->owner.on_frame(s->owner.ctx, stream, data, len);
}

static void pass_closed(void *ctx, struct stream *stream)
{
	struct serve *s = ctx;

	s->has_called = true;
	s->owner.on_closed(s->owner.ctx, stream);
}

static int bind_to(struct serve *s, const struct addrinfo *address)
{
	static const int on = 1;
	struct sockaddr_storage bound;
	socklen_t len = sizeof(bound);

	s->listener = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0 || setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(s->listener, address->ai_addr, address->ai_addrlen) != 0 || listen(s->listener, BACKLOG) != 0 ||
	    getsockname(s->listener, (struct sockaddr *)&bound, &len) != 0)
		return -1;
	s->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
	                                            : ((struct sockaddr_in *)&bound)->sin_port);
	return 0;
}

static int open_listener(struct serve *s, const struct serve_options *o, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct addrinfo *address;
	char port[PORT_SIZE];

	snprintf(port, sizeof(port), "%u", (unsigned)o->port);
	int code = getaddrinfo(o->address, port, &hints, &address);
	if (code != 0)
		return err_set(err, ERR_INVALID, "address %s: %s", o->address, gai_strerror(code));
	int result = bind_to(s, address);
	if (result != 0)
		err_set(err, ERR_UNAVAILABLE, "%s port %u: %s", o->address, (unsigned)o->port, strerror(errno));
	freeaddrinfo(address);
	return result;
}

struct serve *serve_new(const struct serve_options *options, const struct serve_handlers *handlers, struct err *err)
{
	struct serve *s = mem_new(sizeof(*s));

	*s = (struct serve){
		.owner = *handlers,
		.handlers = { .ctx = s, .on_request = pass_request, .on_frame = pass_frame, .on_closed = pass_closed },
		.listener = -1,
	};
	s->context = tls_context_new(options, err);
	if (!s->context || open_listener(s, options, err) != 0) {
		serve_free(s);
		return NULL;
	}
	/* OpenSSL writes to sockets without MSG_NOSIGNAL. */
	signal(SIGPIPE, SIG_IGN);
	return s;
}

static void remove_conn(struct serve *s, struct conn *c)
{
	DL_DELETE(s->conns, c);
	s->count--;
	conn_free(c);
}

void serve_free(struct serve *s)
{
	if (!s)
		return;
	while (s->conns)
		remove_conn(s, s->conns);
	if (s->listener >= 0)
		close(s->listener);
	SSL_CTX_free(s->context);
	free(s->polled);
	free(s);
}

uint16_t serve_port(const struct serve *s)
{
	return s->port;
}

/* Those who came first; the others wait in the kernel's line. */
static void let_in(struct serve *s)
{
	static const int on = 1;

	while (s->count < CONNS_MAX) {
		/* cppcheck-suppress nullPointer ; accept4() takes NULL: it is not asked who comes */
		int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			s->is_out_of_files = errno == EMFILE || errno == ENFILE;
			return;
		}
		/* An answer is written in one piece: to wait for more would only delay it. */
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		struct conn *c = conn_new(s->context, fd, &s->handlers);
		if (!c)
			return;
		DL_APPEND(s->conns, c);
		s->count++;
	}
}

static size_t fill_polled(struct serve *s, int wake_fd)
{
	bool is_closed = s->is_out_of_files || s->count >= CONNS_MAX;
	const struct conn *c;
	size_t count = 0;

	s->is_out_of_files = false;
	if (s->polled_room < s->count + 2) {
		s->polled_room = 2 * (s->count + 2);
		free(s->polled);
		s->polled = mem_new(s->polled_room * sizeof(*s->polled));
	}
	s->polled[count++] = (struct pollfd){ .fd = is_closed ? -1 : s->listener, .events = POLLIN };
	s->polled[count++] = (struct pollfd){ .fd = wake_fd, .events = POLLIN };
	DL_FOREACH(s->conns, c)
		s->polled[count++] = (struct pollfd){ .fd = c->fd, .events = conn_events(c) };
	return count;
}

/* Everybody's turn: what the owner has written since goes out, and who has left is removed. */
static void turn_all(struct serve *s)
{
	struct conn *c, *next;

	DL_FOREACH(s->conns, c)
		conn_turn(c);
	DL_FOREACH_SAFE(s->conns, c, next)
		if (c->phase == CONN_GONE)
			remove_conn(s, c);
}

static int until_deadline(const struct serve *s, int timeout_ms)
{
	int64_t now = clock_steady_ms(), left = timeout_ms < 0 ? INT32_MAX : timeout_ms;
	const struct conn *c;

	DL_FOREACH(s->conns, c)
		if (c->deadline != INT64_MAX && c->deadline - now < left)
			left = c->deadline > now ? c->deadline - now : 0;
	return (int)left;
}

void serve_step(struct serve *s, int timeout_ms, int wake_fd)
{
	struct conn *c;
	size_t i = 2;

	s->has_called = false;
	turn_all(s);
	size_t count = fill_polled(s, wake_fd);
	/* Who was called may have had something to say, or have something else to do now. */
	int wait_ms = s->has_called ? 0 : until_deadline(s, timeout_ms);
	if (poll(s->polled, count, wait_ms) <= 0)
		return;
	DL_FOREACH(s->conns, c)
		conn_read(c, s->polled[i++].revents);
	if (s->polled[0].revents)
		let_in(s);
	turn_all(s);
}
