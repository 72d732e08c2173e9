/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a port, from /sys/class/infiniband/DEVICE/ports/PORT/hw_counters and …/counters: one file each.
 */
#include "engine/counters.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/text.h"

#define COUNTERS_MAX    256             /* the richest devices have about a hundred */
#define LIFESPAN_FILE   "lifespan"      /* of the kernel's cache, in milliseconds; not a counter */
#define LIFESPAN_MAX_MS 50              /* default 10 */
#define JIFFIES_NS      (8 * NS_PER_MS) /* two ticks at HZ=250: how late the cache may expire */

struct counter {
        char name[ENGINE_NAME_MAX];
        uint64_t value;
};

struct counter_snapshot {
        size_t n;
        struct counter items[COUNTERS_MAX];
};

static int read_u64(int directory, const char *name, uint64_t *ret)
{
        cleanup(close_fdp) int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        char text[64];
        ssize_t n = read(fd, text, sizeof(text));
        if (n < 0)
                return -errno;
        return parse_sysfs_u64(text, (size_t)n, ret);
}

/* The kernel answers from a cache of the last reading, whoever's it was, until that is so old. Having waited
 * as long, what we read is not older than this call. */
static void outwait_cache(int directory)
{
        uint64_t ms = 0;
        if (read_u64(directory, LIFESPAN_FILE, &ms) < 0 || ms == 0)
                return;
        ms = ms < LIFESPAN_MAX_MS ? ms : LIFESPAN_MAX_MS;
        struct timespec t = { .tv_nsec = (long)(ms * NS_PER_MS + JIFFIES_NS) };
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL); /* cut short by a signal: a little staler */
}

static void add(struct counter_snapshot *s, int directory, const char *name)
{
        uint64_t value = 0;
        if (s->n == COUNTERS_MAX || strcmp(name, LIFESPAN_FILE) == 0 || read_u64(directory, name, &value) < 0)
                return;
        if (text_copy(s->items[s->n].name, ENGINE_NAME_MAX, name) < 0)
                return;
        s->items[s->n++].value = value;
}

static void close_directoryp(DIR **d)
{
        if (*d)
                (void)closedir(*d); /* was open: cannot fail */
}

static void add_directory(struct counter_snapshot *s, int port, const char *name)
{
        cleanup(close_fdp) int fd = openat(port, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cleanup(close_directoryp) DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
        if (!directory)
                return;     /* rxe has no counters/, siw no hw_counters/ */
        (void)take_fd(&fd); /* the DIR's now */
        int own = dirfd(directory);
        outwait_cache(own);
        for (struct dirent *e; (e = readdir(directory));)
                if (e->d_name[0] != '.')
                        add(s, own, e->d_name);
}

static int compare(const void *a, const void *b)
{
        return strcmp(((const struct counter *)a)->name, ((const struct counter *)b)->name);
}

int counter_snapshot_take_at(int port_directory, struct counter_snapshot **ret)
{
        struct counter_snapshot *s = malloc(sizeof(*s));
        if (!s)
                return -ENOMEM;
        s->n = 0;
        add_directory(s, port_directory, "hw_counters");
        add_directory(s, port_directory, "counters");
        qsort(s->items, s->n, sizeof(s->items[0]), compare);
        *ret = s;
        return 0;
}

int counter_snapshot_take(const char *device, uint8_t port, struct counter_snapshot **ret)
{
        char path[PATH_MAX];
        int r = text_format(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u", device, port);
        if (r < 0)
                return r;
        cleanup(close_fdp) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? -errno : counter_snapshot_take_at(fd, ret);
}

void counter_snapshot_free(struct counter_snapshot *s)
{
        free(s);
}

static void add_delta(const struct counter *before, const struct counter *after, struct counter_deltas *ret)
{
        if (after->value <= before->value || ret->n == ENGINE_COUNTERS_MAX)
                return;
        struct counter_delta *d = &ret->items[ret->n++];
        (void)text_copy(d->name, sizeof(d->name), after->name); /* same size */
        d->delta = after->value - before->value;
}

void counter_snapshot_deltas(const struct counter_snapshot *before, const struct counter_snapshot *after,
        struct counter_deltas *ret)
{
        ret->n = 0;
        for (size_t b = 0, a = 0; b < before->n && a < after->n;) {
                int order = compare(&before->items[b], &after->items[a]);
                if (order == 0)
                        add_delta(&before->items[b], &after->items[a], ret);
                b += order <= 0;
                a += order >= 0;
        }
}
