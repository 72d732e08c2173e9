/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded table of what peers have measured towards this host. Pure; the owner locks. */
#ifndef ENGINE_SERVED_H
#define ENGINE_SERVED_H

#include "engine/engine.h"

struct served {
        struct responder_served *items; /* in order of peer, device, measure */
        size_t n;
};

void served_done(struct served *s);
/* Takes one completed measurement in. Without memory it is left out. */
void served_add(struct served *s, const struct responder_served *one);

#endif
