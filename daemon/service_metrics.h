/* SPDX-License-Identifier: Apache-2.0 */
/* The service's metrics about itself: one plain description of its state → one batch. Pure. */
#ifndef DAEMON_SERVICE_METRICS_H
#define DAEMON_SERVICE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/batch.h"
#include "daemon/collector.h"
#include "daemon/http.h"
#include "engine/engine.h"

/* One active probe: a class on a device towards a peer. */
struct lane_state {
        const char *source, *device, *peer; /* source: class name; peer: configured name */
        uint64_t lateness_ns;               /* of the last turn that started, against its schedule */
        uint64_t turns_total;               /* started */
        double stuck_seconds;               /* how long past its deadline the turn under way is; 0: none */
};

struct source_series;

/* Strings and arrays are the caller's and only read. */
struct service_state {
        const char *node;
        bool reload_successful;              /* the last load of the config, the one at the start included */
        uint64_t reload_success_realtime_ns; /* of the last that succeeded; 0: none */
        const struct collector_state *collectors;
        size_t n_collectors;
        struct source_series *source_series; /* theirs, from page to page; NULL: not remembered */
        unsigned collector_workers;
        const struct http_stats *http;           /* NULL: no server */
        const struct responder_stats *responder; /* NULL: no responder */
        const struct responder_served *served;
        size_t n_served;
        uint64_t now_realtime_ns; /* values of long ago are left out */
        const struct reaper_state *reapers;
        size_t n_reapers;
        const struct lane_state *lanes;
        size_t n_lanes;
};

/* One reference; NULL: no memory. */
struct batch *service_batch(const struct service_state *s);

#endif
