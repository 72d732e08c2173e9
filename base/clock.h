/* SPDX-License-Identifier: Apache-2.0 */
/* Time as a value that tests replace. All monotonic times are CLOCK_MONOTONIC nanoseconds; a deadline is
 * an absolute monotonic time, and only what remains of it is passed down. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_US      UINT64_C(1000)
#define NS_PER_MS      UINT64_C(1000000)
#define NS_PER_SEC     UINT64_C(1000000000)
#define DEADLINE_NEVER UINT64_MAX

struct clock {
        uint64_t (*monotonic_ns)(void *context);
        uint64_t (*realtime_ns)(void *context); /* since the epoch */
        void *context;
};

extern const struct clock clock_system;

static inline uint64_t clock_monotonic_ns(const struct clock *c)
{
        return c->monotonic_ns(c->context);
}

static inline uint64_t clock_realtime_ns(const struct clock *c)
{
        return c->realtime_ns(c->context);
}

/* The system's monotonic clock without indirection, for hot loops (57 ns in a TCG guest, 20–50 ns on
 * bare metal, by vDSO). */
uint64_t clock_now_ns(void);

/* What is left of a deadline at `now`; 0 when it has passed. */
static inline uint64_t deadline_left_ns(uint64_t deadline_ns, uint64_t now_ns)
{
        return deadline_ns > now_ns ? deadline_ns - now_ns : 0;
}

static inline uint64_t deadline_min(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

/* Timeout for poll(2): milliseconds left, rounded up so that a wait never ends before the deadline;
 * -1 for DEADLINE_NEVER. Uses the system clock. */
int deadline_poll_ms(uint64_t deadline_ns);

#endif
