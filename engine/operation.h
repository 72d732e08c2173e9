/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations need of the two ends: a row each. */
#ifndef ENGINE_OPERATION_H
#define ENGINE_OPERATION_H

#include "engine/engine.h"

#define ATOMIC_BYTES 8
/* What a UD receive finds before its message: the global routing header. */
#define GRH_BYTES 40

struct operation_facts {
        const char *name;
        bool receives; /* every message takes a receive of the other end's */
        bool pulls;    /* data or a result comes back, and with it the completion: the other end is passive */
        bool atomic;   /* of ATOMIC_BYTES, and counted by the target itself */
        unsigned transports; /* bits 1 << TRANSPORT_…: InfiniBand specification volume 1, table 38 */
};

/* o < N_OPERATIONS */
const struct operation_facts *operation_facts(enum operation o);

#endif
