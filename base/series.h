/* SPDX-License-Identifier: Apache-2.0 */
/* The series that a source shows turn after turn, prepared once: which family, and the label text, rendered
 * and escaped. Built by one thread, read-only from its first batch on, shared under an atomic count of
 * references by the source, its batches and the page's plan: as long as a source's set is the same object,
 * the page need not sort or render its names again. A source whose series change makes a new set. */
#ifndef BASE_SERIES_H
#define BASE_SERIES_H

#include <stddef.h>

#include "base/metric.h"
#include "base/scope.h"

struct series_set;

struct series {
        const struct metric_family *family;
        char *labels;
};

struct series_set *series_set_new(void); /* NULL: no memory. One reference. */
struct series_set *series_set_ref(struct series_set *s);
void series_set_unref(struct series_set *s); /* NULL is fine */
DEFINE_SCOPE_FREE(struct series_set *, series_set_unref);

/* values as in batch_add_u64(), which see. The position, or -ENOMEM, -EINVAL. Not for histograms. */
int series_set_add(struct series_set *s, const struct metric_family *f, const char *const *values);

size_t series_set_size(const struct series_set *s);
const struct metric_family *series_set_family(const struct series_set *s, size_t i);
const char *series_set_labels(const struct series_set *s, size_t i); /* lives as long as the set */
const struct series *series_set_items(const struct series_set *s);   /* all; NULL when there are none */

/* For batches: the memory that the last one of this set has left, or NULL; and leaving it (which takes it). Any
 * thread. It saves a batch each turn the allocator and the filling in of names. */
void *series_set_take_spare(struct series_set *s);
void series_set_leave_spare(struct series_set *s, void *samples);

#endif
