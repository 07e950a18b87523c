/*
 * Gets the rest of an answer out of libcurl. In 7.88 (Debian 12), what is read on behalf of one answer can fill the buffer of
 * another. If that was its end, libcurl notices when something more comes on the connection, and until then says that there
 * is nothing to do. So when an answer stops in the middle, the server is asked for its version. Where it is the network that
 * is slow, that does no harm.
 */
#pragma once

#include <stdint.h>

/* An answer that has begun and of which nothing came for so long has stopped. */
#define NUDGE_AFTER_MS 100
#define NUDGE_PATH "/version" /* who is logged in may read it (Kubernetes: ClusterRole system:public-info-viewer) */

struct http;

/* Asks if it is time to, one question at once. */
void nudge_step(struct http *h);
/* When that is (clock_steady_ms()); INT64_MAX: nothing has stopped. */
int64_t nudge_deadline(const struct http *h);
