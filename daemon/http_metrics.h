/* SPDX-License-Identifier: Apache-2.0 */
/* The page of metrics. */
#ifndef DAEMON_HTTP_METRICS_H
#define DAEMON_HTTP_METRICS_H

#include "base/text.h"
#include "daemon/exposition.h"
#include "daemon/http.h"
#include "daemon/slot.h"

/* Appends all slots' batches and the service's own. *ret_dropped: samples that were there twice. 0, -ENOMEM;
 * the page's own memory is the page's error. */
int http_metrics_render(
        struct slots *slots, const struct http_callbacks *callbacks, struct buf *page, size_t *ret_dropped);

#endif
