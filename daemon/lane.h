/* SPDX-License-Identifier: Apache-2.0 */
/* A lane: the thread that runs the turns of one device, one at a time, in the order they were submitted.
 * submit and free are the main thread's; done() is called on the lane's thread. */
#ifndef DAEMON_LANE_H
#define DAEMON_LANE_H

#include "probes/probe.h"

struct lane;

/* One run of one source. Made and freed by the submitter; between lane_submit() and done() it is the
 * lane's, but for the atomics. */
struct job {
        const struct source_class *class;
        void *state;
        uint64_t timeout_ns; /* the deadline is this long after the start */
        const atomic_bool *cancel;
        _Atomic uint64_t started_ns; /* monotonic; 0: still waiting in the lane */
        struct outcome outcome;
        void *owner;
        struct job *next; /* the lane's, then the owner's */
};

int lane_new(
        const char *device, void (*done)(void *context, struct job *job), void *context, struct lane **ret);
void lane_submit(struct lane *lane, struct job *job);
/* Ends the thread when its queue is empty: cancel the jobs first, cancelled ones are not run but handed to
 * done() at once. 0: ended, all freed. -ETIMEDOUT: stuck in the kernel past the deadline; the thread and the
 * lane stay behind. */
int lane_free(struct lane *lane, uint64_t deadline_ns);

#endif
