/* SPDX-License-Identifier: Apache-2.0 */
/* What a metric is: const tables of families, known at build time. docs/METRICS.md is made from them. */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include <stddef.h>

enum metric_type {
        METRIC_GAUGE,
        METRIC_COUNTER,   /* name ends in _total, and no other type's does */
        METRIC_HISTOGRAM, /* bounds of the family, ascending, without +Inf */
        METRIC_UNTYPED,   /* the kernel does not say what it is */
};

#define METRIC_LABELS_MAX 10

struct metric_family {
        const char *name; /* as exposed, with rdma_canary_ (process_ for the conventional ones) */
        enum metric_type type;
        const char *help; /* one sentence; names the kernel's file where there is one */
        const char *labels[METRIC_LABELS_MAX + 1]; /* names, NULL-terminated; values come in this order */
        const double *bounds;                      /* METRIC_HISTOGRAM */
        size_t n_bounds;
};

#endif
