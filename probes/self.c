/* SPDX-License-Identifier: Apache-2.0 */
/* This process: version, and the conventional process_* metrics from /proc/self. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"
#include "base/scope.h"
#include "probes/passive.h"
#include "probes/sysfs.h"

enum self_family {
        BUILD_INFO,
        CPU_SECONDS,
        OPEN_FDS,
        MAX_FDS,
        THREADS,
        VIRTUAL_MEMORY,
        VIRTUAL_MEMORY_MAX,
        RESIDENT_MEMORY,
        START_TIME,
        N_SELF_FAMILIES,
};

static const struct metric_family families[] = {
        [BUILD_INFO] = {
                .name = "rdma_canary_build_info", .type = METRIC_GAUGE,
                .help = "Version of this service. Always 1.", .labels = { "version" },
        },
        [CPU_SECONDS] = {
                .name = "process_cpu_seconds_total", .type = METRIC_COUNTER,
                .help = "User and system CPU time spent.",
        },
        [OPEN_FDS] = {
                .name = "process_open_fds", .type = METRIC_GAUGE, .help = "Open file descriptors.",
        },
        [MAX_FDS] = {
                .name = "process_max_fds", .type = METRIC_GAUGE,
                .help = "Limit of open file descriptors; absent when there is none.",
        },
        [THREADS] = {
                .name = "process_threads", .type = METRIC_GAUGE, .help = "Threads.",
        },
        [VIRTUAL_MEMORY] = {
                .name = "process_virtual_memory_bytes", .type = METRIC_GAUGE, .help = "Virtual memory.",
        },
        [VIRTUAL_MEMORY_MAX] = {
                .name = "process_virtual_memory_max_bytes", .type = METRIC_GAUGE,
                .help = "Limit of virtual memory; absent when there is none.",
        },
        [RESIDENT_MEMORY] = {
                .name = "process_resident_memory_bytes", .type = METRIC_GAUGE, .help = "Resident memory.",
        },
        [START_TIME] = {
                .name = "process_start_time_seconds", .type = METRIC_GAUGE,
                .help = "When the process started, since the epoch.",
        },
};
static_assert(ARRAY_SIZE(families) == N_SELF_FAMILIES, "a family for every position");

struct self {
        const struct source_environment *env;
        double start_time; /* 0: not known yet */
};

/* Fields of /proc/PID/stat from the third on; the second, the command in brackets, may hold anything. */
enum stat_field {
        STAT_UTIME = 14,
        STAT_STIME = 15,
        STAT_NUM_THREADS = 20,
        STAT_STARTTIME = 22,
        STAT_VSIZE = 23,
        STAT_RSS = 24,
        STAT_FIELDS_END = 25,
};

static int parse_stat(const char *text, uint64_t fields[STAT_FIELDS_END])
{
        const char *at = strrchr(text, ')');

        if (!at)
                return -EINVAL;
        at++;
        for (int i = 3; i < STAT_FIELDS_END; i++) {
                size_t len;

                at += strspn(at, " ");
                len = strcspn(at, " \n");
                if (len == 0)
                        return -EINVAL;
                /* Letters and negative numbers are among those nobody asks for. */
                if (parse_u64(at, len, &fields[i]) < 0)
                        fields[i] = 0;
                at += len;
        }
        return 0;
}

/* Start times are in ticks since the host booted. /proc/stat has the time of boot, but is hidden from
 * services with ProcSubset=pid. */
static double boot_time(void)
{
        struct timespec realtime, since_boot;

        if (clock_gettime(CLOCK_REALTIME, &realtime) < 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) < 0)
                return 0;
        return (double)(realtime.tv_sec - since_boot.tv_sec) +
               (double)(realtime.tv_nsec - since_boot.tv_nsec) / (double)NS_PER_SEC;
}

static int collect_stat(struct self *s, int dir, struct batch *b)
{
        char text[SYSFS_VALUE_MAX + 1];
        uint64_t fields[STAT_FIELDS_END];
        double ticks = (double)sysconf(_SC_CLK_TCK);
        int r = sysfs_read(dir, "stat", text, sizeof(text));

        if (r >= 0)
                r = parse_stat(text, fields);
        if (r < 0)
                return r;
        /* Kept, or else it would move with every correction of the clock. */
        if (s->start_time == 0)
                s->start_time = boot_time() + (double)fields[STAT_STARTTIME] / ticks;
        batch_add_double(b, &families[CPU_SECONDS], NO_LABELS,
                (double)(fields[STAT_UTIME] + fields[STAT_STIME]) / ticks);
        batch_add_u64(b, &families[THREADS], NO_LABELS, fields[STAT_NUM_THREADS]);
        batch_add_u64(b, &families[VIRTUAL_MEMORY], NO_LABELS, fields[STAT_VSIZE]);
        batch_add_u64(
                b, &families[RESIDENT_MEMORY], NO_LABELS, fields[STAT_RSS] * (uint64_t)sysconf(_SC_PAGESIZE));
        batch_add_double(b, &families[START_TIME], NO_LABELS, s->start_time);
        return 0;
}

/* "Max open files            1024                 524288               files": the soft limit. */
static int parse_limit(const char *text, const char *name, uint64_t *ret)
{
        const char *at = strstr(text, name);

        if (!at)
                return -ENODATA;
        at += strlen(name);
        at += strspn(at, " ");
        return parse_u64(at, strcspn(at, " \n"), ret); /* "unlimited" is no number */
}

static int collect_limits(int dir, struct batch *b)
{
        static const struct {
                const char *name;
                enum self_family family;
        } limits[] = {
                { "Max open files", MAX_FDS },
                { "Max address space", VIRTUAL_MEMORY_MAX },
        };
        char text[SYSFS_VALUE_MAX + 1];
        int r = sysfs_read(dir, "limits", text, sizeof(text));

        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(limits); i++) {
                uint64_t value;

                if (parse_limit(text, limits[i].name, &value) == 0)
                        batch_add_u64(b, &families[limits[i].family], NO_LABELS, value);
        }
        return r < 0 ? r : 0;
}

static int collect_fds(int dir, struct batch *b)
{
        cleanup(close_fdp) int fd_dir = sysfs_open_dir(dir, "fd");
        uint64_t n;
        int r = fd_dir < 0 ? fd_dir : sysfs_count(fd_dir, &n);

        if (r == 0)
                batch_add_u64(b, &families[OPEN_FDS], NO_LABELS, n);
        return r;
}

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        struct self *s = calloc(1, sizeof(*s));

        if (!s)
                return -ENOMEM;
        s->env = env;
        *ret_state = s;
        return 0;
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct self *s = state;
        cleanup(close_fdp) int dir = sysfs_open_dir(s->env->procfs, "self");
        int error = 0;

        batch_add_u64(b, &families[BUILD_INFO], LABELS(RDMA_CANARY_VERSION), 1);
        sysfs_note_error(&error, dir);
        if (dir < 0)
                return error;
        sysfs_note_error(&error, collect_stat(s, dir, b));
        sysfs_note_error(&error, collect_limits(dir, b));
        sysfs_note_error(&error, collect_fds(dir, b));
        return error;
}

const struct source_class source_self = {
        .name = "self",
        .summary = "Version and resources of this service.",
        .trigger = TRIGGER_SCRAPE,
        .scope = SCOPE_HOST,
        .families = families,
        .n_families = ARRAY_SIZE(families),
        .options = passive_options,
        .n_options = N_PASSIVE_OPTIONS,
        .config_size = sizeof(struct passive_config),
        .create = create,
        .collect = collect,
        .destroy = passive_destroy,
};
