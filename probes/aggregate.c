/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept per (probe, device) over all peers, so that a histogram costs its series once a device and
 * not once a peer. Owned by the device's lane. */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "probes/outcome.h"
#include "probes/outcome_families.h"

struct probe_aggregate {
        struct histogram latency;
        uint64_t failures[N_STAGES]; /* by the last stage completed */
};

struct probe_aggregate *probe_aggregate_new(void)
{
        return calloc(1, sizeof(struct probe_aggregate));
}

void probe_aggregate_free(struct probe_aggregate *a)
{
        free(a);
}

void probe_aggregate_add(struct probe_aggregate *a, const struct outcome *o)
{
        switch (o->fault.kind) {
        case OUTCOME_OK:
                if (o->latency)
                        histogram_merge(&a->latency, o->latency);
                return;
        case OUTCOME_BUSY:
        case OUTCOME_CANCELLED:
                return;
        default:
                assert(o->stage < N_STAGES);
                a->failures[o->stage]++;
        }
}

static void render_latency(const struct probe_aggregate *a, const char *const *labels, struct batch *b)
{
        const struct metric_family *f = &outcome_families[PROBE_LATENCY];
        uint64_t counts[64], below = 0;

        assert(f->n_bounds < sizeof(counts) / sizeof(counts[0]));
        for (size_t i = 0; i < f->n_bounds; i++) {
                uint64_t bound_ns = (uint64_t)(f->bounds[i] * (double)NS_PER_SEC + 0.5);
                uint64_t up_to = histogram_count_below(&a->latency, bound_ns);

                counts[i] = up_to - below;
                below = up_to;
        }
        counts[f->n_bounds] = a->latency.count - below;
        batch_add_histogram(
                b, f, labels, counts, a->latency.mean * (double)a->latency.count / (double)NS_PER_SEC);
}

void probe_aggregate_render(
        const struct probe_aggregate *a, const char *probe, const char *device, struct batch *b)
{
        if (a->latency.count > 0)
                render_latency(a, LABELS(probe, device), b);
        for (enum stage s = STAGE_START; s < STAGE_DONE; s++)
                batch_add_u64(b, &outcome_families[PROBE_STAGE_FAILURES],
                        LABELS(probe, device, stage_name(s)), a->failures[s]);
}
