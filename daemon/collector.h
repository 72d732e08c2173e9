/* SPDX-License-Identifier: Apache-2.0 */
/* Runs SCRAPE sources on a small pool of workers (2, growing to 8). Scrapes that come while a pass is under
 * way share it. A worker whose call takes long is replaced while others wait for their turn; one past its
 * pass's deadline is abandoned to the kernel: its source is shown as failed with its age, and starts again
 * only when that call returns. With all 8 workers stuck nothing is started: pages come at once, without the
 * samples. Thread-safe. */
#ifndef DAEMON_COLLECTOR_H
#define DAEMON_COLLECTOR_H

#include "daemon/slot.h"
#include "probes/probe.h"

struct collectors;
struct collector; /* one source with its slot */

int collectors_new(const struct clock *clock, struct slots *slots, struct collectors **ret);
/* Answers who still waits, removes all sources and their slots, and waits for workers up to the deadline
 * (CLOCK_MONOTONIC). Those stuck in the kernel are left behind and free what is theirs when they return:
 * until then the sources' environment must live. */
int collectors_free(struct collectors *c, uint64_t deadline_ns);

/* Takes `state` (made by class->create) on success; destroys it by collector_remove(), or when a stuck call
 * returns. */
int collector_add(struct collectors *c, const struct source_class *class, const char *device, void *state,
        struct collector **ret);
void collector_remove(struct collector *source); /* NULL is fine */

/* Joins the pass under way, or starts one over all sources that are not stuck, and calls done() exactly once,
 * on any thread (even this one, before returning, and so whenever the pass is over within
 * COLLECTORS_PATIENCE_NS of its start, for which this call waits: that is cheaper than to tell the main loop of a
 * deadline and to suspend a request). Must have returned before collectors_free(). done() comes when every source of the pass has published, or at
 * deadline_ns at the latest if collectors_expire() is called then. `complete` is false when some source of
 * the pass had not published by then; such a source's slot is emptied first, so its values are missing from
 * the page, never those of an earlier pass. A pass lives at least COLLECTORS_PASS_MIN_NS, so that a client
 * with an absurdly short timeout gets its poor page without declaring anybody's source overdue. */
void collectors_scrape(struct collectors *c, uint64_t deadline_ns, void (*done)(void *context, bool complete),
        void *context);

#define COLLECTORS_PATIENCE_NS UINT64_C(1000000)
#define COLLECTORS_SHARE_NS                                                                                  \
        UINT64_C(1000000) /* a run that takes longer gets another worker to help with the rest */
#define COLLECTORS_PASS_MIN_NS UINT64_C(1000000000)
#define COLLECTORS_PASS_MAX_NS UINT64_C(30000000000) /* joiners prolong a pass up to this */
#define COLLECTORS_SLOW_NS     UINT64_C(100000000) /* a run that takes longer no longer holds up the others */
#define COLLECTORS_WORKERS_MIN 2
#define COLLECTORS_WORKERS_MAX 8

/* For the main loop: when to call collectors_expire() next (DEADLINE_NEVER: no need). `wake` is called, on
 * any thread, whenever that time moves nearer. */
uint64_t collectors_next_deadline(struct collectors *c);
void collectors_set_wake(struct collectors *c, void (*wake)(void *context), void *context);
void collectors_expire(struct collectors *c);

struct collector_state {
        const char *source; /* class name */
        char device[ENGINE_NAME_MAX];
        bool ran;             /* at least one run ended */
        bool success;         /* it had its turn in the last pass, in time, and without an error */
        uint64_t duration_ns; /* of the last run that ended */
        uint64_t overdue_ns;  /* how long past its deadline a run is in the kernel; 0: none */
        uint64_t failures_total;
};

/* States of all sources, sorted by (source, device): *ret freed with free(). 0, -ENOMEM. */
int collectors_states(struct collectors *c, struct collector_state **ret, size_t *ret_n);
unsigned collectors_workers(struct collectors *c); /* threads now, abandoned ones included */

#endif
