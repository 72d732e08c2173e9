/* SPDX-License-Identifier: Apache-2.0 */
/* Batches → a page in the Prometheus text format 0.0.4 or OpenMetrics 1.0. Families come by name, each with one
 * head and all its samples together, samples by label text: the same input gives the same bytes in any order of
 * batches. A second sample of the same family and labels is left out and counted (the page stays valid). */
#ifndef DAEMON_EXPOSITION_H
#define DAEMON_EXPOSITION_H

#include <stddef.h>

#include "base/batch.h"
#include "base/text.h"
#include "daemon/exposition_format.h"

/* A renderer with a memory: while the batches' prepared series are the same as on its last page, they are
 * neither put in order nor rendered again. One thread at a time. */
struct exposition;

/* Families that are never left out. */
struct exposition_kept {
        const struct metric_family *families;
        size_t n;
};

/* When a page would have more series than `max`, whole families are left out: the one named `first`, then those
 * with the most series. `dropped`, a gauge with the label family, says how many series of which. */
struct exposition_limit {
        size_t max; /* 0: none, and what follows is not used */
        const char *first;
        const struct metric_family *dropped;
        const struct exposition_kept *kept;
        size_t n_kept;
};

struct exposition_result {
        size_t series;     /* on the page: lines of samples */
        size_t duplicates; /* left out */
        const char *
                dropped; /* names of families left out, by name, ", " between; "" for none; until the next page */
};

int exposition_new(struct exposition **ret);
void exposition_free(struct exposition *e); /* NULL is fine */
/* Appends a page; limit: NULL for none. Errors: out->error. */
void exposition_page(struct exposition *e, struct buf *out, const struct batch *const *batches, size_t n,
        enum exposition_format format, const struct exposition_limit *limit, struct exposition_result *ret);

/* One page in text format by a renderer of its own; how many duplicates were left out. */
size_t exposition_render(struct buf *out, const struct batch *const *batches, size_t n);

#endif
