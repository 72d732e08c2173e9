/* SPDX-License-Identifier: Apache-2.0 */
/* One lock for the pool, its pass and every source. Under it only fields change: collecting, publishing,
 * destroying and calling back happen between. What such work touches without the lock is held by the source's
 * `run` (its state belongs to the worker) and `slot_users` (its slot stays). A removed source is disposed of
 * by whoever lets go of it last. */
#include "daemon/collector.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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
};

struct collectors {
        const struct clock *clock;
        struct slots *slots;

        pthread_mutex_t lock; /* all below */
        pthread_cond_t work;  /* the queue or `stopping` */
        pthread_cond_t ended; /* a worker, or the use of a slot; CLOCK_MONOTONIC */
        void (*wake)(void *context);
        void *wake_context;
        uint64_t announced_ns;     /* the next deadline the main loop knows */
        struct collector *sources; /* by (source, device) */
        struct collector *queue, **queue_end;
        unsigned threads, live; /* live: not lent to a long call */
        bool stopping, orphaned;

        bool in_pass;
        uint64_t pass_started_ns, pass_deadline_ns, slow_check_ns;
        size_t pending; /* sources the pass waits for */
        struct waiter *waiters;
};

static void lock(struct collectors *c)
{
        (void)pthread_mutex_lock(&c->lock);
}

static void unlock(struct collectors *c)
{
        (void)pthread_mutex_unlock(&c->lock);
}

static uint64_t now_ns(const struct collectors *c)
{
        return clock_monotonic_ns(c->clock);
}

static void pool_destroy(struct collectors *c)
{
        (void)pthread_cond_destroy(&c->ended);
        (void)pthread_cond_destroy(&c->work);
        (void)pthread_mutex_destroy(&c->lock);
        free(c);
}

/* ---- answering and disposing: without the lock -------------------------------------------------- */

static void answer(struct waiter *waiters)
{
        while (waiters) {
                struct waiter *w = waiters;

                waiters = w->next;
                w->done(w->context, w->complete);
                free(w);
        }
}

static void dispose(struct collector *s)
{
        if (!s)
                return;
        slot_remove(s->slot);
        batch_unref(s->shown);
        s->class->destroy(s->state);
        free(s);
}

/* ---- sources: with the lock --------------------------------------------------------------------- */

static bool is_running(const struct collector *s)
{
        return s->run == RUN_COLLECTING || s->run == RUN_PUBLISHING;
}

/* The source itself when it is removed and nobody uses it any more: the caller disposes of it. */
static struct collector *unlink_unused(struct collector *s)
{
        struct collector **at = &s->pool->sources;

        if (!s->removed || s->slot_users > 0 || is_running(s))
                return NULL;
        while (*at != s)
                at = &(*at)->next;
        *at = s->next;
        return s;
}

static void slot_release(struct collector *s)
{
        s->slot_users--;
        (void)pthread_cond_broadcast(&s->pool->ended);
}

static void queue_push(struct collectors *c, struct collector *s)
{
        s->run = RUN_QUEUED;
        s->next_queued = NULL;
        *c->queue_end = s;
        c->queue_end = &s->next_queued;
}

static void queue_take(struct collectors *c, struct collector *s)
{
        struct collector **at = &c->queue;

        while (*at != s)
                at = &(*at)->next_queued;
        *at = s->next_queued;
        if (c->queue_end == &s->next_queued)
                c->queue_end = at;
        s->run = RUN_IDLE;
}

/* Marks the values the slot still shows, which are of an earlier pass, for withdraw(). */
static void mark_late(struct collector *s, uint64_t now, struct collector **withdrawn)
{
        s->late = true;
        if (is_running(s) && s->overdue_since_ns == 0)
                s->overdue_since_ns = now;
        if (!s->shown || s->stale)
                return;
        s->stale = take_ptr(s->shown);
        s->slot_users++;
        s->next_withdrawn = *withdrawn;
        *withdrawn = s;
}

/* Without the lock. */
static void withdraw(struct collectors *c, struct collector *withdrawn)
{
        while (withdrawn) {
                struct collector *s = withdrawn;
                struct collector *unused;
                struct batch *stale = s->stale;

                withdrawn = s->next_withdrawn;
                slot_withdraw(s->slot, stale);
                batch_unref(stale);
                lock(c);
                s->stale = NULL;
                slot_release(s);
                unused = unlink_unused(s);
                unlock(c);
                dispose(unused);
        }
}

/* ---- the pass: with the lock -------------------------------------------------------------------- */

static struct waiter *pass_end(struct collectors *c, bool complete)
{
        struct waiter *waiters = take_ptr(c->waiters);

        for (struct waiter *w = waiters; w; w = w->next)
                w->complete = complete;
        c->in_pass = false;
        c->pending = 0;
        return waiters;
}

/* The pass need not wait for this source any longer. Returns the waiters to answer. */
static struct waiter *pass_leave(struct collectors *c, struct collector *s)
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

/* ---- workers ------------------------------------------------------------------------------------ */

/* Without the lock; the source is the calling worker's. */
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

/* With the lock, which it lets go of for the swap. Takes b. */
static void publish(struct collectors *c, struct collector *s, struct batch *b)
{
        struct batch *old = s->shown;

        s->run = RUN_PUBLISHING;
        s->shown = b ? batch_ref(b) : NULL;
        s->slot_users++;
        unlock(c);
        slot_publish(s->slot, b);
        batch_unref(old);
        lock(c);
        slot_release(s);
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

/* With the lock, which it lets go of to work. False: this worker is one too many now. */
static bool run_next(struct collectors *c)
{
        struct collector *s = c->queue, *unused;
        uint64_t deadline_ns = c->pass_deadline_ns, duration_ns;
        struct waiter *waiters;
        struct batch *b;
        bool surplus;
        int error;

        queue_take(c, s);
        s->run = RUN_COLLECTING;
        s->lent = false;
        s->started_ns = now_ns(c);
        unlock(c);
        b = collect(s, deadline_ns, &error);
        lock(c);
        duration_ns = now_ns(c) - s->started_ns;
        if (s->removed)
                batch_unref(b);
        else
                publish(c, s, b);
        note_result(s, duration_ns, error);
        s->run = RUN_IDLE;
        waiters = pass_leave(c, s);
        surplus = s->lent && c->live >= COLLECTORS_WORKERS_MIN;
        if (s->lent && !surplus)
                c->live++;
        unused = unlink_unused(s);
        unlock(c);
        answer(waiters);
        dispose(unused);
        lock(c);
        return !surplus;
}

static void *worker_main(void *context)
{
        struct collectors *c = context;
        bool wanted = true, last;

        lock(c);
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
        unlock(c);
        if (last)
                pool_destroy(c);
        return NULL;
}

/* Detached, because nobody can wait for a thread that is stuck in the kernel, and deaf to signals, which are
 * the main loop's. */
static int start_worker(struct collectors *c)
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
        if (r > 0)
                return -r;
        (void)pthread_setname_np(thread, "collector");
        c->threads++;
        c->live++;
        return 0;
}

/* With the lock. As many as can be had: a pass with one worker is slow, not wrong. */
static void keep_workers(struct collectors *c)
{
        while (c->live < COLLECTORS_WORKERS_MIN && c->threads < COLLECTORS_WORKERS_MAX) {
                if (start_worker(c) < 0)
                        return;
        }
}

/* With the lock. Workers that have been at one source for long do not count while others wait. */
static void lend_slow_workers(struct collectors *c, uint64_t now)
{
        for (struct collector *s = c->sources; s; s = s->next) {
                if (s->run == RUN_COLLECTING && !s->lent && now >= s->started_ns + COLLECTORS_SLOW_NS) {
                        s->lent = true;
                        c->live--;
                }
        }
        keep_workers(c);
}

/* ---- the public face ---------------------------------------------------------------------------- */

static int pool_init(struct collectors *c)
{
        pthread_condattr_t monotonic;
        int r = pthread_condattr_init(&monotonic);

        if (r > 0)
                return -r;
        (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        (void)pthread_cond_init(&c->ended, &monotonic); /* these three cannot fail on Linux */
        (void)pthread_cond_init(&c->work, NULL);
        (void)pthread_mutex_init(&c->lock, NULL);
        (void)pthread_condattr_destroy(&monotonic);
        return 0;
}

int collectors_new(const struct clock *clock, struct slots *slots, struct collectors **ret)
{
        struct collectors *c = calloc(1, sizeof(*c));
        int r;

        if (!c)
                return -ENOMEM;
        *c = (struct collectors){ .clock = clock, .slots = slots, .announced_ns = DEADLINE_NEVER };
        c->queue_end = &c->queue;
        r = pool_init(c);
        if (r < 0) {
                free(c);
                return r;
        }
        lock(c);
        r = start_worker(c);
        keep_workers(c);
        unlock(c);
        if (r < 0) {
                collectors_free(c, 0);
                return r;
        }
        *ret = c;
        return 0;
}

/* A source to dispose of, or with a slot to take from under a stuck worker; false: none is left. */
static bool next_leftover(struct collectors *c, struct collector **ret_unused, struct slot **ret_slot)
{
        *ret_unused = NULL;
        *ret_slot = NULL;
        for (struct collector *s = c->sources; s; s = s->next) {
                s->removed = true;
                if (!is_running(s)) {
                        *ret_unused = unlink_unused(s);
                        return true;
                }
                if (s->slot) {
                        *ret_slot = take_ptr(s->slot);
                        return true;
                }
        }
        return false;
}

static bool slots_in_use(const struct collectors *c)
{
        for (const struct collector *s = c->sources; s; s = s->next) {
                if (s->slot_users > 0 || s->run == RUN_PUBLISHING)
                        return true;
        }
        return false;
}

/* With the lock. */
static void wait_for_workers(struct collectors *c, uint64_t deadline_ns)
{
        struct timespec deadline = { .tv_sec = (time_t)(deadline_ns / NS_PER_SEC),
                .tv_nsec = (long)(deadline_ns % NS_PER_SEC) };

        while (c->threads > 0 && pthread_cond_timedwait(&c->ended, &c->lock, &deadline) == 0)
                ;
        while (slots_in_use(c)) /* for a pointer swap at most */
                (void)pthread_cond_wait(&c->ended, &c->lock);
}

void collectors_free(struct collectors *c, uint64_t deadline_ns)
{
        struct collector *unused;
        struct waiter *waiters;
        struct slot *slot;
        bool last;

        if (!c)
                return;
        lock(c);
        c->stopping = true;
        while (c->queue)
                queue_take(c, c->queue);
        for (struct collector *s = c->sources; s; s = s->next)
                s->in_pass = false;
        waiters = pass_end(c, false);
        (void)pthread_cond_broadcast(&c->work);
        unlock(c);
        answer(waiters);
        lock(c);
        wait_for_workers(c, deadline_ns);
        while (next_leftover(c, &unused, &slot)) {
                unlock(c);
                dispose(unused);
                slot_remove(slot);
                lock(c);
        }
        c->orphaned = true;
        last = c->threads == 0;
        unlock(c);
        if (last)
                pool_destroy(c);
}

static int compare(const struct collector *a, const struct collector *b)
{
        int order = strcmp(a->class->name, b->class->name);

        return order ? order : strcmp(a->device, b->device);
}

int collector_add(struct collectors *c, const struct source_class *class, const char *device, void *state,
        struct collector **ret)
{
        struct collector *s = calloc(1, sizeof(*s)), **at;
        int r;

        if (!s)
                return -ENOMEM;
        *s = (struct collector){ .pool = c, .class = class, .state = state };
        r = text_copy(s->device, sizeof(s->device), device);
        if (r == 0)
                r = slot_add(c->slots, &s->slot);
        if (r < 0) {
                free(s);
                return r;
        }
        lock(c);
        for (at = &c->sources; *at && compare(*at, s) < 0;)
                at = &(*at)->next;
        s->next = *at;
        *at = s;
        unlock(c);
        *ret = s;
        return 0;
}

void collector_remove(struct collector *s)
{
        struct collectors *c;
        struct collector *unused;
        struct waiter *waiters;

        if (!s)
                return;
        c = s->pool;
        lock(c);
        s->removed = true;
        if (s->run == RUN_QUEUED)
                queue_take(c, s);
        waiters = pass_leave(c, s);
        s->slot_users++;
        unlock(c);
        slot_publish(s->slot, NULL);
        answer(waiters);
        lock(c);
        slot_release(s);
        unused = unlink_unused(s);
        unlock(c);
        dispose(unused);
}

/* With the lock. */
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
        lend_slow_workers(c, now);
        (void)pthread_cond_broadcast(&c->work);
}

/* With the lock. Every worker is stuck with a source of an earlier pass. */
static bool is_hopeless(const struct collectors *c)
{
        if (c->live > 0)
                return false;
        for (const struct collector *s = c->sources; s; s = s->next) {
                if (s->in_pass && is_running(s))
                        return false;
        }
        return true;
}

/* With the lock. Takes w; returns the waiters to answer, which may be none or w itself. */
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

/* With the lock. Whether the main loop must be told of a nearer deadline. */
static bool announce(struct collectors *c)
{
        uint64_t next = next_deadline(c);
        bool nearer = next < c->announced_ns;

        if (nearer)
                c->announced_ns = next;
        return nearer && c->wake;
}

void collectors_scrape(
        struct collectors *c, uint64_t deadline_ns, void (*done)(void *context, bool complete), void *context)
{
        struct waiter *w = malloc(sizeof(*w)), *waiters = w;
        struct collector *withdrawn = NULL;
        uint64_t now = now_ns(c);
        bool tell = false;

        if (!w) {
                done(context, false);
                return;
        }
        *w = (struct waiter){ .deadline_ns = deadline_ns, .done = done, .context = context };
        lock(c);
        if (!c->stopping) {
                if (!c->in_pass)
                        pass_begin(c, now);
                waiters = pass_join(c, w, now, &withdrawn);
                tell = announce(c);
        }
        unlock(c);
        withdraw(c, withdrawn);
        answer(waiters);
        if (tell)
                c->wake(c->wake_context);
}

void collectors_set_wake(struct collectors *c, void (*wake)(void *context), void *context)
{
        lock(c);
        c->wake = wake;
        c->wake_context = context;
        unlock(c);
}

uint64_t collectors_next_deadline(struct collectors *c)
{
        uint64_t next;

        lock(c);
        next = c->announced_ns = next_deadline(c);
        unlock(c);
        return next;
}

/* With the lock. The waiters whose own deadline has come. */
static struct waiter *take_expired(struct collectors *c, uint64_t now)
{
        struct waiter *expired = NULL, **at = &c->waiters;

        while (*at) {
                struct waiter *w = *at;

                if (w->deadline_ns > now) {
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
        uint64_t now = now_ns(c);

        lock(c);
        if (c->in_pass) {
                if (c->queue && now >= c->slow_check_ns) {
                        lend_slow_workers(c, now);
                        c->slow_check_ns = now + COLLECTORS_SLOW_NS;
                }
                expired = take_expired(c, now);
                if (expired)
                        mark_unpublished(c, now, &withdrawn);
                if (now >= c->pass_deadline_ns)
                        rest = pass_give_up(c, now, &withdrawn);
        }
        unlock(c);
        withdraw(c, withdrawn);
        answer(expired);
        answer(rest);
}

static void state_of(const struct collector *s, uint64_t now, struct collector_state *ret)
{
        *ret = (struct collector_state){
                .source = s->class->name,
                .ran = s->ran,
                .success = s->ran && !s->failed && !s->missed && !s->late,
                .duration_ns = s->duration_ns,
                .failures_total = s->failures_total,
        };
        memcpy(ret->device, s->device, sizeof(ret->device));
        if (s->overdue_since_ns > 0) /* at its very deadline it is overdue, too */
                ret->overdue_ns = now > s->overdue_since_ns ? now - s->overdue_since_ns : 1;
}

static size_t count_sources(const struct collectors *c)
{
        size_t n = 0;

        for (const struct collector *s = c->sources; s; s = s->next)
                n += !s->removed;
        return n;
}

int collectors_states(struct collectors *c, struct collector_state **ret, size_t *ret_n)
{
        uint64_t now = now_ns(c);
        struct collector_state *states;
        size_t cap, n = 0;

        lock(c);
        cap = count_sources(c);
        unlock(c);
        states = calloc(cap > 0 ? cap : 1, sizeof(*states));
        if (!states)
                return -ENOMEM;
        lock(c);
        for (struct collector *s = c->sources; s && n < cap; s = s->next) {
                if (!s->removed)
                        state_of(s, now, &states[n++]);
        }
        unlock(c);
        *ret = states;
        *ret_n = n;
        return 0;
}

unsigned collectors_workers(struct collectors *c)
{
        unsigned n;

        lock(c);
        n = c->threads;
        unlock(c);
        return n;
}
