/* SPDX-License-Identifier: Apache-2.0 */
/* This process: version, and the conventional process_* metrics from /proc/self. Its files are kept open, as
 * it keeps hundreds of counters open itself: to count those by listing /proc/self/fd cost more than reading
 * half of them. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include <linux/magic.h>

#include "base/parse.h"
#include "base/scope.h"
#include "base/sysfs.h"
#include "probes/passive.h"

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
                .name = "process_open_fds", .type = METRIC_GAUGE,
                .help = "Open file descriptors; up to 10 s old on kernels before 6.2, which cannot tell "
                        "without listing them.",
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

#define COUNT_AGE_NS (10 * NS_PER_SEC)

struct self {
        const struct source_environment *env;
        struct series_set *set; /* a position for each family */
        struct kept_file stat, limits;
        double start_time; /* 0: not known yet */
        int fds;           /* the directory fd/; -1: not open */
        bool fds_on_procfs;
        uint64_t n_fds, counted_ns; /* counted_ns 0: never counted */
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

/* The whole file, opened when it is not. */
static int read_file(struct self *s, struct kept_file *file, const char *path, char *dst, size_t size)
{
        const struct reader *reader = s->env->reader;
        int r = 0;

        if (file->fd < 0)
                r = kept_file_open(file, reader, s->env->procfs, path);
        return r < 0 ? r : kept_file_read(file, reader, clock_monotonic_ns(s->env->clock), dst, size);
}

static int collect_stat(struct self *s, struct batch *b)
{
        char text[SYSFS_VALUE_MAX + 1];
        uint64_t fields[STAT_FIELDS_END];
        double ticks = (double)sysconf(_SC_CLK_TCK);
        int r = read_file(s, &s->stat, "self/stat", text, sizeof(text));

        if (r >= 0)
                r = parse_stat(text, fields);
        if (r < 0)
                return r;
        /* Kept, or else it would move with every correction of the clock; as exact as the kernel's tick. */
        if (s->start_time == 0)
                s->start_time = round((boot_time() + (double)fields[STAT_STARTTIME] / ticks) * ticks) / ticks;
        batch_set_double(b, CPU_SECONDS, (double)(fields[STAT_UTIME] + fields[STAT_STIME]) / ticks);
        batch_set_u64(b, THREADS, fields[STAT_NUM_THREADS]);
        batch_set_u64(b, VIRTUAL_MEMORY, fields[STAT_VSIZE]);
        batch_set_u64(b, RESIDENT_MEMORY, fields[STAT_RSS] * (uint64_t)sysconf(_SC_PAGESIZE));
        batch_set_double(b, START_TIME, s->start_time);
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

static int collect_limits(struct self *s, struct batch *b)
{
        static const struct {
                const char *name;
                enum self_family family;
        } limits[] = {
                { "Max open files", MAX_FDS },
                { "Max address space", VIRTUAL_MEMORY_MAX },
        };
        char text[SYSFS_VALUE_MAX + 1];
        int r = read_file(s, &s->limits, "self/limits", text, sizeof(text));

        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(limits); i++) {
                uint64_t value;

                if (parse_limit(text, limits[i].name, &value) == 0)
                        batch_set_u64(b, limits[i].family, value);
        }
        return r < 0 ? r : 0;
}

static int open_fds(struct self *s)
{
        struct statfs fs;

        if (s->fds < 0)
                s->fds = sysfs_open_dir(s->env->procfs, "self/fd");
        if (s->fds >= 0)
                s->fds_on_procfs = fstatfs(s->fds, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
        return s->fds;
}

/* Linux 6.2 tells the number as the directory's size; before it is 0. */
static bool told_fds(const struct self *s, uint64_t *ret)
{
        struct stat st;

        if (!s->fds_on_procfs || fstat(s->fds, &st) < 0 || st.st_size <= 0)
                return false;
        *ret = (uint64_t)st.st_size;
        return true;
}

static int collect_fds(struct self *s, struct batch *b)
{
        uint64_t now = clock_monotonic_ns(s->env->clock);
        int r = s->fds >= 0 ? 0 : open_fds(s);

        if (r < 0)
                return r;
        if (!told_fds(s, &s->n_fds) && (s->counted_ns == 0 || now - s->counted_ns >= COUNT_AGE_NS)) {
                r = sysfs_count(s->fds, &s->n_fds);
                s->counted_ns = now;
        }
        if (r >= 0)
                batch_set_u64(b, OPEN_FDS, s->n_fds);
        return r < 0 ? r : 0;
}

static void destroy(void *state)
{
        struct self *s = state;

        if (!s)
                return;
        kept_file_close(&s->stat);
        kept_file_close(&s->limits);
        close_fdp(&s->fds);
        series_set_unref(s->set);
        free(s);
}
DEFINE_SCOPE_FREE(void *, destroy);

static int create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state)
{
        cleanup(destroyp) void *state = calloc(1, sizeof(struct self));
        struct self *s = state;
        int r = s ? 0 : -ENOMEM;

        if (!s)
                return r;
        s->env = env;
        s->stat = s->limits = KEPT_FILE_INIT;
        s->fds = -1;
        s->set = series_set_new();
        if (!s->set)
                return -ENOMEM;
        for (size_t i = 0; r >= 0 && i < N_SELF_FAMILIES; i++)
                r = series_set_add(
                        s->set, &families[i], i == BUILD_INFO ? LABELS(RDMA_CANARY_VERSION) : NO_LABELS);
        if (r < 0)
                return r;
        *ret_state = take_ptr(state);
        return 0;
}

static int collect(void *state, uint64_t deadline_ns, struct batch *b)
{
        struct self *s = state;
        int error = 0;

        batch_prepare(b, s->set);
        batch_set_u64(b, BUILD_INFO, 1);
        sysfs_note_error(&error, collect_stat(s, b));
        sysfs_note_error(&error, collect_limits(s, b));
        sysfs_note_error(&error, collect_fds(s, b));
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
        .destroy = destroy,
};
