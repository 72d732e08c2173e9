/* SPDX-License-Identifier: Apache-2.0 */
/* The files a collector of one device reads at each scrape: opened when the series are prepared, read back to
 * back, values and errors kept until the next pass. One thread at a time. */
#ifndef PROBES_DEVICE_FILES_H
#define PROBES_DEVICE_FILES_H

#include <stdbool.h>

#include "base/text.h"
#include "probes/probe.h"

typedef int device_file_parse(const char *text, size_t len, uint64_t *ret);

struct device_file {
        struct kept_file file;
        char *path;       /* below /sys */
        const char *name; /* the path's last part */
        char port[4];     /* label; "" for the device's own */
        device_file_parse *parse;
        bool counter;   /* told when it cannot be read */
        bool elsewhere; /* never opened: value and error are set by the source, -ENODATA at first */
        int error;      /* of the last pass: 0, or why there is no value */
        uint64_t value;
};

/* Zeroed: empty. */
struct device_files {
        size_t n, cap;
        struct device_file *items;
};

/* Opens one. The index, or -ENOMEM, -ENAMETOOLONG; a file that cannot be opened is there with its error. */
int device_files_add(struct device_files *files, const struct source_environment *env,
        const struct device_file *file, const char *directory, const char *name);
/* Reads all. true: one is gone (-ENODEV, -ENOENT), what is prepared is out of date. */
bool device_files_read(struct device_files *files, const struct source_environment *env);
/* Tries again to open those that could not be. */
void device_files_open_rest(struct device_files *files, const struct source_environment *env);
/* Adds rdma_canary_unreadable for each counter whose file is there and gave no value. */
void device_files_show_unreadable(const struct device_files *files, const char *device, struct batch *b);
void device_files_done(struct device_files *files); /* closes all; ready for use again */

/* What collectors share; not in their own tables. */
extern const struct metric_family collector_families[];
extern const size_t n_collector_families;

#endif
