/* SPDX-License-Identifier: Apache-2.0 */
/* One active probe of one pair: its identity, its totals, what its last turns said, and what it shows. The
 * main thread's. */
#ifndef DAEMON_TURN_H
#define DAEMON_TURN_H

#include "daemon/config.h"
#include "daemon/detector.h"
#include "daemon/schedule.h"
#include "daemon/slot.h"
#include "probes/probe.h"

/* A class's state. Lives until the turn and the last job let go of it. */
struct instance {
        const struct source_class *class;
        void *state;
        atomic_bool cancel;
        unsigned users;
};

enum turn_phase {
        TURN_WAITING, /* for its due time */
        TURN_RUNNING, /* with the lane, queued or running */
        TURN_STUCK,   /* reported as failed; the lane has not come back */
};

struct turn {
        struct schedule_entry entry; /* first: the schedule hands it back */
        struct turn *next;           /* the scheduler's list */
        bool marked;                 /* the scheduler's, while reconciling */
        bool removed;                /* waits only for its job to come back */

        const struct source_class *class;
        char device[ENGINE_NAME_MAX], rail[ENGINE_NAME_MAX], peer[ENGINE_NAME_MAX];
        struct instance *instance;
        struct device_lane *lane; /* the scheduler's */
        struct run *run;          /* the scheduler's; NULL while waiting */
        struct slot *slot;
        struct detector_series *series;

        enum turn_phase phase;
        uint64_t interval_ns, offset_ns, timeout_ns;
        uint64_t due_ns;      /* monotonic, of the turn now waiting or running */
        uint64_t lateness_ns; /* of the last turn that started */
        uint64_t turns;       /* started */
        unsigned retries;     /* after OUTCOME_BUSY, within this interval */
        struct probe_totals totals;
        struct outcome telling; /* the last that was neither busy nor cancelled; without its histogram */
        bool has_telling;
        uint64_t logged_ns; /* monotonic, when a fault was last logged */
};

/* 0, -errno. */
int instance_new(const struct source_environment *env, const struct source_class *class,
        const struct config *config, const struct source_target *target, struct instance **ret);
void instance_release(struct instance *i); /* NULL is fine */

int turn_new(struct slots *slots, const struct source_class *class, const char *device, const char *rail,
        const char *peer, struct turn **ret);
void turn_free(struct turn *t); /* NULL is fine; not while its job runs */
/* Takes in one outcome (moved from): totals, log line when the state changed, detector, slot. */
void turn_finish(struct turn *t, struct outcome *o);
bool turn_failing(const struct turn *t);

#endif
