/* SPDX-License-Identifier: Apache-2.0 */
/* Outcome and totals → samples. */
#include <assert.h>

#include "base/clock.h"
#include "base/scope.h"
#include "probes/outcome.h"
#include "probes/outcome_families.h"

#define PAIR_LABELS "probe", "device", "rail", "peer"

/* 1-1.5-2-3-5-7 in each decade: no bucket is wider than half its lower bound. Seconds. */
static const double latency_bounds[] = {
        1e-6,
        1.5e-6,
        2e-6,
        3e-6,
        5e-6,
        7e-6,
        1e-5,
        1.5e-5,
        2e-5,
        3e-5,
        5e-5,
        7e-5,
        1e-4,
        1.5e-4,
        2e-4,
        3e-4,
        5e-4,
        7e-4,
        1e-3,
        1.5e-3,
        2e-3,
        3e-3,
        5e-3,
        7e-3,
        1e-2,
        1.5e-2,
        2e-2,
        3e-2,
        5e-2,
        7e-2,
        1e-1,
};

const struct metric_family outcome_families[] = {
        [PROBE_SUCCESS] = {
                .name = "rdma_canary_probe_success", .type = METRIC_GAUGE,
                .help = "Whether the last turn that tells something of the path (not busy, not cancelled) "
                        "succeeded: 1 yes, 0 no. A success is withdrawn after three intervals without another "
                        "such turn; a failure stays.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_ATTEMPTS] = {
                .name = "rdma_canary_probe_attempts_total", .type = METRIC_COUNTER,
                .help = "Turns of this probe.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_FAILURES] = {
                .name = "rdma_canary_probe_failures_total", .type = METRIC_COUNTER,
                .help = "Turns that did not succeed, by reason: local (this host), busy (a port was taken; "
                        "says nothing of the path), refused (the peer does not want it), peer (unreachable "
                        "or silent), traffic (completion with error), cancelled (stopped by this service).",
                .labels = { PAIR_LABELS, "reason" },
        },
        [PROBE_INVALID] = {
                .name = "rdma_canary_probe_invalid_total", .type = METRIC_COUNTER,
                .help = "Successful turns whose values are no evidence: cut short by the deadline, or the "
                        "clock was set meanwhile.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_LAST_RUN] = {
                .name = "rdma_canary_probe_last_run_timestamp_seconds", .type = METRIC_GAUGE,
                .help = "When the last turn began; values are those of that time, not of the scrape.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_LAST_SUCCESS] = {
                .name = "rdma_canary_probe_last_success_timestamp_seconds", .type = METRIC_GAUGE,
                .help = "When the last successful turn began; absent before the first.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_LAST_STAGE] = {
                .name = "rdma_canary_probe_last_stage", .type = METRIC_GAUGE,
                .help = "The last stage that was completed in the turn that success is about: 0 start, "
                        "1 resolve, 2 connect, 3 hello, 4 address, 5 device, 6 admit, 7 ready, 8 traffic, "
                        "9 report, 10 done.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_DURATION] = {
                .name = "rdma_canary_probe_duration_seconds", .type = METRIC_GAUGE,
                .help = "How long the turn that success is about took, connection set-up included.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_TRANSMITTED_BYTES] = {
                .name = "rdma_canary_probe_transmitted_bytes_total", .type = METRIC_COUNTER,
                .help = "Payload this probe put on the wire, warm-up included: subtract it from the port's "
                        "counters to see the traffic of others.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_MESSAGES] = {
                .name = "rdma_canary_probe_messages_total", .type = METRIC_COUNTER,
                .help = "Measured messages that were acknowledged by the peer.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_BANDWIDTH] = {
                .name = "rdma_canary_probe_bandwidth_bytes_per_second", .type = METRIC_GAUGE,
                .help = "Payload bandwidth of the last turn, without its first and last sixteenth where it "
                        "was long enough to tell; absent when that turn failed.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_LATENCY_P50] = {
                .name = "rdma_canary_probe_latency_p50_seconds", .type = METRIC_GAUGE,
                .help = "Median latency over all messages of the last turn, half of the round trip; absent "
                        "when that turn failed.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_LATENCY_P99] = {
                .name = "rdma_canary_probe_latency_p99_seconds", .type = METRIC_GAUGE,
                .help = "99th percentile of latency over all messages of the last turn, half of the round "
                        "trip; absent when that turn failed.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_PATH_INFO] = {
                .name = "rdma_canary_probe_path_info", .type = METRIC_GAUGE,
                .help = "Who answered in the last successful turn: the peer's own node name and its device. "
                        "Always 1.",
                .labels = { PAIR_LABELS, "peer_node", "peer_device" },
        },
        [PROBE_MTU] = {
                .name = "rdma_canary_probe_mtu_bytes", .type = METRIC_GAUGE,
                .help = "Path MTU the last turn used: the smaller of both ports' active MTUs.",
                .labels = { PAIR_LABELS },
        },
        [PROBE_LATENCY] = {
                .name = "rdma_canary_probe_latency_seconds", .type = METRIC_HISTOGRAM,
                .help = "Latency of every measured message to all peers, half of the round trip.",
                .labels = { "probe", "device" },
                .bounds = latency_bounds, .n_bounds = ARRAY_SIZE(latency_bounds),
        },
        [PROBE_STAGE_FAILURES] = {
                .name = "rdma_canary_probe_stage_failures_total", .type = METRIC_COUNTER,
                .help = "Turns to all peers that failed (not busy, not cancelled), by the last stage that "
                        "was completed.",
                .labels = { "probe", "device", "stage" },
        },
};
static_assert(ARRAY_SIZE(outcome_families) == N_OUTCOME_FAMILIES, "a family for every position");
const size_t n_outcome_families = N_OUTCOME_FAMILIES;

static const enum outcome_family signal_families[] = {
        [SIGNAL_BANDWIDTH] = PROBE_BANDWIDTH,
        [SIGNAL_LATENCY_P50] = PROBE_LATENCY_P50,
        [SIGNAL_LATENCY_P99] = PROBE_LATENCY_P99,
};
static_assert(ARRAY_SIZE(signal_families) == N_SIGNALS, "a family for every signal");

static double seconds(uint64_t ns)
{
        return (double)ns / (double)NS_PER_SEC;
}

static bool tells_nothing(const struct outcome *o)
{
        return o->fault.kind == OUTCOME_BUSY || o->fault.kind == OUTCOME_CANCELLED;
}

static void render_totals(const struct probe_labels *l, const struct probe_totals *t, struct batch *b)
{
        const char *const *pair = LABELS(l->probe, l->device, l->rail, l->peer);

        batch_add_u64(b, &outcome_families[PROBE_ATTEMPTS], pair, t->attempts);
        batch_add_u64(b, &outcome_families[PROBE_INVALID], pair, t->invalid);
        batch_add_u64(b, &outcome_families[PROBE_TRANSMITTED_BYTES], pair, t->own_bytes);
        batch_add_u64(b, &outcome_families[PROBE_MESSAGES], pair, t->messages);
        if (t->last_success_realtime_ns > 0)
                batch_add_double(
                        b, &outcome_families[PROBE_LAST_SUCCESS], pair, seconds(t->last_success_realtime_ns));
        /* All of them from the start: a series that appears with 1 has no increase. */
        for (enum outcome_kind k = OUTCOME_OK + 1; k < N_OUTCOME_KINDS; k++)
                batch_add_u64(b, &outcome_families[PROBE_FAILURES],
                        LABELS(l->probe, l->device, l->rail, l->peer, outcome_kind_name(k)), t->failures[k]);
}

static void render_values(const struct probe_labels *l, const struct outcome *o, struct batch *b)
{
        const char *const *pair = LABELS(l->probe, l->device, l->rail, l->peer);

        for (size_t i = 0; i < o->n_signals; i++)
                batch_add_double(
                        b, &outcome_families[signal_families[o->signals[i].id]], pair, o->signals[i].value);
        batch_add_u64(b, &outcome_families[PROBE_PATH_INFO],
                LABELS(l->probe, l->device, l->rail, l->peer, o->peer_node, o->peer_device), 1);
        if (o->mtu_bytes > 0)
                batch_add_u64(b, &outcome_families[PROBE_MTU], pair, o->mtu_bytes);
}

void outcome_render(const struct probe_labels *labels, const struct probe_totals *totals,
        const struct outcome *previous, const struct outcome *last, struct batch *b)
{
        const char *const *pair = LABELS(labels->probe, labels->device, labels->rail, labels->peer);
        const struct outcome *telling = tells_nothing(last) ? previous : last;

        render_totals(labels, totals, b);
        batch_add_double(b, &outcome_families[PROBE_LAST_RUN], pair, seconds(last->started_realtime_ns));
        if (!telling)
                return;
        batch_add_u64(b, &outcome_families[PROBE_SUCCESS], pair, telling->fault.kind == OUTCOME_OK);
        batch_add_u64(b, &outcome_families[PROBE_LAST_STAGE], pair, telling->stage);
        batch_add_double(b, &outcome_families[PROBE_DURATION], pair, seconds(telling->duration_ns));
        if (telling->fault.kind == OUTCOME_OK)
                render_values(labels, telling, b);
}
