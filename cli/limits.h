/* SPDX-License-Identifier: Apache-2.0 */
/* What a measurement has to reach for exit code 0. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include <stdbool.h>

#include "base/text.h"
#include "engine/engine.h"

/* 0: no limit. */
struct limits {
        uint64_t min_bw_bps; /* bytes per second, of the average */
        uint64_t max_p50_ns, max_p99_ns, max_p999_ns;
};

bool limits_given(const struct limits *l, enum measure measure);
/* How many are missed; appends a line for each with the value, the limit and the option. */
size_t limits_missed(const struct limits *l, enum measure measure, const struct result *r, struct buf *out);

#endif
