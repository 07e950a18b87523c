#include "net.h"

#include "controller/clock.h"
#include "controller/mem.h"
#include "exec.h"
#include "http.h"
#include "random.h"

struct net {
	struct endpoint endpoint;
	struct http http;
	struct execs execs;
	struct world world;
};

static int64_t net_now(void *self)
{
	(void)self;
	return clock_wall_ms();
}

static void *net_request(void *self, const struct request *r)
{
	struct net *net = self;

	return http_request(&net->http, r);
}

static void net_cancel(void *self, void *handle)
{
	(void)self;
	http_cancel(handle);
}

static void net_exec(void *self, const struct exec_request *r)
{
	struct net *net = self;

	execs_add(&net->execs, r);
}

static uint32_t net_random(void *self)
{
	uint32_t number;

	(void)self;
	random_fill(&number, sizeof(number));
	return number;
}

struct net *net_new(struct credentials *credentials, struct err *err)
{
	struct net *net = mem_new(sizeof(*net));

	easy_check(curl_global_init(CURL_GLOBAL_DEFAULT));
	if (endpoint_init(&net->endpoint, credentials, err) < 0) {
		curl_global_cleanup();
		free(net);
		return NULL;
	}
	http_init(&net->http, &net->endpoint);
	execs_init(&net->execs, &net->endpoint);
	net->world = (struct world){
		.self = net,
		.now = net_now,
		.request = net_request,
		.cancel = net_cancel,
		.exec = net_exec,
		.random = net_random,
	};
	return net;
}

const struct world *net_world(const struct net *net)
{
	return &net->world;
}

static bool step(struct net *net)
{
	credentials_refresh(net->endpoint.credentials, clock_steady_ms(), false);
	bool http = http_step(&net->http), execs = execs_step(&net->execs);

	return http || execs;
}

/* As curl_multi_poll() wants it: a deadline that has passed is 0. */
static int wait_ms(const struct net *net, int64_t timeout_ms)
{
	int64_t http = http_deadline(&net->http), execs = execs_deadline(&net->execs);
	int64_t first = http < execs ? http : execs, credentials = credentials_deadline(net->endpoint.credentials);
	int64_t now = clock_steady_ms();

	if (credentials < first)
		first = credentials;
	if (first < INT64_MAX && first - now < timeout_ms)
		timeout_ms = first - now;
	if (timeout_ms < 0)
		return 0;
	return timeout_ms < INT32_MAX ? (int)timeout_ms : INT32_MAX;
}

static size_t credentials_sockets(const struct net *net, struct curl_waitfd *sockets)
{
	int fds[CREDENTIALS_FDS_MAX];
	size_t count = credentials_descriptors(net->endpoint.credentials, fds);

	for (size_t i = 0; i < count; i++)
		sockets[i] = (struct curl_waitfd){ .fd = fds[i], .events = CURL_WAIT_POLLIN };
	return count;
}

bool net_poll(struct net *net, int64_t timeout_ms, int fd)
{
	struct curl_waitfd sockets[1 + CREDENTIALS_FDS_MAX + EXEC_SOCKETS_MAX] = { { .fd = fd,
		                                                                    .events = CURL_WAIT_POLLIN } };

	if (step(net))
		timeout_ms = 0;
	size_t count = 1 + credentials_sockets(net, sockets + 1);
	count += execs_sockets(&net->execs, sockets + count, EXEC_SOCKETS_MAX);
	curl_multi_poll(net->http.multi, sockets, (unsigned)count, wait_ms(net, timeout_ms), NULL);
	step(net);
	return sockets[0].revents != 0;
}

void net_give_back(struct net *net)
{
	http_give_back(&net->http);
	execs_give_back(&net->execs);
}

void net_free(struct net *net)
{
	if (!net)
		return;
	execs_release(&net->execs);
	http_release(&net->http);
	endpoint_release(&net->endpoint);
	curl_global_cleanup();
	free(net);
}
