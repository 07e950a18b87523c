/* RFC 3339 timestamps <-> milliseconds since 1970 UTC. Reads no clock. */
#pragma once

#include <stdint.h>

#define TIME_TEXT_MAX 32

/* "2026-11-30T22:36:32Z", with ".123" only when there are milliseconds (Kubernetes' metav1.Time has none). */
void time_format(int64_t ms, char out[TIME_TEXT_MAX]);
/* Always six digits after the second (metav1.MicroTime, which events.k8s.io/v1 wants). */
void time_format_micro(int64_t ms, char out[TIME_TEXT_MAX]);
/* 0, or -1 when TEXT is no RFC 3339 date-time. Fractions beyond milliseconds are cut. */
int time_parse(const char *text, int64_t *ret_ms);
