/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers' own counters by name: what is known of each (tables in probes/hw/, one a driver), and rows of
 * prepared series that values go into, whichever way they were read: files of hw_counters/ or netlink. */
#ifndef PROBES_HW_ROWS_H
#define PROBES_HW_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/batch.h"
#include "base/metric.h"
#include "base/series.h"

/* All families of hw counters, each once: the generic one first, then the canonical ones, then a family for
 * each known counter. */
#define N_HW_FAMILIES 414 /* the compiler says when it is another number */
extern const struct metric_family hw_families[N_HW_FAMILIES];

struct hw_counter {
        const char *name; /* the kernel's */
        const struct metric_family *family;
        const struct metric_family *canonical; /* NULL: feeds none */
        unsigned bits;                         /* 32: wraps at 2^32 */
        uint64_t scale;                        /* what one is worth in the family's unit */
};

struct hw_driver {
        const char *name;           /* "mlx5" */
        const char *const *modules; /* kernel's names of it, NULL at the end: "mlx5_core", "mlx5_ib" */
        const struct hw_counter *counters;
        size_t n_counters;
};

extern const struct hw_driver hw_drivers[]; /* in order of name */
extern const size_t n_hw_drivers;

/* The driver whose counters these names are: the one that knows most of them. `module` (the target of
 * device/driver; "" or NULL unknown) decides among equals; it alone would not do, as a software device on top
 * of a NIC has the NIC's. NULL: none knows any. */
const struct hw_driver *hw_driver_guess(const char *module, const char *const *names, size_t n);
/* By hw_driver.name or one of its modules. NULL: none. */
const struct hw_driver *hw_driver_find(const char *name);
/* NULL: nothing is known of this name (or the driver is NULL), it goes to the generic family. */
const struct hw_counter *hw_counter_find(const struct hw_driver *d, const char *name);

/* The cache time of a set, and a switch: no counters. */
bool hw_name_is_control(const char *name);

struct hw_row {
        const struct metric_family *family, *canonical; /* canonical: NULL for none */
        uint64_t scale;
        size_t position, canonical_position; /* in the series set */
        char port[4];                        /* "" for the device's */
};

/* Zeroed: empty. */
struct hw_rows {
        size_t n, cap;
        struct hw_row *items;
};

/* Adds the series of one counter to the set: its own and that of its canonical family. A name that nobody
 * knows, or whose family another name of the same port has taken, gets the generic family. The canonical
 * family is fed once a port; by the device's own set (port "") only if no port feeds it, so that a sum over
 * ports counts nothing twice: add the ports first. Index of the row, or -ENOMEM, -EINVAL. */
int hw_rows_add(struct hw_rows *rows, struct series_set *set, const struct hw_driver *driver,
        const char *device, const char *port, const char *name);
/* Into a batch prepared with that set. */
void hw_rows_set(const struct hw_rows *rows, size_t i, uint64_t value, struct batch *b);
void hw_rows_done(struct hw_rows *rows); /* ready for use again */

#endif
