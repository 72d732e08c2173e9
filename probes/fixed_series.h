/* SPDX-License-Identifier: Apache-2.0 */
/* Series whose values are looked up seldom and shown at each scrape. The set stays the same object for as long
 * as the same series come again. */
#ifndef PROBES_FIXED_SERIES_H
#define PROBES_FIXED_SERIES_H

#include <stdint.h>

#include "base/batch.h"
#include "base/series.h"

/* Zeroed: none. */
struct fixed_series {
        struct series_set *set;
        size_t n, cap;
        uint64_t *values; /* of the positions */
        int error;        /* sticky: -ENOMEM, -EINVAL */
};

void fixed_series_add(struct fixed_series *f, const struct metric_family *family, const char *const *labels,
        uint64_t value);
/* Takes over what `found` has, and leaves it empty. 0, or its error: then nothing is shown. */
int fixed_series_become(struct fixed_series *f, struct fixed_series *found);
void fixed_series_show(const struct fixed_series *f, struct batch *b);
void fixed_series_done(struct fixed_series *f); /* ready for use again */

#endif
