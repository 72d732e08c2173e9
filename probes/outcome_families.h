/* SPDX-License-Identifier: Apache-2.0 */
/* Positions in outcome_families: what active probes publish. Private to probes/. */
#ifndef PROBES_OUTCOME_FAMILIES_H
#define PROBES_OUTCOME_FAMILIES_H

enum outcome_family {
        PROBE_SUCCESS,
        PROBE_ATTEMPTS,
        PROBE_FAILURES,
        PROBE_INVALID,
        PROBE_LAST_RUN,
        PROBE_LAST_SUCCESS,
        PROBE_LAST_STAGE,
        PROBE_DURATION,
        PROBE_TRANSMITTED_BYTES,
        PROBE_MESSAGES,
        PROBE_BANDWIDTH,
        PROBE_LATENCY_P50,
        PROBE_LATENCY_P99,
        PROBE_PATH_INFO,
        PROBE_MTU,
        PROBE_LATENCY,
        PROBE_STAGE_FAILURES,
        N_OUTCOME_FAMILIES,
};

#endif
