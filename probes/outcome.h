/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome: what one turn of an active probe found, typed. One function renders outcomes into samples;
 * the detector reads signals, never metric text. */
#ifndef PROBES_OUTCOME_H
#define PROBES_OUTCOME_H

#include "base/batch.h"
#include "base/histogram.h"
#include "engine/engine.h"

enum signal_id {
        SIGNAL_BANDWIDTH,   /* bytes per second */
        SIGNAL_LATENCY_P50, /* seconds */
        SIGNAL_LATENCY_P99, /* seconds */
        N_SIGNALS,
};

const char *signal_name(enum signal_id id); /* "bandwidth", "latency_p50", … */

struct signal {
        enum signal_id id;
        double value;
        uint64_t samples; /* behind the value: messages, pings */
};

/* Why a successful turn's signals are no evidence; bits. */
enum invalid {
        INVALID_TRUNCATED = 1 << 0,  /* ended by its deadline, before its budget */
        INVALID_CLOCK_STEP = 1 << 1, /* realtime and monotonic clock moved apart during the turn */
};

struct outcome {
        enum stage stage;
        struct fault fault; /* kind OUTCOME_OK: signals are there */
        unsigned invalid;   /* bits of enum invalid */
        size_t n_signals;
        struct signal signals[N_SIGNALS];
        uint64_t started_realtime_ns, duration_ns;
        uint64_t messages, own_bytes;
        char peer_node[ENGINE_NAME_MAX], peer_device[ENGINE_NAME_MAX];
        unsigned mtu_bytes;
        struct histogram *latency; /* owned; NULL: none */
        struct counter_deltas counters, peer_counters;
};

void outcome_init(struct outcome *o);
void outcome_done(struct outcome *o);
/* Takes what it can from a measurement; the probe adds its signals. The result's histogram moves over. */
void outcome_from_result(struct outcome *o, struct result *r);

/* Totals of one source over its life; owned by its runner, survive reloads. */
struct probe_totals {
        uint64_t attempts, failures[N_OUTCOME_KINDS], invalid, messages, own_bytes;
        uint64_t last_success_realtime_ns;
};

void probe_totals_add(struct probe_totals *t, const struct outcome *o);

/* Whom the samples are about. */
struct probe_labels {
        const char *probe, *device, *rail, *peer;
};

/* The batch of one turn: totals always; values of the last outcome only when it succeeded. OUTCOME_BUSY and
 * OUTCOME_CANCELLED say nothing of the path: they count, and leave success and values of `previous` (the
 * last outcome that did say something; NULL: none yet) in place. */
void outcome_render(const struct probe_labels *labels, const struct probe_totals *totals,
        const struct outcome *previous, const struct outcome *last, struct batch *b);

/* What is kept per (probe, device) over all peers: the latency histogram and failures by stage. */
struct probe_aggregate;
struct probe_aggregate *probe_aggregate_new(void);
void probe_aggregate_free(struct probe_aggregate *a);
void probe_aggregate_add(struct probe_aggregate *a, const struct outcome *o);
void probe_aggregate_render(
        const struct probe_aggregate *a, const char *probe, const char *device, struct batch *b);

extern const struct metric_family outcome_families[];
extern const size_t n_outcome_families;

#endif
