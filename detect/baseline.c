/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/baseline.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MAD · this is the standard deviation of normal noise. */
#define MAD_TO_DEVIATION 1.4826

void baseline_init(struct baseline *b)
{
        memset(b, 0, sizeof(*b));
}

static int compare(const void *a, const void *b)
{
        float x = *(const float *)a, y = *(const float *)b;

        return (x > y) - (x < y);
}

/* Sorts in place. */
static double median_of(float *values, size_t n)
{
        qsort(values, n, sizeof(*values), compare);
        return n % 2 ? values[n / 2] : ((double)values[n / 2 - 1] + (double)values[n / 2]) / 2;
}

static void fit(struct baseline *b)
{
        size_t n = b->accepted < BASELINE_VALUES ? (size_t)b->accepted : BASELINE_VALUES;
        float sorted[BASELINE_VALUES];

        memcpy(sorted, b->values, n * sizeof(*sorted));
        b->median = median_of(sorted, n);
        for (size_t i = 0; i < n; i++)
                sorted[i] = fabsf(sorted[i] - (float)b->median);
        b->scale = fmax(MAD_TO_DEVIATION * median_of(sorted, n), BASELINE_SCALE_FLOOR);
}

int baseline_accept(struct baseline *b, double value)
{
        if (!isfinite(value) || value <= 0)
                return -EINVAL;
        b->values[b->accepted % BASELINE_VALUES] = (float)log(value);
        b->accepted++;
        if (b->accepted >= BASELINE_READY && b->accepted % BASELINE_REFIT == 0)
                fit(b);
        return 0;
}

bool baseline_is_ready(const struct baseline *b)
{
        return b->accepted >= BASELINE_READY;
}

double baseline_value(const struct baseline *b)
{
        assert(baseline_is_ready(b));
        return exp(b->median);
}

double baseline_scale(const struct baseline *b)
{
        assert(baseline_is_ready(b));
        return b->scale;
}

double baseline_change_ratio(const struct baseline *b, double value)
{
        return value / baseline_value(b) - 1;
}
