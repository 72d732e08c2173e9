/* SPDX-License-Identifier: Apache-2.0 */
/* The page of metrics: all slots' batches and the service's own. Thread-safe: pages are made one at a time. */
#ifndef DAEMON_HTTP_METRICS_H
#define DAEMON_HTTP_METRICS_H

#include "base/text.h"
#include "daemon/exposition.h"
#include "daemon/http.h"
#include "daemon/slot.h"

struct http_metrics;

/* callbacks and slots must live as long. 0, -ENOMEM. */
int http_metrics_new(struct slots *slots, const struct http_callbacks *callbacks, struct http_metrics **ret);
void http_metrics_free(struct http_metrics *m);                         /* NULL is fine */
void http_metrics_set_max_series(struct http_metrics *m, uint64_t max); /* 0: no limit */
/* Appends. *ret_duplicates: samples that were there twice. 0, -ENOMEM; the page's own memory is the page's
 * error. */
int http_metrics_render(struct http_metrics *m, enum exposition_format format, bool gzip, struct buf *page,
        size_t *ret_duplicates);
/* As http_dropped(). */
bool http_metrics_dropped(struct http_metrics *m, struct buf *ret);

#endif
