/* SPDX-License-Identifier: Apache-2.0 */
/* The families of the service's own metrics, by one enum. */
#ifndef DAEMON_SERVICE_FAMILIES_H
#define DAEMON_SERVICE_FAMILIES_H

#include <stddef.h>

#include "base/metric.h"

enum service_family {
        FAMILY_NODE_INFO,
        FAMILY_CONFIG_RELOAD_SUCCESSFUL,
        FAMILY_CONFIG_RELOAD_TIMESTAMP,
        FAMILY_SOURCE_SUCCESS,
        FAMILY_SOURCE_DURATION,
        FAMILY_SOURCE_OVERDUE,
        FAMILY_SOURCE_FAILURES,
        FAMILY_COLLECTOR_WORKERS,
        FAMILY_PROBE_LATENESS,
        FAMILY_PROBE_TURNS,
        FAMILY_PROBE_STUCK,
        FAMILY_HTTP_REQUESTS,
        FAMILY_HTTP_SCRAPES,
        FAMILY_HTTP_LATE_SCRAPES,
        FAMILY_HTTP_TIMED_OUT,
        FAMILY_HTTP_CONNECTIONS,
        FAMILY_DUPLICATE_SAMPLES,
        FAMILY_RESPONDER_CONNECTIONS,
        FAMILY_RESPONDER_SESSIONS,
        FAMILY_RESPONDER_REFUSALS,
        FAMILY_RESPONDER_MALFORMED,
        FAMILY_RESPONDER_RECEIVED,
        FAMILY_RESPONDER_ACTIVE_SESSIONS,
        FAMILY_TEARDOWN_PENDING,
        FAMILY_TEARDOWN_OLDEST,
        FAMILY_TEARDOWN_STUCK,
        FAMILY_TEARDOWNS,
        N_SERVICE_FAMILIES,
};

extern const struct metric_family service_families[]; /* by enum service_family */
extern const size_t n_service_families;

#endif
