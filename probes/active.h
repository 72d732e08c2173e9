/* SPDX-License-Identifier: Apache-2.0 */
/* What the active probes share: one turn is one measurement by the engine against one peer. A probe adds its
 * options, its plan and its signals. */
#ifndef PROBES_ACTIVE_H
#define PROBES_ACTIVE_H

#include "probes/probe.h"

/* 0 in the fields of the measurement: by device class. */
struct active_config {
        struct source_config base;
        uint64_t interval_ns, timeout_ns;
        uint64_t message_bytes, queue_pairs;
        /* Budgets; when one is given, those of the device class do not count. */
        uint64_t bytes, messages, duration_ns;
};

/* clang-format off */
#define ACTIVE_OPTIONS                                                                                       \
        SOURCE_OPTION_ENABLED(struct active_config, "true"),                                                 \
        {                                                                                                    \
                .key = "interval", .kind = OPTION_DURATION, .fallback = "30s",                               \
                .offset = offsetof(struct active_config, interval_ns),                                       \
                .min = NS_PER_SEC, .max = 3600 * NS_PER_SEC,                                                 \
                .help = "how often each peer is probed",                                                     \
        },                                                                                                   \
        {                                                                                                    \
                .key = "timeout", .kind = OPTION_DURATION, .fallback = "5s",                                 \
                .offset = offsetof(struct active_config, timeout_ns),                                        \
                .min = 100 * NS_PER_MS, .max = 60 * NS_PER_SEC,                                              \
                .help = "when a turn is given up, connection set-up included",                               \
        },                                                                                                   \
        {                                                                                                    \
                .key = "message_size", .kind = OPTION_SIZE, .fallback = "0",                                 \
                .offset = offsetof(struct active_config, message_bytes), .max = 8 << 20,                     \
                .help = "bytes of one message (0: by device class)",                                         \
        },                                                                                                   \
        {                                                                                                    \
                .key = "duration", .kind = OPTION_DURATION, .fallback = "0",                                 \
                .offset = offsetof(struct active_config, duration_ns), .max = 30 * NS_PER_SEC,               \
                .help = "traffic of one turn ends after this time (0: no such limit)",                       \
        }
/* clang-format on */

uint64_t active_interval_ns(const void *config);
uint64_t active_timeout_ns(const void *config);

int active_create(const struct source_environment *env, const struct source_target *target,
        const void *config, void **ret_state);
void active_destroy(void *state);

/* What is measured on a device of this class. */
void active_plan(
        const struct active_config *c, enum measure measure, enum device_class class, struct plan *ret);

/* One measurement. True when it succeeded and *r (result_init'ed) has values to take signals from. */
bool active_measure(void *state, enum measure measure, uint64_t deadline_ns, const atomic_bool *cancel,
        struct result *r, struct outcome *ret);
void outcome_add_signal(struct outcome *o, enum signal_id id, double value, uint64_t samples);

#endif
