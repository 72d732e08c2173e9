/* SPDX-License-Identifier: Apache-2.0 */
/* Messages at an even rate: each is due one interval after the one before, to the fraction of a nanosecond,
 * and nothing is sent in bursts. Pure: time comes from the caller.
 *
 * Whoever comes late makes up for it, so that jitter does not lower the rate, but only for PACER_CATCH_UP_NS:
 * what a longer stall has cost is lost, and the schedule goes on from there. */
#ifndef ENGINE_PACER_H
#define ENGINE_PACER_H

#include <stdint.h>

#include "base/clock.h"

#define PACER_CATCH_UP_NS NS_PER_MS

__extension__ typedef unsigned __int128 pacer_ticks; /* 1 / bytes_per_second of a nanosecond */

struct pacer {
        uint64_t bytes_per_second;
        uint64_t next_ns;     /* when the next message is due … */
        pacer_ticks fraction; /* … and this much later, under a nanosecond */
        pacer_ticks interval; /* from a message to the next */
};

/* The first message is due at once. Neither bytes_per_second nor message_bytes is 0. */
void pacer_init(struct pacer *p, uint64_t bytes_per_second, uint64_t message_bytes, uint64_t now_ns);
/* How many messages may go now: what is due, at most what PACER_CATCH_UP_NS are worth, rounded up to whole
 * messages. */
uint64_t pacer_allowed(struct pacer *p, uint64_t now_ns);
/* So many of them, n ≤ pacer_allowed(), went. */
void pacer_took(struct pacer *p, uint64_t n);
/* When pacer_allowed() will not be 0; DEADLINE_NEVER when that is centuries away. */
uint64_t pacer_next_ns(const struct pacer *p);

#endif
