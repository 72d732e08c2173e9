/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/service_families.h"

#include <assert.h>

#include "base/scope.h"

/* No counter may differ from another family only by _total: OpenMetrics names a counter without it. */
const struct metric_family service_families[] = {
        [FAMILY_NODE_INFO] = {
                .name = "rdma_canary_node_info", .type = METRIC_GAUGE,
                .help = "Always 1; the name under which the peers of this host know it, to join peer and instance.",
                .labels = { "node" },
        },
        [FAMILY_CONFIG_RELOAD_SUCCESSFUL] = {
                .name = "rdma_canary_config_last_reload_successful", .type = METRIC_GAUGE,
                .help = "Whether the last load of the configuration succeeded; 0: an older one is in use.",
        },
        [FAMILY_CONFIG_RELOAD_TIMESTAMP] = {
                .name = "rdma_canary_config_last_reload_success_timestamp_seconds", .type = METRIC_GAUGE,
                .help = "When the configuration in use was loaded, in seconds since the epoch.",
        },
        [FAMILY_SOURCE_SUCCESS] = {
                .name = "rdma_canary_source_success", .type = METRIC_GAUGE,
                .help = "Whether all that this source reads was read for this scrape, by its deadline.",
                .labels = { "source", "device" },
        },
        [FAMILY_SOURCE_DURATION] = {
                .name = "rdma_canary_source_duration_seconds", .type = METRIC_GAUGE,
                .help = "How long the last run of this source that ended took.",
                .labels = { "source", "device" },
        },
        [FAMILY_SOURCE_OVERDUE] = {
                .name = "rdma_canary_source_overdue_seconds", .type = METRIC_GAUGE,
                .help = "How long past its deadline a run of this source is held up in the kernel; 0 when none is.",
                .labels = { "source", "device" },
        },
        [FAMILY_SOURCE_FAILURES] = {
                .name = "rdma_canary_source_failures_total", .type = METRIC_COUNTER,
                .help = "Runs of this source that failed, missed their deadline, or found no free worker.",
                .labels = { "source", "device" },
        },
        [FAMILY_COLLECTOR_WORKERS] = {
                .name = "rdma_canary_collector_workers", .type = METRIC_GAUGE,
                .help = "Threads that run sources for scrapes, those held up in the kernel included.",
        },
        [FAMILY_PROBE_LATENESS] = {
                .name = "rdma_canary_probe_lateness_seconds", .type = METRIC_GAUGE,
                .help = "How late against its schedule the last turn of this probe started.",
                .labels = { "probe", "device", "peer" },
        },
        [FAMILY_PROBE_TURNS] = {
                .name = "rdma_canary_probe_turns_total", .type = METRIC_COUNTER,
                .help = "Turns of this probe that were started.",
                .labels = { "probe", "device", "peer" },
        },
        [FAMILY_PROBE_STUCK] = {
                .name = "rdma_canary_probe_stuck_seconds", .type = METRIC_GAUGE,
                .help = "How long past its deadline the turn under way of this probe is; 0 when it is not.",
                .labels = { "probe", "device", "peer" },
        },
        [FAMILY_HTTP_REQUESTS] = {
                .name = "rdma_canary_http_requests_total", .type = METRIC_COUNTER,
                .help = "HTTP requests answered, by class of the status code.",
                .labels = { "code" },
        },
        [FAMILY_HTTP_SCRAPES] = {
                .name = "rdma_canary_http_scrapes_total", .type = METRIC_COUNTER,
                .help = "Pages of metrics made.",
        },
        [FAMILY_HTTP_LATE_SCRAPES] = {
                .name = "rdma_canary_http_late_scrapes_total", .type = METRIC_COUNTER,
                .help = "Pages of metrics made at their deadline, before all sources had been read.",
        },
        [FAMILY_HTTP_REFUSED_SCRAPES] = {
                .name = "rdma_canary_http_refused_scrapes_total", .type = METRIC_COUNTER,
                .help = "Scrapes refused because as many as --web.max-requests allows were being served.",
        },
        [FAMILY_HTTP_TIMED_OUT] = {
                .name = "rdma_canary_http_timed_out_connections_total", .type = METRIC_COUNTER,
                .help = "HTTP connections ended because a request took too long to arrive or an answer to be taken.",
        },
        [FAMILY_HTTP_CONNECTIONS] = {
                .name = "rdma_canary_http_open_connections", .type = METRIC_GAUGE,
                .help = "HTTP connections now.",
        },
        [FAMILY_DUPLICATE_SAMPLES] = {
                .name = "rdma_canary_duplicate_samples_total", .type = METRIC_COUNTER,
                .help = "Samples left out of pages because two sources gave the same family and labels.",
        },
        [FAMILY_DROPPED_SERIES] = {
                .name = "rdma_canary_dropped_series", .type = METRIC_GAUGE,
                .help = "Series of this family left out of this page because of metrics.max_series; absent when none are.",
                .labels = { "family" },
        },
        [FAMILY_RESPONDER_CONNECTIONS] = {
                .name = "rdma_canary_responder_connections_total", .type = METRIC_COUNTER,
                .help = "Control connections accepted from other hosts.",
        },
        [FAMILY_RESPONDER_SESSIONS] = {
                .name = "rdma_canary_responder_sessions_total", .type = METRIC_COUNTER,
                .help = "Measurements served to other hosts.",
        },
        [FAMILY_RESPONDER_REFUSALS] = {
                .name = "rdma_canary_responder_refusals_total", .type = METRIC_COUNTER,
                .help = "Measurements refused to other hosts: unknown peer, busy, limits, version.",
        },
        [FAMILY_RESPONDER_MALFORMED] = {
                .name = "rdma_canary_responder_malformed_total", .type = METRIC_COUNTER,
                .help = "Control connections ended because what came was not of the protocol.",
        },
        [FAMILY_RESPONDER_RECEIVED] = {
                .name = "rdma_canary_responder_received_bytes_total", .type = METRIC_COUNTER,
                .help = "Payload bytes other hosts sent to this one by RDMA in measurements.",
        },
        [FAMILY_RESPONDER_ACTIVE_SESSIONS] = {
                .name = "rdma_canary_responder_active_sessions", .type = METRIC_GAUGE,
                .help = "Measurements being served to other hosts now.",
        },
        [FAMILY_INBOUND_MEASUREMENTS] = {
                .name = "rdma_canary_inbound_measurements_total", .type = METRIC_COUNTER,
                .help = "Measurements that the peer has completed towards this host's device.",
                .labels = { "device", "peer", "measure" },
        },
        [FAMILY_INBOUND_TIMESTAMP] = {
                .name = "rdma_canary_inbound_last_timestamp_seconds", .type = METRIC_GAUGE,
                .help = "When the peer's last completed measurement towards this host ended.",
                .labels = { "device", "peer", "measure" },
        },
        [FAMILY_INBOUND_BANDWIDTH] = {
                .name = "rdma_canary_inbound_bandwidth_bytes_per_second", .type = METRIC_GAUGE,
                .help = "Payload bandwidth from the peer to this host in the last measurement, as the peer says; "
                        "absent when that is over 5 minutes ago.",
                .labels = { "device", "peer" },
        },
        [FAMILY_INBOUND_LATENCY_P50] = {
                .name = "rdma_canary_inbound_latency_p50_seconds", .type = METRIC_GAUGE,
                .help = "Median latency from the peer to this host in the last measurement, as the peer says; "
                        "absent when that is over 5 minutes ago.",
                .labels = { "device", "peer" },
        },
        [FAMILY_INBOUND_LATENCY_P99] = {
                .name = "rdma_canary_inbound_latency_p99_seconds", .type = METRIC_GAUGE,
                .help = "99th percentile of latency from the peer to this host in the last measurement, as the "
                        "peer says; absent when that is over 5 minutes ago.",
                .labels = { "device", "peer" },
        },
        [FAMILY_TEARDOWN_PENDING] = {
                .name = "rdma_canary_teardown_pending", .type = METRIC_GAUGE,
                .help = "Queue pairs and contexts of this device given to the kernel for destruction and not gone yet.",
                .labels = { "device" },
        },
        [FAMILY_TEARDOWN_OLDEST] = {
                .name = "rdma_canary_teardown_oldest_seconds", .type = METRIC_GAUGE,
                .help = "Age of the oldest destruction still pending on this device; 0 when none is.",
                .labels = { "device" },
        },
        [FAMILY_TEARDOWN_STUCK] = {
                .name = "rdma_canary_teardown_stuck", .type = METRIC_GAUGE,
                .help = "Whether a destruction is held up in the kernel, so that this device gets no new queue pairs.",
                .labels = { "device" },
        },
        [FAMILY_TEARDOWNS] = {
                .name = "rdma_canary_teardowns_total", .type = METRIC_COUNTER,
                .help = "Destructions of queue pairs and contexts of this device that ended.",
                .labels = { "device" },
        },
};

const size_t n_service_families = ARRAY_SIZE(service_families);
static_assert(ARRAY_SIZE(service_families) == N_SERVICE_FAMILIES, "one row for each family");
