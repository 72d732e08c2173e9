/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth of RC RDMA writes to a peer. The signal leaves out the first and the last sixteenth of the run,
 * so that filling and draining the queues do not count as the path's. */
#include "base/scope.h"
#include "probes/active.h"

static const struct option options[] = {
        ACTIVE_OPTIONS,
        {
                .key = "queue_pairs",
                .kind = OPTION_U64,
                .offset = offsetof(struct active_config, queue_pairs),
                .fallback = "0",
                .max = 16,
                .help = "queue pairs used at once (0: by device class)",
        },
        {
                .key = "bytes",
                .kind = OPTION_SIZE,
                .offset = offsetof(struct active_config, bytes),
                .fallback = "0",
                .max = UINT64_C(1) << 40,
                .help = "traffic of one turn ends after this many bytes (0: no such limit; with neither "
                        "bytes nor duration: by device class)",
        },
};

static void run(void *state, uint64_t deadline_ns, const atomic_bool *cancel, struct outcome *ret)
{
        struct result r;

        result_init(&r);
        if (active_measure(state, MEASURE_BANDWIDTH, deadline_ns, cancel, &r, ret))
                outcome_add_signal(
                        ret, SIGNAL_BANDWIDTH, r.steady_bps > 0 ? r.steady_bps : r.average_bps, r.messages);
        result_done(&r);
}

const struct source_class source_rdma_bandwidth = {
        .name = "rdma_bandwidth",
        .summary = "Bandwidth of RDMA writes over reliable connections to each peer.",
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
