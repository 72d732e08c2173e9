/* SPDX-License-Identifier: Apache-2.0 */
/* What scheduler.c (turns in time) and scheduler_reconcile.c (which turns there are) share. */
#ifndef DAEMON_SCHEDULER_PRIVATE_H
#define DAEMON_SCHEDULER_PRIVATE_H

#include <pthread.h>

#include "daemon/device_lane.h"
#include "daemon/scheduler.h"
#include "daemon/turn.h"

struct scheduler {
        const struct source_environment *env;
        struct slots *slots;
        void (*wake)(void *context);
        void *wake_context;
        struct schedule schedule;
        struct turn *turns;
        struct device_lane *lanes;
        pthread_mutex_t lock; /* guards ended */
        struct job *ended;
};

/* Puts the turn back to its place on the grid. */
void scheduler_wait_for_next(struct scheduler *s, struct turn *t);
/* The lane's done(): hands the job to scheduler_collect(). On the lane's thread; context is the scheduler. */
void scheduler_job_done(void *context, struct job *job);

#endif
