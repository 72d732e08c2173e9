/* SPDX-License-Identifier: Apache-2.0 */
/* A page's families before they are written: of each name the planned series and those that came with this
 * page's batches only, and which of them a limit leaves out. */
#ifndef DAEMON_EXPOSITION_SECTIONS_H
#define DAEMON_EXPOSITION_SECTIONS_H

#include "daemon/exposition.h"
#include "daemon/exposition_plan.h"

struct section {
        const struct metric_family *family;
        const struct plan_family *planned; /* NULL: none */
        size_t first, n_samples;           /* the others, in order, in `samples` */
        size_t series;                     /* lines it would have, when there is a limit to look at */
        bool dropped;
};

/* All arrays grow as needed and stay for the next page. */
struct sections {
        struct section *items;
        size_t n, cap;
        const struct batch **prepared, **others; /* batches with a set; those with anything else */
        size_t n_prepared, n_others, cap_batches;
        const struct sample **samples; /* of no set, in order */
        size_t n_samples, cap_samples;
        const struct sample **planned; /* samples of n_prepared batches */
        struct buf dropped_names;
        struct batch *dropped; /* what says so on the page */
};

/* Sorts batches into the two kinds. 0, -ENOMEM. */
int sections_take(struct sections *s, const struct batch *const *batches, size_t n);
/* For a plan that fits. 0, -ENOMEM. */
int sections_make(struct sections *s, const struct plan *plan);
/* Marks what goes and adds the section that says so. 0, -ENOMEM. */
int sections_limit(struct sections *s, const struct plan *plan, const struct exposition_limit *limit);
void sections_done(struct sections *s);

/* NULL: absent this time. */
static inline const struct sample *sections_sample(const struct sections *s, const struct plan_entry *e)
{
        const struct sample *sample = &s->planned[e->batch][e->position];

        return sample->absent ? NULL : sample;
}

#endif
