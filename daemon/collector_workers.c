/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "daemon/collector_private.h"

/* Unlocked; the source is the calling worker's. */
static struct batch *collect(struct collector *s, uint64_t deadline_ns, int *ret_error)
{
        struct batch *b = batch_new();
        int r;

        if (!b) {
                *ret_error = -ENOMEM;
                return NULL;
        }
        r = s->class->collect(s->state, deadline_ns, b);
        *ret_error = r < 0 ? r : batch_error(b);
        return b;
}

/* Locked, which it lets go of for the swap. Takes b. */
static void publish(struct collectors *c, struct collector *s, struct batch *b)
{
        struct batch *old = s->shown;

        s->run = RUN_PUBLISHING;
        s->shown = b ? batch_ref(b) : NULL;
        s->slot_users++;
        pool_unlock(c);
        slot_publish(s->slot, b);
        batch_unref(old);
        pool_lock(c);
        source_slot_release(s);
}

static void note_result(struct collector *s, uint64_t duration_ns, int error)
{
        s->ran = true;
        s->failed = error < 0;
        if (s->failed && !s->missed)
                s->failures_total++;
        s->missed = s->late = false;
        s->overdue_since_ns = 0;
        s->duration_ns = duration_ns;
}

/* Locked, which it lets go of to work. False: this worker is one too many now. */
static bool run_next(struct collectors *c)
{
        struct collector *s = c->queue, *unused;
        uint64_t deadline_ns = c->pass_deadline_ns, duration_ns;
        uint64_t passes;
        struct waiter *waiters;
        struct batch *b;
        bool surplus;
        int error;

        queue_take(c, s);
        s->run = RUN_COLLECTING;
        s->lent = false;
        s->started_ns = pool_now_ns(c);
        pool_unlock(c);
        b = collect(s, deadline_ns, &error);
        pool_lock(c);
        duration_ns = pool_now_ns(c) - s->started_ns;
        if (duration_ns > COLLECTORS_SHARE_NS)
                workers_call(c);
        if (s->removed)
                batch_unref(b);
        else
                publish(c, s, b);
        note_result(s, duration_ns, error);
        s->run = RUN_IDLE;
        passes = c->passes;
        waiters = pass_leave(c, s);
        surplus = s->lent && c->live >= COLLECTORS_WORKERS_MIN;
        if (s->lent && !surplus)
                c->live++;
        unused = source_unlink_unused(s);
        if (c->passes != passes || unused) {
                pool_unlock(c);
                waiters_answer(c, waiters);
                source_dispose(unused);
                pool_lock(c);
        }
        return !surplus;
}

static void *worker_main(void *context)
{
        struct collectors *c = context;
        bool wanted = true, last;

        pool_lock(c);
        while (wanted && !c->stopping) {
                if (c->queue)
                        wanted = run_next(c);
                else
                        (void)pthread_cond_wait(&c->work, &c->lock);
        }
        if (wanted)
                c->live--;
        c->threads--;
        last = c->orphaned && c->threads == 0;
        (void)pthread_cond_broadcast(&c->ended);
        pool_unlock(c);
        if (last)
                pool_destroy(c);
        return NULL;
}

/* Detached, because nobody can wait for a thread that is stuck in the kernel, and deaf to signals, which are
 * the main loop's. */
int worker_start(struct collectors *c)
{
        pthread_attr_t attributes;
        pthread_t thread;
        sigset_t all;
        int r = pthread_attr_init(&attributes);

        if (r > 0)
                return -r;
        (void)sigfillset(&all);
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        r = pthread_attr_setsigmask_np(&attributes, &all);
        if (r == 0)
                r = pthread_create(&thread, &attributes, worker_main, c);
        (void)pthread_attr_destroy(&attributes);
        if (r != 0)
                return -r;
        (void)pthread_setname_np(thread, "collector");
        c->threads++;
        c->live++;
        return 0;
}

void workers_call(struct collectors *c)
{
        if (c->queue)
                (void)pthread_cond_signal(&c->work);
}

/* Locked. As many as can be had: a pass with one worker is slow, not wrong. */
void workers_keep(struct collectors *c)
{
        while (c->live < COLLECTORS_WORKERS_MIN && c->threads < COLLECTORS_WORKERS_MAX) {
                if (worker_start(c) < 0)
                        return;
        }
}

/* Locked. Workers that have been at one source for long do not count while others wait. */
void workers_lend_slow(struct collectors *c, uint64_t now)
{
        for (struct collector *s = c->sources; s; s = s->next) {
                if (s->run == RUN_COLLECTING && !s->lent && now >= s->started_ns + COLLECTORS_SLOW_NS) {
                        s->lent = true;
                        c->live--;
                }
        }
        workers_keep(c);
}
