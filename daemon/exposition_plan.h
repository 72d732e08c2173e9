/* SPDX-License-Identifier: Apache-2.0 */
/* What of a page stays the same while the sources' prepared series do: their order, the heads of families and
 * the text of each series up to its value. */
#ifndef DAEMON_EXPOSITION_PLAN_H
#define DAEMON_EXPOSITION_PLAN_H

#include <stdbool.h>

#include "daemon/exposition_format.h"

/* Offsets and lengths in the plan's text. */
struct plan_text {
        size_t at, len;
};

struct plan_entry {
        uint32_t batch; /* among those with a set, in their order */
        uint32_t position;
        struct plan_text text; /* name, labels, blank */
};

/* All series of one name. */
struct plan_family {
        const struct metric_family *family; /* of the first series */
        size_t first, n;                    /* entries */
        size_t text_len;                    /* of all entries */
        bool mixed; /* a series is there twice, or two tables name the family: order and heads are the page's */
        struct plan_text heads[N_EXPOSITION_FORMATS];
};

struct plan {
        struct series_set **sets; /* a reference each: the key */
        size_t n_sets;
        struct plan_entry *entries; /* by family, then label text */
        struct plan_family *families;
        size_t n_entries, n_families;
        struct buf text;
};

/* Whether it was made for these batches: those with a set, in this order. */
bool plan_fits(const struct plan *p, const struct batch *const *batches, size_t n);
/* Anew from batches with a set. 0, -ENOMEM (the plan is empty then). */
int plan_make(struct plan *p, const struct batch *const *batches, size_t n);
void plan_done(struct plan *p);

#endif
