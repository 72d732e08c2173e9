/* SPDX-License-Identifier: Apache-2.0 */
/* One client of the responder, from its hello to its bye. */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include <stdatomic.h>

#include "engine/dialogue.h"
#include "engine/engine.h"

/* What a client of a role may ask for. */
struct session_limits {
        uint64_t max_session_ns, max_bytes;
        unsigned max_queue_pairs;
};

/* How a session ended, for the responder's counters. */
struct session_outcome {
        struct fault fault; /* OUTCOME_OK: the measurement went through */
        bool refused;       /* the client was told no: busy, limits, version, not able */
        bool malformed;
        uint64_t received_bytes;
        struct responder_served served; /* completed_total 0: the client did not get to its result */
};

/* Serves the client on this connection, in the calling thread. Ends by its own deadlines, when the client
 * hangs up, or when somebody shuts the socket down after setting *stop. Nothing of verbs is touched before a
 * valid hello, and no queue pair is made before a valid open. */
void session_run(struct engine *e, struct dialogue *d, const struct session_limits limits[N_ROLES],
        const atomic_bool *stop, struct session_outcome *ret);

#endif
