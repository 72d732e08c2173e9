/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/result.h"

#include <stdlib.h>

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
