/* SPDX-License-Identifier: Apache-2.0 */
#include "base/histogram.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SUB_BUCKETS (UINT64_C(1) << HISTOGRAM_SUB_BITS)

static size_t bucket_of(uint64_t value)
{
        unsigned exponent, shift;

        if (value < SUB_BUCKETS)
                return (size_t)value;
        exponent = 63 - (unsigned)__builtin_clzll(value);
        if (exponent >= HISTOGRAM_MAX_BITS)
                return HISTOGRAM_BUCKETS - 1;
        shift = exponent - HISTOGRAM_SUB_BITS;
        return ((size_t)(shift + 1) << HISTOGRAM_SUB_BITS) + (size_t)((value >> shift) - SUB_BUCKETS);
}

static uint64_t bucket_first(size_t i)
{
        uint64_t sub = i & (SUB_BUCKETS - 1);
        unsigned octave = (unsigned)(i >> HISTOGRAM_SUB_BITS);

        return octave == 0 ? sub : (SUB_BUCKETS + sub) << (octave - 1);
}

/* The last bucket takes everything that is larger, too. */
static uint64_t bucket_last(size_t i)
{
        return i + 1 < HISTOGRAM_BUCKETS ? bucket_first(i + 1) - 1 : UINT64_MAX;
}

void histogram_reset(struct histogram *h)
{
        memset(h, 0, sizeof(*h));
}

void histogram_add(struct histogram *h, uint64_t value)
{
        double delta = (double)value - h->mean;

        if (h->count == 0 || value < h->min)
                h->min = value;
        if (value > h->max)
                h->max = value;
        h->count++;
        h->mean += delta / (double)h->count;
        h->m2 += delta * ((double)value - h->mean);
        h->bucket[bucket_of(value)]++;
}

/* Chan, Golub and LeVeque: the moments of a union from those of its parts. */
void histogram_merge(struct histogram *into, const struct histogram *from)
{
        double a = (double)into->count, b = (double)from->count, delta = from->mean - into->mean;

        if (from->count == 0)
                return;
        into->m2 += from->m2 + delta * delta * a * b / (a + b);
        into->mean += delta * b / (a + b);
        if (into->count == 0 || from->min < into->min)
                into->min = from->min;
        if (from->max > into->max)
                into->max = from->max;
        into->count += from->count;
        for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
                into->bucket[i] += from->bucket[i];
}

/* The rank-th smallest sample, taking those of a bucket as spread evenly over it. */
static uint64_t value_at(const struct histogram *h, uint64_t rank)
{
        uint64_t before = 0, first, last, offset;
        size_t i = 0;

        while (before + h->bucket[i] < rank)
                before += h->bucket[i++];
        first = bucket_first(i) > h->min ? bucket_first(i) : h->min;
        last = bucket_last(i) < h->max ? bucket_last(i) : h->max;
        offset = (uint64_t)((double)(last - first) * ((double)(rank - before) / (double)h->bucket[i]));
        return offset < last - first ? first + offset : last;
}

uint64_t histogram_quantile(const struct histogram *h, double q)
{
        /* 0.07 × 100 is a little above 7 in binary, and means the seventh sample, not the eighth. */
        double rank = ceil(q * (double)h->count * (1 - 4 * DBL_EPSILON));

        if (!(rank > 1))
                return h->min;
        if (rank >= (double)h->count)
                return h->max;
        return value_at(h, (uint64_t)rank);
}

double histogram_deviation(const struct histogram *h)
{
        return h->count < 2 ? 0 : sqrt(h->m2 / (double)(h->count - 1));
}

/* Looks at the buckets only, never at max: a count that is published as a counter must not fall when a
 * larger sample arrives. */
uint64_t histogram_count_below(const struct histogram *h, uint64_t bound)
{
        uint64_t n = 0;

        for (size_t i = 0; i < HISTOGRAM_BUCKETS && bucket_last(i) <= bound; i++)
                n += h->bucket[i];
        return n;
}
