/* SPDX-License-Identifier: Apache-2.0 */
/* What the collectors' files share: collector.c (sources and the pool), collector_pass.c (passes and who
 * waits for them), collector_workers.c (threads).
 *
 * One lock for the pool, its pass and every source. Under it only fields change: collecting, publishing,
 * destroying and calling back happen between. What such work touches without the lock is held by the source's
 * `run` (its state is the worker's) and `slot_users` (its slot stays). A removed source is disposed of by
 * whoever lets go of it last. Functions say which of the two they want: "locked" callers hold the lock. */
#ifndef DAEMON_COLLECTOR_PRIVATE_H
#define DAEMON_COLLECTOR_PRIVATE_H

#include <pthread.h>

#include "daemon/collector.h"

enum run {
        RUN_IDLE,
        RUN_QUEUED,
        RUN_COLLECTING, /* the worker's, perhaps stuck */
        RUN_PUBLISHING, /* the worker's, for a pointer swap */
};

struct collector {
        struct collectors *pool;
        struct collector *next, *next_queued, *next_withdrawn;
        const struct source_class *class;
        char device[ENGINE_NAME_MAX];
        void *state;
        struct slot *slot;
        struct batch *shown; /* what the slot holds: one more reference, so that its address stays its name */
        struct batch *stale; /* was `shown` and is being withdrawn */
        unsigned slot_users;
        enum run run;
        bool removed;
        bool in_pass; /* the pass waits for it */
        bool lent;    /* its worker is not counted as live: it has been at it for long */
        bool missed;  /* by the pass's deadline, or for want of a worker: counted as a failure */
        bool late;    /* by a scrape's deadline: the slot is empty */
        bool ran, failed;
        uint64_t started_ns, duration_ns, overdue_since_ns, failures_total;
};

struct waiter {
        struct waiter *next;
        uint64_t deadline_ns;
        void (*done)(void *context, bool complete);
        void *context;
        bool complete;
        bool patient; /* its own thread waits for it and answers itself … */
        bool settled; /* … when this is set */
};

struct collectors {
        const struct clock *clock;
        struct slots *slots;

        pthread_mutex_t lock;   /* all below */
        pthread_cond_t work;    /* the queue or `stopping` */
        pthread_cond_t ended;   /* a worker, or the use of a slot; CLOCK_MONOTONIC */
        pthread_cond_t settled; /* a patient waiter; CLOCK_MONOTONIC */
        void (*wake)(void *context);
        void *wake_context;
        uint64_t announced_ns;     /* the next deadline the main loop knows */
        struct collector *sources; /* by (source, device) */
        struct collector *queue, **queue_end;
        unsigned threads, live; /* live: not lent to a long call */
        bool stopping, orphaned;

        bool in_pass;
        uint64_t passes; /* ended */
        uint64_t pass_started_ns, pass_deadline_ns, slow_check_ns;
        uint64_t patience_ns; /* until when patient waiters wait; by the system's clock */
        size_t pending;       /* sources the pass waits for */
        struct waiter *waiters;
};

static inline void pool_lock(struct collectors *c)
{
        (void)pthread_mutex_lock(&c->lock);
}

static inline void pool_unlock(struct collectors *c)
{
        (void)pthread_mutex_unlock(&c->lock);
}

static inline uint64_t pool_now_ns(const struct collectors *c)
{
        return clock_monotonic_ns(c->clock);
}

static inline bool source_is_running(const struct collector *s)
{
        return s->run == RUN_COLLECTING || s->run == RUN_PUBLISHING;
}

/* collector.c */
void pool_destroy(struct collectors *c);
/* Locked. The source itself when it is removed and nobody uses it any more, for source_dispose(). */
struct collector *source_unlink_unused(struct collector *s);
/* Locked. Undoes slot_users++. */
void source_slot_release(struct collector *s);
void source_dispose(struct collector *s); /* NULL is fine */

/* collector_pass.c */
void queue_push(struct collectors *c, struct collector *s); /* locked, like the next three */
void queue_take(struct collectors *c, struct collector *s);
/* The pass is over; returns the waiters for waiters_answer(). */
struct waiter *pass_end(struct collectors *c, bool complete);
/* The pass need not wait for this source any longer. */
struct waiter *pass_leave(struct collectors *c, struct collector *s);
/* Unlocked, after each pass_end(): patient waiters are woken here, when the lock they need is free. */
void waiters_answer(struct collectors *c, struct waiter *waiters);

/* collector_workers.c */
int worker_start(struct collectors *c);                        /* locked, like the next three */
void workers_call(struct collectors *c);                       /* one more, when sources are queued */
void workers_keep(struct collectors *c);                       /* at least WORKERS_MIN, if they can be had */
void workers_lend_slow(struct collectors *c, uint64_t now_ns); /* replaces those at one source for long */

#endif
