/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the small files of sysfs and procfs, or of plain trees that look like them. Everything is bounded
 * and nothing waits: a FIFO or a device node in a file's place is refused, an over-long file too. */
#ifndef BASE_SYSFS_H
#define BASE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "base/scope.h"

#define SYSFS_VALUE_MAX 4096 /* a sysfs attribute is at most a page */
#define SYSFS_NAMES_MAX 4096 /* entries of one directory that are looked at */

/* Whether the directory is the kernel's sysfs, and no tree that looks like it. */
bool sysfs_is_real(int dir);
/* A directory fd, or -errno. */
int sysfs_open_dir(int dir, const char *path);
/* The directory of an RDMA device. -ENODEV: no such device (any more). */
int sysfs_open_device(int sysfs, const char *device);

/* The whole of a regular file, NUL-terminated. Its length, or -errno: -EFBIG when it does not fit, -EINVAL
 * when it is no regular file or has no meaning now, as the kernel says it for many attributes. */
int sysfs_read(int dir, const char *name, char *dst, size_t size);
/* One number. */
int sysfs_read_u64(int dir, const char *name, uint64_t *ret);
/* A list of CPUs, or of NUMA nodes, which are written the same way. */
int sysfs_read_cpulist(int dir, const char *name, struct cpulist *ret);
/* The first line without the blanks around it. -ENODATA when that is empty. */
int sysfs_read_line(int dir, const char *name, char *dst, size_t size);
/* The last part of a symbolic link's target: drivers and subsystems are named so. */
int sysfs_read_link_name(int dir, const char *name, char *dst, size_t size);

/* Whether a read that failed so means "there is no such value here", which is normal (no PMA, no cable, not
 * supported by this device, gone), rather than that something is wrong. */
bool sysfs_is_absent(int error);
/* Keeps in *first the first error that is not of that kind. */
void sysfs_note_error(int *first, int error);

/* Names of a directory in natural order ("mlx5_2" before "mlx5_10"), without those that begin with a dot. */
struct sysfs_names {
        size_t n;
        char **items;
};

int sysfs_list(int dir, struct sysfs_names *ret);
/* Of a directory below. One that is not there has none. */
int sysfs_list_below(int dir, const char *path, struct sysfs_names *ret);
bool sysfs_names_have(const struct sysfs_names *names, const char *name);
/* How many there are, without a limit. */
int sysfs_count(int dir, uint64_t *ret);
void sysfs_names_done(struct sysfs_names *names);

#endif
