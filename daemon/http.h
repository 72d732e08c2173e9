/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server: the only file that knows libmicrohttpd. Reads no hardware: /metrics suspends the request,
 * joins the collectors' shared pass, and answers when it is done or the deadline is near. */
#ifndef DAEMON_HTTP_H
#define DAEMON_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "daemon/collector.h"

struct http;
struct web;

struct http_options {
        const char *const *listen_addresses; /* "host:port" or ":port"; several */
        size_t n_listen_addresses;
        int listen_fd;               /* from socket activation; -1: none. Then listen_addresses is not used */
        const char *telemetry_path;  /* "/metrics" */
        uint64_t scrape_timeout_ns;  /* without X-Prometheus-Scrape-Timeout-Seconds; that header less a margin
                                        wins */
        uint64_t request_timeout_ns; /* for the whole of a request to arrive: 10 s */
        unsigned per_address_limit;  /* connections at once; 32 */
        unsigned connection_limit;   /* in all; 256 */
        unsigned max_requests;       /* scrapes at once; 0: no limit */
        uint64_t max_series;         /* of a page; 0: no limit */
        bool allow_reload;           /* POST /-/reload */
        struct web *web; /* TLS and passwords (daemon/web.h), outlives the server; NULL: neither */
};

/* What the server asks of the daemon; called on the HTTP thread, must not block. */
struct http_callbacks {
        void *context;
        /* Appends the page's own batches (service metrics) beside the slots': one reference, or NULL. */
        struct batch *(*service_batch)(void *context);
        bool (*ready)(void *context);
        void (*reload)(void *context);                        /* asks for a reload; does not wait for it */
        void (*status_page)(void *context, struct buf *html); /* body of "/" */
};

struct http_stats {
        uint64_t requests_total[6];                 /* by first digit of the status: [2], [4], [5] … */
        uint64_t scrapes_total, scrapes_late_total; /* late: answered before all sources were done */
        uint64_t scrapes_refused_total;             /* by max_requests */
        uint64_t duplicate_samples_total, timed_out_total;
        unsigned connections;
};

/* 0; -errno with a sentence in why (address in use, permission, bad address). */
int http_new(const struct http_options *o, const struct http_callbacks *cb, struct slots *slots,
        struct collectors *collectors, struct http **ret, char *why, size_t why_size);
/* The port actually bound (port 0 in tests), of the first address. */
uint16_t http_port(const struct http *h);
/* To be called about once a second by the main loop: ends requests that took longer than their total. */
void http_tick(struct http *h);
void http_stats_get(struct http *h, struct http_stats *ret);
void http_set_max_series(struct http *h, uint64_t max);
/* True when the families left out of pages for want of series have changed since it was last asked; then their
 * names are appended, ", " between, or nothing when all are shown again. */
bool http_dropped(struct http *h, struct buf *ret);
/* Resumes and answers what is waiting, then stops. NULL is fine. */
void http_free(struct http *h);

#endif
