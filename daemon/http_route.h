/* SPDX-License-Identifier: Apache-2.0 */
/* What a request asks for, and whether it may. Pure. */
#ifndef DAEMON_HTTP_ROUTE_H
#define DAEMON_HTTP_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

enum http_endpoint {
        HTTP_METRICS, /* at the telemetry path */
        HTTP_LANDING,
        HTTP_HEALTHY,
        HTTP_READY,
        HTTP_RELOAD,
        N_HTTP_ENDPOINTS, /* none */
};

/* The values of header fields; NULL: not there. */
struct http_head {
        const char *method, *path;
        const char *content_length, *transfer_encoding;
};

enum http_endpoint http_find(const char *path, const char *telemetry_path);
/* 200: go on; else the status to answer with: 404, 405, 413 (a body, which nothing here takes), 403. */
unsigned http_check(enum http_endpoint endpoint, const struct http_head *head, bool allow_reload);
/* What goes with such a status, and with 401 and 429: a body, and a header field (NULL: none). */
struct http_refusal {
        const char *text, *field, *value;
};

struct http_refusal http_refuse(enum http_endpoint endpoint, unsigned status);

/* How long a scrape may take: what X-Prometheus-Scrape-Timeout-Seconds says (NULL: not there) less a margin
 * for the way back, a tenth but at most half a second. fallback_ns when it says nothing sensible, which is a
 * plain decimal number from 0.01 to 600. */
uint64_t http_scrape_timeout_ns(const char *header, uint64_t fallback_ns);

#endif
