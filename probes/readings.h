/* SPDX-License-Identifier: Apache-2.0 */
/* Files that give one sample each. Their names are looked up and their series prepared once; a pass reads
 * them all and shows what it got. One thread at a time. */
#ifndef PROBES_READINGS_H
#define PROBES_READINGS_H

#include <stdbool.h>

#include "base/batch.h"
#include "probes/probe.h"

struct reading {
        struct kept_file file;
        int (*parse)(const char *text, size_t len, uint64_t *ret);
        bool known; /* the last read gave a value */
        uint64_t value;
};

/* Zeroed: nothing prepared. The position of a reading is that of its series. */
struct readings {
        struct series_set *set;
        size_t n, cap;
        struct reading *items;
};

int readings_init(struct readings *r);  /* 0, -ENOMEM */
void readings_done(struct readings *r); /* ready for another init */

/* The position, or -errno: there is no such file, or it cannot be opened. Labels as in batch_add_u64(). */
int readings_add(struct readings *r, const struct reader *reader, int dir, const char *path,
        int (*parse)(const char *text, size_t len, uint64_t *ret), const struct metric_family *f,
        const char *const *labels);
/* Reads the one at a position. 0, -errno; -ENODEV: gone, prepare anew. */
int readings_read(struct readings *r, size_t position, const struct source_environment *env);
/* The same, also of a file that is at rest after an error. */
int readings_read_awake(struct readings *r, size_t position, const struct source_environment *env);
/* Into an empty batch. */
void readings_show(const struct readings *r, struct batch *b);

/* When what is prepared must be looked up again: when a device or interface came or went, and every
 * LOOKUP_AGE_NS in case nobody told. Zeroed: never looked up. */
#define LOOKUP_AGE_NS (30 * NS_PER_SEC)

struct lookup {
        bool done;
        unsigned generation;
        uint64_t at_ns;
};

/* Whether it is due; if so it counts as done now. */
bool lookup_due(struct lookup *l, const struct source_environment *env);
/* Due at the next question: something was not there any more. */
void lookup_again(struct lookup *l);

#endif
