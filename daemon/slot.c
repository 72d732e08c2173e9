/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/slot.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct slot {
        struct slots *registry;
        size_t index; /* in registry->items */
        struct batch *batch;
};

struct slots {
        pthread_mutex_t lock; /* everything below, and index and batch of every slot */
        struct slot **items;
        size_t n, cap;
};

int slots_new(struct slots **ret)
{
        struct slots *s = calloc(1, sizeof(*s));

        if (!s)
                return -ENOMEM;
        (void)pthread_mutex_init(&s->lock, NULL); /* cannot fail without attributes */
        *ret = s;
        return 0;
}

static void slot_free(struct slot *slot)
{
        batch_unref(slot->batch);
        free(slot);
}

void slots_free(struct slots *s)
{
        if (!s)
                return;
        for (size_t i = 0; i < s->n; i++)
                slot_free(s->items[i]);
        free(s->items);
        (void)pthread_mutex_destroy(&s->lock);
        free(s);
}

static int slots_insert(struct slots *s, struct slot *slot)
{
        if (s->n == s->cap) {
                size_t cap = s->cap ? 2 * s->cap : 16;
                struct slot **items = reallocarray(s->items, cap, sizeof(struct slot *));

                if (!items)
                        return -ENOMEM;
                s->items = items;
                s->cap = cap;
        }
        slot->index = s->n;
        s->items[s->n++] = slot;
        return 0;
}

int slot_add(struct slots *s, struct slot **ret)
{
        struct slot *slot = calloc(1, sizeof(*slot));
        int r;

        if (!slot)
                return -ENOMEM;
        slot->registry = s;
        (void)pthread_mutex_lock(&s->lock);
        r = slots_insert(s, slot);
        (void)pthread_mutex_unlock(&s->lock);
        if (r < 0) {
                free(slot);
                return r;
        }
        *ret = slot;
        return 0;
}

void slot_remove(struct slot *slot)
{
        struct slots *s;

        if (!slot)
                return;
        s = slot->registry;
        (void)pthread_mutex_lock(&s->lock);
        s->items[slot->index] = s->items[--s->n];
        s->items[slot->index]->index = slot->index;
        (void)pthread_mutex_unlock(&s->lock);
        slot_free(slot);
}

void slot_publish(struct slot *slot, struct batch *b)
{
        struct batch *old;

        (void)pthread_mutex_lock(&slot->registry->lock);
        old = slot->batch;
        slot->batch = b;
        (void)pthread_mutex_unlock(&slot->registry->lock);
        batch_unref(old);
}

void slot_withdraw(struct slot *slot, const struct batch *b)
{
        struct batch *old = NULL;

        (void)pthread_mutex_lock(&slot->registry->lock);
        if (slot->batch == b)
                old = take_ptr(slot->batch);
        (void)pthread_mutex_unlock(&slot->registry->lock);
        batch_unref(old);
}

/* References to what is there, as far as it fits; how many slots there are. */
static size_t take_references(struct slots *s, struct batch **into, size_t cap, size_t *ret_n)
{
        size_t n_slots, n = 0;

        (void)pthread_mutex_lock(&s->lock);
        n_slots = s->n;
        if (n_slots <= cap) {
                for (size_t i = 0; i < n_slots; i++) {
                        if (s->items[i]->batch)
                                into[n++] = batch_ref(s->items[i]->batch);
                }
        }
        (void)pthread_mutex_unlock(&s->lock);
        *ret_n = n;
        return n_slots;
}

int slots_collect(struct slots *s, struct batch ***ret, size_t *ret_n)
{
        struct batch **batches = NULL;
        size_t cap = 0, n_slots, n;

        /* Memory is taken without the lock, so slots may have been added when there is enough. */
        while ((n_slots = take_references(s, batches, cap, &n)) > cap) {
                free(batches);
                cap = n_slots;
                batches = reallocarray(NULL, cap, sizeof(struct batch *));
                if (!batches)
                        return -ENOMEM;
        }
        *ret = batches;
        *ret_n = n;
        return 0;
}

void slots_release(struct batch **batches, size_t n)
{
        for (size_t i = 0; i < n; i++)
                batch_unref(batches[i]);
        free(batches);
}
