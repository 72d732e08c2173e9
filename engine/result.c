/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/fault.h"
#include "engine/operation.h"

void result_init(struct result *r)
{
        *r = (struct result){ 0 };
}

void result_done(struct result *r)
{
        free(r->latency_histogram);
        r->latency_histogram = NULL;
}

void latency_from_histogram(struct latency *ret, const struct histogram *h)
{
        *ret = (struct latency){
                .count = h->count,
                .min_ns = h->min,
                .max_ns = h->max,
                .p50_ns = histogram_quantile(h, 0.5),
                .p90_ns = histogram_quantile(h, 0.9),
                .p99_ns = histogram_quantile(h, 0.99),
                .p999_ns = histogram_quantile(h, 0.999),
                .p9999_ns = histogram_quantile(h, 0.9999),
                .mean_ns = h->count > 0 ? h->mean : 0,
                .deviation_ns = histogram_deviation(h),
        };
}

/* Of a bandwidth run where every message takes a receive. What was lost was not carried. */
static void count_lost(struct result *r, uint64_t received)
{
        uint64_t sent = r->own_bytes / r->plan.message_bytes;
        if (r->plan.measure == MEASURE_LATENCY || !operation_facts(r->plan.operation)->receives)
                return;
        r->lost_known = true;
        r->lost = received < sent ? sent - received : 0;
        if (sent > 0)
                r->average_bps *= (double)(sent - r->lost) / (double)sent;
}

void result_take_report(struct result *r, const struct report *report)
{
        r->peer_cpu_ns = report->cpu_ns;
        r->peer_counters = report->counters;
        r->peer_verified = (struct verification){ report->verified_bytes, report->wrong_bytes };
        count_lost(r, report->received);
        if (!r->plan.bidirectional)
                return;
        r->peer_bytes = report->messages * r->plan.message_bytes;
        r->peer_traffic_ns = report->traffic_ns;
        if (report->traffic_ns > 0)
                r->peer_average_bps = (double)r->peer_bytes * (double)NS_PER_SEC / (double)report->traffic_ns;
}

int result_judge(const struct result *r, const char *host, struct fault *fault)
{
        uint64_t wrong = r->verified.wrong + r->peer_verified.wrong;
        if (wrong > 0)
                return fault_set(fault, OUTCOME_TRAFFIC, -EBADMSG,
                        "%s: %" PRIu64 " of %" PRIu64 " bytes verified are not what was sent", host, wrong,
                        r->verified.bytes + r->peer_verified.bytes);
        if (r->plan.transport == TRANSPORT_RC && r->lost > 0)
                return fault_set(fault, OUTCOME_TRAFFIC, -EBADMSG,
                        "%s: received %" PRIu64 " messages less than were acknowledged", host, r->lost);
        return 0;
}
