/* SPDX-License-Identifier: Apache-2.0 */
/* Latency of small RC RDMA writes to a peer: half of the round trip of a ping-pong, median and 99th
 * percentile over every message. */
#include "base/scope.h"
#include "probes/active.h"

static const struct option options[] = {
        ACTIVE_OPTIONS,
        {
                .key = "messages",
                .kind = OPTION_U64,
                .offset = offsetof(struct active_config, messages),
                .fallback = "0",
                .max = 1000000,
                .help = "traffic of one turn ends after this many messages (0: no such limit; with neither "
                        "messages nor duration: by device class)",
        },
};

static void run(void *state, uint64_t deadline_ns, const atomic_bool *cancel, struct outcome *ret)
{
        struct result r;

        result_init(&r);
        if (active_measure(state, MEASURE_LATENCY, deadline_ns, cancel, &r, ret) && r.latency.count > 0) {
                double ns_per_second = (double)NS_PER_SEC;

                outcome_add_signal(
                        ret, SIGNAL_LATENCY_P50, (double)r.latency.p50_ns / ns_per_second, r.latency.count);
                outcome_add_signal(
                        ret, SIGNAL_LATENCY_P99, (double)r.latency.p99_ns / ns_per_second, r.latency.count);
        }
        result_done(&r);
}

const struct source_class source_rdma_latency = {
        .name = "rdma_latency",
        .summary = "Latency of small RDMA writes over reliable connections to each peer.",
        .trigger = TRIGGER_TIMER,
        .scope = SCOPE_PAIR,
        .options = options,
        .n_options = ARRAY_SIZE(options),
        .config_size = sizeof(struct active_config),
        .create = active_create,
        .interval_ns = active_interval_ns,
        .timeout_ns = active_timeout_ns,
        .run = run,
        .destroy = active_destroy,
};
