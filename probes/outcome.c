/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/outcome.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"

const char *signal_name(enum signal_id id)
{
        static const char *const names[] = {
                [SIGNAL_BANDWIDTH] = "bandwidth",
                [SIGNAL_LATENCY_P50] = "latency_p50",
                [SIGNAL_LATENCY_P99] = "latency_p99",
        };
        static_assert(ARRAY_SIZE(names) == N_SIGNALS, "a name for every signal");

        assert(id < N_SIGNALS);
        return names[id];
}

void outcome_init(struct outcome *o)
{
        memset(o, 0, sizeof(*o));
}

void outcome_done(struct outcome *o)
{
        free(o->latency);
        outcome_init(o);
}

void outcome_from_result(struct outcome *o, struct result *r)
{
        o->stage = r->stage;
        o->fault = r->fault;
        if (r->fault.kind == OUTCOME_OK && r->truncated)
                o->invalid |= INVALID_TRUNCATED;
        o->started_realtime_ns = r->started_realtime_ns;
        o->messages = r->messages;
        o->own_bytes = r->own_bytes;
        /* Of one size on both sides, so nothing is cut off. */
        (void)text_copy(o->peer_node, sizeof(o->peer_node), r->peer_node);
        (void)text_copy(o->peer_device, sizeof(o->peer_device), r->peer_device);
        o->mtu_bytes = r->plan.mtu_bytes;
        free(o->latency);
        o->latency = take_ptr(r->latency_histogram);
        o->counters = r->counters;
        o->peer_counters = r->peer_counters;
}

void probe_totals_add(struct probe_totals *t, const struct outcome *o)
{
        assert(o->fault.kind < N_OUTCOME_KINDS);
        t->attempts++;
        t->messages += o->messages;
        t->own_bytes += o->own_bytes;
        if (o->fault.kind != OUTCOME_OK) {
                t->failures[o->fault.kind]++;
                return;
        }
        if (o->invalid)
                t->invalid++;
        t->last_success_realtime_ns = o->started_realtime_ns;
}
