/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds the signals of one probe to their baselines (detect/) and publishes what these say. The main
 * thread's. */
#ifndef DAEMON_DETECTOR_H
#define DAEMON_DETECTOR_H

#include "daemon/slot.h"
#include "probes/outcome.h"

struct detector_series; /* of one probe: a baseline for each of its signals, and a slot */

int detector_series_new(struct slots *slots, struct detector_series **ret);
void detector_series_free(struct detector_series *s); /* NULL is fine */
/* Failed and invalid turns teach the baselines nothing. */
void detector_series_feed(
        struct detector_series *s, const struct probe_labels *labels, const struct outcome *o);

extern const struct metric_family detector_families[];
extern const size_t n_detector_families;

#endif
