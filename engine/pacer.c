/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/pacer.h"

#include <assert.h>

/* In ticks the interval is a whole number: nothing is ever rounded, so nothing drifts. */
void pacer_init(struct pacer *p, uint64_t bytes_per_second, uint64_t message_bytes, uint64_t now_ns)
{
        assert(bytes_per_second > 0 && message_bytes > 0);
        *p = (struct pacer){
                .bytes_per_second = bytes_per_second,
                .next_ns = now_ns,
                .interval = (pacer_ticks)message_bytes * NS_PER_SEC,
        };
}

uint64_t pacer_allowed(struct pacer *p, uint64_t now_ns)
{
        if (now_ns < p->next_ns)
                return 0;
        pacer_ticks late = (pacer_ticks)(now_ns - p->next_ns) * p->bytes_per_second;
        if (late < p->fraction)
                return 0;
        late -= p->fraction;
        pacer_ticks too_late = (pacer_ticks)p->bytes_per_second * PACER_CATCH_UP_NS;
        if (late >= too_late) { /* a stall: the next message was due a tick less than that ago */
                p->next_ns = now_ns - PACER_CATCH_UP_NS;
                p->fraction = 1;
                late = too_late - 1;
        }
        return (uint64_t)(late / p->interval) + 1;
}

void pacer_took(struct pacer *p, uint64_t n)
{
        pacer_ticks ticks = p->fraction + n * p->interval;
        pacer_ticks ns = ticks / p->bytes_per_second;
        p->fraction = ticks % p->bytes_per_second;
        p->next_ns = ns > DEADLINE_NEVER - p->next_ns ? DEADLINE_NEVER : p->next_ns + (uint64_t)ns;
}

uint64_t pacer_next_ns(const struct pacer *p)
{
        return p->fraction > 0 && p->next_ns < DEADLINE_NEVER ? p->next_ns + 1 : p->next_ns;
}
