/* SPDX-License-Identifier: Apache-2.0 */
/* What the service says of each of its collectors, as prepared series: on a host with many devices these are a
 * third of the page. Positions are N_SOURCE_POSITIONS for each state, in the order of the states. */
#ifndef DAEMON_SOURCE_SERIES_H
#define DAEMON_SOURCE_SERIES_H

#include "base/series.h"
#include "daemon/collector.h"

enum source_position {
        SOURCE_SUCCESS,
        SOURCE_DURATION,
        SOURCE_OVERDUE,
        SOURCE_FAILURES,
        N_SOURCE_POSITIONS,
};

/* Remembers the last set. One thread at a time. */
struct source_series;

int source_series_new(struct source_series **ret);
void source_series_free(struct source_series *s); /* NULL is fine */
/* A reference to the set for these sources: the one before while they are the same. s: NULL for no memory.
 * 0, -ENOMEM. */
int source_series_set(
        struct source_series *s, const struct collector_state *states, size_t n, struct series_set **ret);

#endif
