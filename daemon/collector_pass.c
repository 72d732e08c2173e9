/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>

#include "base/sync.h"
#include "daemon/collector_private.h"

void waiters_answer(struct collectors *c, struct waiter *waiters)
{
        (void)pthread_cond_broadcast(&c->settled);
        while (waiters) {
                struct waiter *w = waiters;

                waiters = w->next;
                w->done(w->context, w->complete);
                free(w);
        }
}

void queue_push(struct collectors *c, struct collector *s)
{
        s->run = RUN_QUEUED;
        s->next_queued = NULL;
        *c->queue_end = s;
        c->queue_end = &s->next_queued;
}

void queue_take(struct collectors *c, struct collector *s)
{
        struct collector **at = &c->queue;

        while (*at != s) {
                assert(*at); /* it is queued */
                at = &(*at)->next_queued;
        }
        *at = s->next_queued;
        if (c->queue_end == &s->next_queued)
                c->queue_end = at;
        s->run = RUN_IDLE;
}

/* Marks the values the slot still shows, which are of an earlier pass, for withdraw(). */
static void mark_late(struct collector *s, uint64_t now, struct collector **withdrawn)
{
        s->late = true;
        if (source_is_running(s) && s->overdue_since_ns == 0)
                s->overdue_since_ns = now;
        if (!s->shown || s->stale)
                return;
        s->stale = take_ptr(s->shown);
        s->slot_users++;
        s->next_withdrawn = *withdrawn;
        *withdrawn = s;
}

/* Unlocked. */
static void withdraw(struct collectors *c, struct collector *withdrawn)
{
        while (withdrawn) {
                struct collector *s = withdrawn;
                struct collector *unused;
                struct batch *stale = s->stale;

                withdrawn = s->next_withdrawn;
                slot_withdraw(s->slot, stale);
                batch_unref(stale);
                pool_lock(c);
                s->stale = NULL;
                source_slot_release(s);
                unused = source_unlink_unused(s);
                pool_unlock(c);
                source_dispose(unused);
        }
}

/* All waiters but the patient ones. */
static struct waiter *take_waiters(struct collectors *c, bool complete)
{
        struct waiter *waiters = take_ptr(c->waiters), **at = &waiters;

        while (*at) {
                struct waiter *w = *at;

                w->complete = complete;
                if (!w->patient) {
                        at = &w->next;
                        continue;
                }
                *at = w->next;
                w->next = NULL;
                w->settled = true;
        }
        return waiters;
}

struct waiter *pass_end(struct collectors *c, bool complete)
{
        struct waiter *waiters = take_waiters(c, complete);

        c->in_pass = false;
        c->passes++;
        c->pending = 0;
        return waiters;
}

struct waiter *pass_leave(struct collectors *c, struct collector *s)
{
        if (!s->in_pass)
                return NULL;
        s->in_pass = false;
        c->pending--;
        return c->pending == 0 ? pass_end(c, true) : NULL;
}

/* Gives up what has not published yet. */
static struct waiter *pass_give_up(struct collectors *c, uint64_t now, struct collector **withdrawn)
{
        for (struct collector *s = c->sources; s; s = s->next) {
                if (!s->in_pass)
                        continue;
                s->in_pass = false;
                if (s->run == RUN_PUBLISHING)
                        continue;
                if (s->run == RUN_QUEUED)
                        queue_take(c, s);
                s->missed = true;
                s->failures_total++;
                mark_late(s, now, withdrawn);
        }
        return pass_end(c, false);
}

static uint64_t next_deadline(const struct collectors *c)
{
        uint64_t next = DEADLINE_NEVER;

        if (!c->in_pass)
                return next;
        next = c->pass_deadline_ns;
        if (c->queue)
                next = deadline_min(next, c->slow_check_ns);
        for (const struct waiter *w = c->waiters; w; w = w->next)
                next = deadline_min(next, w->deadline_ns);
        return next;
}

/* Locked. */
static void pass_begin(struct collectors *c, uint64_t now)
{
        c->in_pass = true;
        c->pass_started_ns = now;
        c->pass_deadline_ns = now + COLLECTORS_PASS_MIN_NS;
        c->slow_check_ns = now + COLLECTORS_SLOW_NS;
        for (struct collector *s = c->sources; s; s = s->next) {
                if (s->removed || s->run != RUN_IDLE)
                        continue;
                s->in_pass = true;
                s->missed = false;
                c->pending++;
                queue_push(c, s);
        }
        workers_lend_slow(c, now);
        c->patience_ns = clock_now_ns() + COLLECTORS_PATIENCE_NS;
}

/* Locked. Every worker is stuck with a source of an earlier pass. */
static bool is_hopeless(const struct collectors *c)
{
        if (c->live > 0)
                return false;
        for (const struct collector *s = c->sources; s; s = s->next) {
                if (s->in_pass && source_is_running(s))
                        return false;
        }
        return true;
}

/* Locked. Takes w; returns the waiters to answer, which may be none or w itself. */
static struct waiter *pass_join(
        struct collectors *c, struct waiter *w, uint64_t now, struct collector **withdrawn)
{
        uint64_t longest = c->pass_started_ns + COLLECTORS_PASS_MAX_NS;

        w->next = c->waiters;
        c->waiters = w;
        if (w->deadline_ns > c->pass_deadline_ns)
                c->pass_deadline_ns = deadline_min(w->deadline_ns, longest);
        if (c->pending == 0)
                return pass_end(c, true);
        return is_hopeless(c) ? pass_give_up(c, now, withdrawn) : NULL;
}

/* Locked, which it lets go of to wait, and to wake a worker for a pass that has just begun: it would only run
 * into the lock. Whether the pass was over soon: then w is the caller's to answer, and else it waits with the
 * others. */
static bool wait_patiently(struct collectors *c, struct waiter *w, bool begun)
{
        w->patient = true;
        if (begun) {
                pool_unlock(c);
                (void)pthread_cond_signal(&c->work);
                pool_lock(c);
        }
        while (!w->settled && cond_wait_until(&c->settled, &c->lock, c->patience_ns))
                ;
        w->patient = false;
        return w->settled;
}

struct wake {
        void (*call)(void *context); /* NULL: no need */
        void *context;
};

/* Locked. How to tell the main loop of a deadline nearer than what it knows. */
static struct wake announce(struct collectors *c)
{
        uint64_t next = next_deadline(c);

        if (next >= c->announced_ns)
                return (struct wake){ 0 };
        c->announced_ns = next;
        return (struct wake){ c->wake, c->wake_context };
}

void collectors_scrape(
        struct collectors *c, uint64_t deadline_ns, void (*done)(void *context, bool complete), void *context)
{
        struct waiter *w = malloc(sizeof(*w)), *waiters = w;
        struct collector *withdrawn = NULL;
        uint64_t now = pool_now_ns(c);
        struct wake wake = { 0 };

        if (!w) {
                done(context, false);
                return;
        }
        *w = (struct waiter){ .deadline_ns = deadline_ns, .done = done, .context = context };
        pool_lock(c);
        if (!c->stopping) {
                bool begun = !c->in_pass;

                if (begun)
                        pass_begin(c, now);
                waiters = pass_join(c, w, now, &withdrawn);
                if (!waiters && wait_patiently(c, w, begun)) {
                        waiters = w;
                } else {
                        workers_call(c);
                        wake = announce(c);
                }
        }
        pool_unlock(c);
        withdraw(c, withdrawn);
        waiters_answer(c, waiters);
        if (wake.call)
                wake.call(wake.context);
}

void collectors_set_wake(struct collectors *c, void (*wake)(void *context), void *context)
{
        pool_lock(c);
        c->wake = wake;
        c->wake_context = context;
        pool_unlock(c);
}

uint64_t collectors_next_deadline(struct collectors *c)
{
        uint64_t next;

        pool_lock(c);
        next = c->announced_ns = next_deadline(c);
        pool_unlock(c);
        return next;
}

/* Locked. The waiters whose own deadline has come. */
static struct waiter *take_expired(struct collectors *c, uint64_t now)
{
        struct waiter *expired = NULL, **at = &c->waiters;

        while (*at) {
                struct waiter *w = *at;

                if (w->deadline_ns > now || w->patient) {
                        at = &w->next;
                        continue;
                }
                *at = w->next;
                w->next = expired;
                expired = w;
        }
        return expired;
}

static void mark_unpublished(struct collectors *c, uint64_t now, struct collector **withdrawn)
{
        for (struct collector *s = c->sources; s; s = s->next) {
                if (s->in_pass && s->run != RUN_PUBLISHING)
                        mark_late(s, now, withdrawn);
        }
}

void collectors_expire(struct collectors *c)
{
        struct waiter *expired = NULL, *rest = NULL;
        struct collector *withdrawn = NULL;
        uint64_t now = pool_now_ns(c);

        pool_lock(c);
        if (c->in_pass) {
                if (c->queue && now >= c->slow_check_ns) {
                        workers_lend_slow(c, now);
                        workers_call(c);
                        c->slow_check_ns = now + COLLECTORS_SLOW_NS;
                }
                expired = take_expired(c, now);
                if (expired)
                        mark_unpublished(c, now, &withdrawn);
                if (now >= c->pass_deadline_ns)
                        rest = pass_give_up(c, now, &withdrawn);
        }
        pool_unlock(c);
        withdraw(c, withdrawn);
        waiters_answer(c, expired);
        waiters_answer(c, rest);
}
