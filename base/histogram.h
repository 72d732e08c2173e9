/* SPDX-License-Identifier: Apache-2.0 */
/* Log-linear histogram of nanosecond samples: constant memory, every sample counted.
 *
 * Values below 2^HISTOGRAM_SUB_BITS are exact; above, each power of two is cut into 2^HISTOGRAM_SUB_BITS
 * buckets, so a quantile is off by at most 1/2^HISTOGRAM_SUB_BITS (0.8 %). Values past the last bucket
 * (2^HISTOGRAM_MAX_BITS, 18 minutes) are counted in it; min, max, mean and deviation stay exact. Not
 * thread-safe. About 35 KiB: allocate it, do not put it on a stack. */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_MAX_BITS 40
#define HISTOGRAM_BUCKETS  ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
        uint64_t count;
        uint64_t min, max; /* 0 while count is 0 */
        double mean, m2;   /* Welford */
        uint64_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_reset(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t value);
void histogram_merge(struct histogram *into, const struct histogram *from);
/* q in 0…1: the value below or at which ceil(q·count) of the samples lie, interpolated in its bucket and
 * clamped to [min, max]; 0 when empty. */
uint64_t histogram_quantile(const struct histogram *h, double q);
double histogram_deviation(const struct histogram *h); /* sample standard deviation, 0 below 2 samples */
/* Samples that are certainly ≤ bound: those of the buckets that end at or below it. */
uint64_t histogram_count_below(const struct histogram *h, uint64_t bound);

#endif
