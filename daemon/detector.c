/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/detector.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "detect/baseline.h"

enum detector_family {
        DETECTOR_SAMPLES,
        DETECTOR_READY,
        DETECTOR_CHANGE,
        DETECTOR_NOISE,
        N_DETECTOR_FAMILIES,
};

#define SERIES_LABELS                                                                                        \
        {                                                                                                    \
                "probe", "device", "rail", "peer", "signal"                                                  \
        }

const struct metric_family detector_families[] = {
        [DETECTOR_SAMPLES] = { .name = "rdma_canary_detector_baseline_samples",
                .type = METRIC_GAUGE,
                .labels = SERIES_LABELS,
                .help = "Samples accepted into the series' baseline so far." },
        [DETECTOR_READY] = { .name = "rdma_canary_detector_baseline_ready",
                .type = METRIC_GAUGE,
                .labels = SERIES_LABELS,
                .help = "Whether the series has enough accepted samples for a baseline (1) or still learns "
                        "(0)." },
        [DETECTOR_CHANGE] = { .name = "rdma_canary_detector_change_ratio",
                .type = METRIC_GAUGE,
                .labels = SERIES_LABELS,
                .help = "Last value over the baseline's median, less 1: -0.3 is 30 % below it. Absent until "
                        "the "
                        "baseline is ready." },
        [DETECTOR_NOISE] = { .name = "rdma_canary_detector_noise_ratio",
                .type = METRIC_GAUGE,
                .labels = SERIES_LABELS,
                .help = "Robust standard deviation of the series around its baseline, as a ratio of it. "
                        "Absent "
                        "until the baseline is ready." },
};
const size_t n_detector_families = ARRAY_SIZE(detector_families);
static_assert(ARRAY_SIZE(detector_families) == N_DETECTOR_FAMILIES, "one row per enum detector_family");

struct detector_series {
        struct slot *slot;
        struct baseline *baselines[N_SIGNALS]; /* made at a signal's first sample */
        double last[N_SIGNALS];
};

int detector_series_new(struct slots *slots, struct detector_series **ret)
{
        cleanup(freep) struct detector_series *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        r = slot_add(slots, &s->slot);
        if (r < 0)
                return r;
        *ret = take_ptr(s);
        return 0;
}

void detector_series_free(struct detector_series *s)
{
        if (!s)
                return;
        slot_remove(s->slot);
        for (size_t i = 0; i < N_SIGNALS; i++)
                free(s->baselines[i]);
        free(s);
}

static void learn(struct detector_series *s, const struct signal *signal)
{
        struct baseline **b = &s->baselines[signal->id];

        if (!*b) {
                *b = malloc(sizeof(**b));
                if (!*b)
                        return; /* the probe's own samples are there all the same */
                baseline_init(*b);
        }
        if (baseline_accept(*b, signal->value) == 0)
                s->last[signal->id] = signal->value;
}

static void render(const struct detector_series *s, const struct probe_labels *l, struct batch *b)
{
        for (size_t i = 0; i < N_SIGNALS; i++) {
                const struct baseline *baseline = s->baselines[i];
                const char *const *labels =
                        LABELS(l->probe, l->device, l->rail, l->peer, signal_name((enum signal_id)i));

                if (!baseline)
                        continue;
                batch_add_u64(b, &detector_families[DETECTOR_SAMPLES], labels, baseline->accepted);
                batch_add_u64(b, &detector_families[DETECTOR_READY], labels, baseline_is_ready(baseline));
                if (!baseline_is_ready(baseline))
                        continue;
                batch_add_double(b, &detector_families[DETECTOR_CHANGE], labels,
                        baseline_change_ratio(baseline, s->last[i]));
                batch_add_double(b, &detector_families[DETECTOR_NOISE], labels, baseline_scale(baseline));
        }
}

void detector_series_feed(
        struct detector_series *s, const struct probe_labels *labels, const struct outcome *o)
{
        struct batch *b;

        if (o->fault.kind != OUTCOME_OK || o->invalid)
                return;
        for (size_t i = 0; i < o->n_signals; i++)
                learn(s, &o->signals[i]);
        b = batch_new();
        if (!b)
                return;
        render(s, labels, b);
        slot_publish(s->slot, b);
}
