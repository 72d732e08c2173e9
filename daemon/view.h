/* SPDX-License-Identifier: Apache-2.0 */
/* What the main thread lets the HTTP thread see of its own state: copies under one lock. Thread-safe. */
#ifndef DAEMON_VIEW_H
#define DAEMON_VIEW_H

#include "base/text.h"
#include "daemon/service_metrics.h"

struct view;

int view_new(const char *node, struct view **ret);
void view_free(struct view *v);

/* Main thread. Copies; without memory the former ones stay. */
void view_set_lanes(struct view *v, const struct lane_state *lanes, size_t n);
void view_set_counts(struct view *v, size_t devices, size_t peers, size_t probes, size_t failing);
void view_set_reload(struct view *v, bool successful, uint64_t realtime_ns);
void view_set_ready(struct view *v, bool ready);

/* Any thread. Where the rest of the page's own numbers come from; members may be NULL. */
struct view_parts {
        struct collectors *collectors;
        struct http *http;
        struct responder *responder;
        struct engine *engine;
};

struct batch *view_batch(struct view *v, const struct view_parts *parts);
bool view_ready(struct view *v);
void view_status_page(struct view *v, struct buf *html);

#endif
