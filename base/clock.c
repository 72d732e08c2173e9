/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <limits.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
        struct timespec t = { 0 };

        (void)clock_gettime(id, &t); /* fails only for an unknown clock or a bad pointer */
        return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

static uint64_t system_monotonic_ns(void *context)
{
        return clock_now_ns();
}

static uint64_t system_realtime_ns(void *context)
{
        return read_clock(CLOCK_REALTIME);
}

const struct clock clock_system = {
        .monotonic_ns = system_monotonic_ns,
        .realtime_ns = system_realtime_ns,
};

uint64_t clock_now_ns(void)
{
        return read_clock(CLOCK_MONOTONIC);
}

int deadline_poll_ms(uint64_t deadline_ns)
{
        uint64_t left_ns, left_ms;

        if (deadline_ns == DEADLINE_NEVER)
                return -1;
        left_ns = deadline_left_ns(deadline_ns, clock_now_ns());
        left_ms = left_ns / NS_PER_MS + (left_ns % NS_PER_MS != 0);
        return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}
