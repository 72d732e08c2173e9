/* SPDX-License-Identifier: Apache-2.0 */
/* What the collectors of one device share. */
#ifndef PROBES_PASSIVE_H
#define PROBES_PASSIVE_H

#include "base/sysfs.h"
#include "probes/device_files.h"
#include "probes/probe.h"
#include "probes/readings.h"

struct passive {
        const struct source_environment *env;
        char device[ENGINE_NAME_MAX];
};

struct passive_config {
        struct source_config base;
};

/* Nothing but `enabled` to configure. */
extern const struct option passive_options[];
#define N_PASSIVE_OPTIONS 1

/* -ENAMETOOLONG: no device has such a name. */
int passive_init(struct passive *p, const struct source_environment *env, const struct source_target *target);
/* For create(): a state of `size` bytes, zeroed but for the struct passive it begins with. 0, -ENOMEM, -ENAMETOOLONG. */
int passive_new(size_t size, const struct source_environment *env, const struct source_target *target,
        void **ret_state);
void passive_destroy(void *state); /* also of a struct that begins with struct passive */

/* Names of the device's ports, numbers of one byte, in order. 0, -errno; no directory: none. */
int passive_ports(int device_dir, struct sysfs_names *ret);

/* A collector whose series stay the same from scrape to scrape: they and the open files are prepared once,
 * and again when something says that they are out of date: the environment's generation, a read that finds
 * its file gone, or a look at the directories every LOOKUP_AGE_NS that finds other names than before. */
struct prepared {
        struct passive passive; /* first: made by passive_init() */
        struct lookup lookup;
        struct buf seen;        /* what was there when the series were prepared */
        struct series_set *set; /* NULL: nothing prepared */
        struct device_files files;
};

struct prepared_class {
        /* Writes down what the series depend on: names of files, what labels are made of. */
        void (*look)(const struct prepared *p, int device_dir, struct buf *seen);
        /* Fills the empty set and files. 0, -ENOMEM … */
        int (*prepare)(struct prepared *p, int device_dir);
        /* Sets what is elsewhere. true: what is prepared is out of date. May be NULL. */
        bool (*read)(struct prepared *p);
        /* Undoes it, but for set and files. */
        void (*forget)(struct prepared *p);
        /* The value that file i gave. */
        void (*show)(struct prepared *p, size_t i, uint64_t value, struct batch *b);
        /* What else there is. May be NULL. */
        void (*finish)(struct prepared *p, struct batch *b);
};

int prepared_collect(struct prepared *p, const struct prepared_class *class, struct batch *b);
void prepared_done(struct prepared *p, const struct prepared_class *class);
/* For look(): a directory below device_dir, by its names. Missing ones count as such. */
void prepared_note_directory(int device_dir, const char *path, struct buf *seen);

#endif
