/* SPDX-License-Identifier: Apache-2.0 */
/* A batch: the samples of one turn of one source. Filled by one thread, then shared read-only under an
 * atomic count of references; whoever drops the last one frees it. A sample that is not in the batch does
 * not exist: there is no "unknown" value, and nothing unknown is ever 0.
 *
 * A source whose series stay the same prepares them once (base/series.h) and only sets values; others add
 * whole samples. A batch may hold both: the prepared positions come first. */
#ifndef BASE_BATCH_H
#define BASE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/metric.h"
#include "base/scope.h"
#include "base/series.h"

struct batch;

struct sample {
        const struct metric_family *family;
        const char *labels; /* rendered and escaped without braces: device="rxe0",port="1"; "" for none;
                               lives as long as the batch */
        bool absent;        /* a prepared position without a value this time: not a sample at all */
        bool integer;       /* which of the two */
        union {
                uint64_t u64;
                double number;
        };
        /* METRIC_HISTOGRAM: family->n_bounds cumulative counts; u64 is the count, sum the sum. */
        const uint64_t *cumulative;
        double sum;
};

struct batch *batch_new(void); /* NULL: no memory. One reference. */
/* With a position for every series of the set (one more reference to it), all absent. */
struct batch *batch_new_of(struct series_set *set);
/* The same for a batch that is still empty, as a collector gets it. -ENOMEM is sticky. */
void batch_prepare(struct batch *b, struct series_set *set);
struct batch *batch_ref(struct batch *b);
void batch_unref(struct batch *b); /* NULL is fine */
DEFINE_SCOPE_FREE(struct batch *, batch_unref);

/* values: one per label name of the family, in its order; copied and escaped. Only before the batch is
 * shared. Errors are sticky (-ENOMEM; -EINVAL for a NULL label value) and asked for once by
 * batch_error(). */
void batch_add_u64(struct batch *b, const struct metric_family *f, const char *const *values, uint64_t value);
void batch_add_double(
        struct batch *b, const struct metric_family *f, const char *const *values, double value);
/* counts: family->n_bounds + 1 counts per bucket (not cumulative), the last for +Inf. */
void batch_add_histogram(struct batch *b, const struct metric_family *f, const char *const *values,
        const uint64_t *counts, double sum);
/* Position i of the prepared ones; does nothing when they could not be prepared. Only before the batch is shared. */
void batch_set_u64(struct batch *b, size_t i, uint64_t value);
void batch_set_double(struct batch *b, size_t i, double value);
int batch_error(const struct batch *b);

struct series_set *batch_set(const struct batch *b); /* NULL: nothing was prepared */
size_t batch_size(const struct batch *b);            /* absent ones included */
const struct sample *batch_sample(const struct batch *b, size_t i);
const struct sample *batch_samples(const struct batch *b); /* all of them; NULL when there are none */

/* The label values of one sample, in place: LABELS("rxe0", "1"). */
#define LABELS(...) ((const char *const[]){ __VA_ARGS__ })
#define NO_LABELS   NULL

#endif
