/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/reaper.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/sync.h"
#include "base/text.h"

#define IDLE_NS     (5 * NS_PER_SEC) /* a thread with nothing to do for so long ends */
#define FREE_NS     NS_PER_SEC       /* reapers_free() waits no longer for work under way */
#define STACK_BYTES ((size_t)256 << 10)

struct reaper {
        struct reapers *owner;
        struct reaper *next; /* in name order */
        char device[ENGINE_NAME_MAX];
        bool running; /* has a thread */
        struct teardown *first, *last;
        uint64_t current_ns; /* when the one being destroyed was submitted; 0 for none */
        unsigned pending;    /* with that one */
        uint64_t done_total;
};

/* `lock` guards everything here and in the list. Threads are detached, and count as `threads`; the last of
 * them frees the struct when reapers_free() has left it behind. A thread that never returns from the kernel
 * thus keeps it: a leak by intention, since nobody can know when it will look at it again. */
struct reapers {
        pthread_mutex_t lock;
        pthread_cond_t changed;
        struct reaper *list;
        unsigned threads;
        bool stopping, abandoned;
};

int reapers_new(struct reapers **ret)
{
        struct reapers *r = calloc(1, sizeof(*r));
        if (!r)
                return -ENOMEM;
        cond_init(&r->changed);
        (void)pthread_mutex_init(&r->lock, NULL); /* does not fail on Linux */
        *ret = r;
        return 0;
}

static void release(struct reapers *r)
{
        for (struct reaper *reaper = r->list; reaper;) {
                struct reaper *next = reaper->next;
                free(reaper);
                reaper = next;
        }
        (void)pthread_cond_destroy(&r->changed); /* no waiters: cannot fail */
        (void)pthread_mutex_destroy(&r->lock);
        free(r);
}

/* Takes the oldest piece of work; with the lock. */
static struct teardown *next_work(struct reaper *reaper)
{
        struct teardown *t = reaper->first;
        if (!t)
                return NULL;
        reaper->first = t->next;
        if (!reaper->first)
                reaper->last = NULL;
        reaper->current_ns = t->submitted_ns;
        return t;
}

/* Works the queue off; with the lock, which is released while the kernel works. */
static void work_off(struct reaper *reaper)
{
        struct reapers *r = reaper->owner;
        for (struct teardown *t; (t = next_work(reaper));) {
                (void)pthread_mutex_unlock(&r->lock); /* our own lock: cannot fail */
                t->destroy(t);
                (void)pthread_mutex_lock(&r->lock);
                reaper->current_ns = 0;
                reaper->pending--;
                reaper->done_total++;
        }
}

static void *reaper_thread(void *argument)
{
        struct reaper *reaper = argument;
        struct reapers *r = reaper->owner;
        (void)pthread_mutex_lock(&r->lock);
        for (;;) {
                work_off(reaper);
                if (r->stopping)
                        break;
                uint64_t idle_until = clock_now_ns() + IDLE_NS;
                while (!reaper->first && !r->stopping && cond_wait_until(&r->changed, &r->lock, idle_until))
                        ;
                if (!reaper->first)
                        break;
        }
        reaper->running = false;
        bool last = --r->threads == 0 && r->abandoned;
        (void)pthread_cond_broadcast(&r->changed);
        (void)pthread_mutex_unlock(&r->lock);
        if (last)
                release(r);
        return NULL;
}

/* Signals are for the threads that expect them, so all are blocked in this one. With the lock. */
static int start(struct reaper *reaper)
{
        pthread_attr_t attributes;
        int error = pthread_attr_init(&attributes);
        if (error != 0)
                return -error;
        sigset_t all, old;
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &old);                          /* valid arguments */
        (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);               /* else the default */
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED); /* valid arguments */
        pthread_t thread;
        error = pthread_create(&thread, &attributes, reaper_thread, reaper);
        (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
        (void)pthread_attr_destroy(&attributes);
        if (error != 0)
                return -error;
        reaper->running = true;
        reaper->owner->threads++;
        return 0;
}

/* Finds or adds, in name order; NULL: no memory. With the lock. */
static struct reaper *reaper_of(struct reapers *r, const char *device)
{
        struct reaper **at = &r->list;
        while (*at && strcmp((*at)->device, device) < 0)
                at = &(*at)->next;
        if (*at && text_equal((*at)->device, device))
                return *at;
        struct reaper *reaper = calloc(1, sizeof(*reaper));
        if (!reaper)
                return NULL;
        reaper->owner = r;
        (void)text_copy(reaper->device, sizeof(reaper->device), device); /* names of devices fit */
        reaper->next = *at;
        *at = reaper;
        return reaper;
}

static void append(struct reaper *reaper, struct teardown *t)
{
        if (reaper->last)
                reaper->last->next = t;
        else
                reaper->first = t;
        reaper->last = t;
        reaper->pending++;
}

void reapers_submit(struct reapers *r, const char *device, struct teardown *t)
{
        t->next = NULL;
        t->submitted_ns = clock_now_ns();
        (void)pthread_mutex_lock(&r->lock);
        struct reaper *reaper = reaper_of(r, device);
        if (reaper) {
                append(reaper, t);
                if (reaper->running)
                        (void)pthread_cond_broadcast(&r->changed);
                else if (start(reaper) < 0)
                        work_off(reaper);
        }
        (void)pthread_mutex_unlock(&r->lock);
        if (!reaper)
                t->destroy(t);
}

static uint64_t oldest_ns(const struct reaper *reaper, uint64_t now)
{
        uint64_t submitted = reaper->current_ns ? reaper->current_ns
                             : reaper->first    ? reaper->first->submitted_ns
                                                : now;
        return now > submitted ? now - submitted : 0;
}

bool reapers_stuck(struct reapers *r, const char *device)
{
        uint64_t now = clock_now_ns();
        bool stuck = false;
        (void)pthread_mutex_lock(&r->lock);
        for (const struct reaper *reaper = r->list; reaper; reaper = reaper->next)
                if (text_equal(reaper->device, device))
                        stuck = oldest_ns(reaper, now) > REAPER_STUCK_NS;
        (void)pthread_mutex_unlock(&r->lock);
        return stuck;
}

size_t reapers_states(struct reapers *r, struct reaper_state *ret, size_t max)
{
        size_t n = 0;
        uint64_t now = clock_now_ns();
        (void)pthread_mutex_lock(&r->lock);
        for (const struct reaper *reaper = r->list; reaper && n < max; reaper = reaper->next) {
                uint64_t oldest = oldest_ns(reaper, now);
                ret[n] = (struct reaper_state){
                        .pending = reaper->pending,
                        .oldest_ns = oldest,
                        .done_total = reaper->done_total,
                        .stuck = oldest > REAPER_STUCK_NS,
                };
                (void)text_copy(ret[n++].device, ENGINE_NAME_MAX, reaper->device); /* same size */
        }
        (void)pthread_mutex_unlock(&r->lock);
        return n;
}

void reapers_free(struct reapers *r)
{
        if (!r)
                return;
        uint64_t deadline = clock_now_ns() + FREE_NS;
        (void)pthread_mutex_lock(&r->lock);
        r->stopping = true;
        (void)pthread_cond_broadcast(&r->changed);
        while (r->threads > 0 && cond_wait_until(&r->changed, &r->lock, deadline))
                ;
        r->abandoned = r->threads > 0;
        bool left_behind = r->abandoned;
        (void)pthread_mutex_unlock(&r->lock);
        if (!left_behind)
                release(r);
}
