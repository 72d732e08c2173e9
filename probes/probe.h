/* SPDX-License-Identifier: Apache-2.0 */
/* The one header a source of samples needs. A source class is a const descriptor in a file of its own; the
 * table of all of them (source_classes) is generated from the list in probes/meson.build. Adding a source is
 * one file and one line there.
 *
 * Two kinds. TIMER sources are active probes: their run() is called on the device's lane when the schedule
 * says so and returns a typed outcome. SCRAPE sources are collectors: their collect() is called on a worker
 * when a scrape asks, and fills a batch. Either is called by one thread at a time, never concurrently with
 * itself, and touches nothing but its own state and the environment's thread-safe parts. */
#ifndef PROBES_PROBE_H
#define PROBES_PROBE_H

#include <stdatomic.h>

#include "base/batch.h"
#include "base/clock.h"
#include "base/metric.h"
#include "base/option.h"
#include "engine/engine.h"
#include "probes/kept_file.h"
#include "probes/outcome.h"

enum trigger {
        TRIGGER_TIMER,
        TRIGGER_SCRAPE,
};

/* What one source of the class watches. */
enum scope {
        SCOPE_HOST,
        SCOPE_DEVICE,
        SCOPE_PAIR, /* a local device and a peer */
};

/* Lives longer than every source. */
struct source_environment {
        struct engine *engine; /* may be NULL for collectors */
        int sysfs, procfs;     /* directory fds of /sys and /proc, or of trees that look like them */
        const struct clock *clock;
        const struct reader *reader; /* how collectors read files; &reader_system but in tests */
        /* Rises when a device or network interface came, went or was renamed: what a collector has prepared
         * (open files, names) is to be looked up again. NULL: never. */
        const atomic_uint *generation;
};

/* Strings live only during create(): copy what is kept. */
struct source_target {
        const char *device; /* "" with SCOPE_HOST */
        unsigned rail;      /* index of the device among this host's rails */
        const char *peer;   /* SCOPE_PAIR: configured name */
        const char *peer_address;
        uint16_t peer_tcp_port;
};

/* Every class's config struct begins with this. */
struct source_config {
        bool enabled;
};

#define SOURCE_OPTION_ENABLED(type, default_text)                                                            \
        {                                                                                                    \
                .key = "enabled", .kind = OPTION_BOOL, .offset = offsetof(type, base.enabled),               \
                .fallback = default_text, .help = "whether this source runs"                                 \
        }

struct source_class {
        const char *name;    /* key in the config, `probe` or `source` label: "rdma_bandwidth", "port" */
        const char *summary; /* one sentence for the documentation */
        enum trigger trigger;
        enum scope scope;
        const struct metric_family *families; /* of its own; probes share outcome_families */
        size_t n_families;
        const struct option *options; /* probes.NAME or collectors.NAME in the config */
        size_t n_options, config_size;

        /* `config` is valid during the call only: copy what is kept. 0 or negative errno; nothing is read
         * from devices here. */
        int (*create)(const struct source_environment *env, const struct source_target *target,
                const void *config, void **ret_state);
        /* TIMER. How long a turn may take and how often it is due, from the config. */
        uint64_t (*interval_ns)(const void *config);
        uint64_t (*timeout_ns)(const void *config);
        /* TIMER. Returns by the deadline (plus a second). The outcome tells all; outcome_init'ed by caller.
         */
        void (*run)(void *state, uint64_t deadline_ns, const atomic_bool *cancel, struct outcome *ret);
        /* SCRAPE. Adds what can be read now. 0: complete; -errno: something of it failed (what could be
         * read is in the batch all the same). A missing directory or a vanished device is not a failure. */
        int (*collect)(void *state, uint64_t deadline_ns, struct batch *b);
        void (*destroy)(void *state);
};

extern const struct source_class *const source_classes[]; /* in order of name */
extern const size_t n_source_classes;
const struct source_class *source_class_find(const char *name); /* NULL: none */

/* Names of /sys/class/infiniband in natural order ("mlx5_2" before "mlx5_10"), without those that match one
 * of the shell patterns in `exclude` (which are not touched at all). No directory: none. *ret_names:
 * freed with discover_free(). 0, -errno. */
int discover_devices(
        int sysfs, const char *const *exclude, size_t n_exclude, char ***ret_names, size_t *ret_n);
void discover_free(char **names, size_t n);
/* An iWARP device, by its node_type: counted, never probed. */
bool discover_is_iwarp(int sysfs, const char *device);

#endif
