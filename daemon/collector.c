/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/collector.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sync.h"
#include "base/text.h"
#include "daemon/collector_private.h"

void pool_destroy(struct collectors *c)
{
        (void)pthread_cond_destroy(&c->settled);
        (void)pthread_cond_destroy(&c->ended);
        (void)pthread_cond_destroy(&c->work);
        (void)pthread_mutex_destroy(&c->lock);
        free(c);
}

struct collector *source_unlink_unused(struct collector *s)
{
        struct collector **at = &s->pool->sources;

        if (!s->removed || s->slot_users > 0 || source_is_running(s))
                return NULL;
        while (*at != s) {
                assert(*at);
                at = &(*at)->next;
        }
        *at = s->next;
        return s;
}

void source_slot_release(struct collector *s)
{
        s->slot_users--;
        (void)pthread_cond_broadcast(&s->pool->ended);
}

void source_dispose(struct collector *s)
{
        if (!s)
                return;
        slot_remove(s->slot);
        batch_unref(s->shown);
        s->class->destroy(s->state);
        free(s);
}

static void pool_init(struct collectors *c)
{
        cond_init(&c->ended);
        cond_init(&c->settled);
        (void)pthread_cond_init(&c->work, NULL); /* these two cannot fail on Linux */
        (void)pthread_mutex_init(&c->lock, NULL);
}

int collectors_new(const struct clock *clock, struct slots *slots, struct collectors **ret)
{
        struct collectors *c = calloc(1, sizeof(*c));
        int r;

        if (!c)
                return -ENOMEM;
        *c = (struct collectors){ .clock = clock, .slots = slots, .announced_ns = DEADLINE_NEVER };
        c->queue_end = &c->queue;
        pool_init(c);
        pool_lock(c);
        r = worker_start(c);
        workers_keep(c);
        pool_unlock(c);
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
                if (!source_is_running(s)) {
                        *ret_unused = source_unlink_unused(s);
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

/* Locked. */
static void wait_for_workers(struct collectors *c, uint64_t deadline_ns)
{
        while (c->threads > 0 && cond_wait_until(&c->ended, &c->lock, deadline_ns))
                ;
        while (slots_in_use(c)) /* for a pointer swap at most */
                (void)pthread_cond_wait(&c->ended, &c->lock);
}

int collectors_free(struct collectors *c, uint64_t deadline_ns)
{
        struct collector *unused;
        struct waiter *waiters;
        struct slot *slot;
        bool last;

        if (!c)
                return 0;
        pool_lock(c);
        c->stopping = true;
        while (c->queue)
                queue_take(c, c->queue);
        for (struct collector *s = c->sources; s; s = s->next)
                s->in_pass = false;
        waiters = pass_end(c, false);
        (void)pthread_cond_broadcast(&c->work);
        pool_unlock(c);
        waiters_answer(c, waiters);
        pool_lock(c);
        wait_for_workers(c, deadline_ns);
        while (next_leftover(c, &unused, &slot)) {
                pool_unlock(c);
                source_dispose(unused);
                slot_remove(slot);
                pool_lock(c);
        }
        c->orphaned = true;
        last = c->threads == 0;
        pool_unlock(c);
        if (last)
                pool_destroy(c);
        return last ? 0 : -ETIMEDOUT;
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
        pool_lock(c);
        for (at = &c->sources; *at && compare(*at, s) < 0;)
                at = &(*at)->next;
        s->next = *at;
        *at = s;
        pool_unlock(c);
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
        pool_lock(c);
        s->removed = true;
        if (s->run == RUN_QUEUED)
                queue_take(c, s);
        waiters = pass_leave(c, s);
        s->slot_users++;
        pool_unlock(c);
        slot_publish(s->slot, NULL);
        waiters_answer(c, waiters);
        pool_lock(c);
        source_slot_release(s);
        unused = source_unlink_unused(s);
        pool_unlock(c);
        source_dispose(unused);
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
        uint64_t now = pool_now_ns(c);
        struct collector_state *states;
        size_t cap, n = 0;

        pool_lock(c);
        cap = count_sources(c);
        pool_unlock(c);
        states = reallocarray(NULL, cap > 0 ? cap : 1, sizeof(*states));
        if (!states)
                return -ENOMEM;
        pool_lock(c);
        for (struct collector *s = c->sources; s && n < cap; s = s->next) {
                if (!s->removed)
                        state_of(s, now, &states[n++]);
        }
        pool_unlock(c);
        *ret = states;
        *ret_n = n;
        return 0;
}

unsigned collectors_workers(struct collectors *c)
{
        unsigned n;

        pool_lock(c);
        n = c->threads;
        pool_unlock(c);
        return n;
}
