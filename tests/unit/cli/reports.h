/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as a run leaves them. */
#ifndef TESTS_UNIT_CLI_REPORTS_H
#define TESTS_UNIT_CLI_REPORTS_H

#include <errno.h>

#include "base/clock.h"
#include "cli/report.h"

static const struct rdma_address some_address = { .gid = { [10] = 0xff, 0xff, 198, 51, 100, 1 } };

/* A run that went through, of 1 s, 20 MB and 5 µs in the median. */
static inline void report_of_success(struct report *r, enum measure measure)
{
        report_init(r, measure == MEASURE_BANDWIDTH ? "bw" : "lat", measure, "host-a");
        r->begun_realtime_ns = UINT64_C(1767323045) * NS_PER_SEC; /* 2026-01-02 03:04:05 UTC */
        text_message(r->peer, sizeof(r->peer), "host-b:14792");
        struct result *x = &r->result;
        x->stage = STAGE_DONE;
        plan_defaults(&x->plan, measure, DEVICE_SOFTWARE);
        text_message(x->device, sizeof(x->device), "rxe0");
        text_message(x->peer_device, sizeof(x->peer_device), "rxe1");
        text_message(x->peer_node, sizeof(x->peer_node), "host-b");
        x->port = x->peer_port = 1;
        x->address = x->peer_address = some_address;
        x->bytes = 20000000;
        x->messages = 1000;
        x->traffic_ns = NS_PER_SEC;
        x->average_bps = 20e6;
        x->steady_bps = 21e6;
        x->worst_window_bps = 10e6;
        x->best_window_bps = 22e6;
        if (measure == MEASURE_LATENCY)
                x->latency = (struct latency){ 1000, 4000, 90000, 5000, 6000, 7000, 8000, 9000, 5100.5, 3 };
        x->counters.n = 1;
        x->counters.items[0] = (struct counter_delta){ "sent_pkts", 17 };
}

static inline void report_of_failure(struct report *r)
{
        report_init(r, "bw", MEASURE_BANDWIDTH, "host-a");
        plan_defaults(&r->result.plan, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        r->result.stage = STAGE_RESOLVE;
        r->result.fault = (struct fault){ OUTCOME_PEER, -ECONNREFUSED, "host-b: refused" };
}

#endif
