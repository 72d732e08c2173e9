/* SPDX-License-Identifier: Apache-2.0 */
/* Condition variables whose waits end at CLOCK_MONOTONIC times, as all deadlines do. */
#ifndef BASE_SYNC_H
#define BASE_SYNC_H

#include <pthread.h>
#include <stdbool.h>

#include "base/clock.h"

/* None of these calls can fail on Linux for a clock that exists. */
static inline void cond_init(pthread_cond_t *cond)
{
        pthread_condattr_t monotonic;

        (void)pthread_condattr_init(&monotonic);
        (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        (void)pthread_cond_init(cond, &monotonic);
        (void)pthread_condattr_destroy(&monotonic);
}

/* As pthread_cond_wait(): with the lock held, and with wake-ups for nothing. False when the time has come. */
static inline bool cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t deadline_ns)
{
        struct timespec until = {
                .tv_sec = (time_t)(deadline_ns / NS_PER_SEC),
                .tv_nsec = (long)(deadline_ns % NS_PER_SEC),
        };

        return (deadline_ns == DEADLINE_NEVER ? pthread_cond_wait(cond, lock)
                                              : pthread_cond_timedwait(cond, lock, &until)) == 0;
}

#endif
