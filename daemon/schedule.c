/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

uint64_t schedule_offset_ns(const char *node, const char *peer, const char *device, unsigned kind,
        unsigned n_kinds, uint64_t interval_ns)
{
        int order = strcmp(node, peer);
        const char *first = order < 0 ? node : peer, *second = order < 0 ? peer : node;
        uint64_t half_ns = interval_ns / 2, part_ns = n_kinds ? half_ns / n_kinds : half_ns;
        uint64_t hash =
                text_hash(device, text_hash(second, text_hash("/", text_hash(first, TEXT_HASH_SEED))));

        return (order > 0 ? half_ns : 0) + kind * part_ns + (part_ns ? hash % part_ns : 0);
}

uint64_t schedule_next_ns(uint64_t now_ns, uint64_t interval_ns, uint64_t offset_ns)
{
        uint64_t due_ns = now_ns - now_ns % interval_ns + offset_ns % interval_ns;

        return due_ns > now_ns ? due_ns : due_ns + interval_ns;
}

void schedule_init(struct schedule *s)
{
        *s = (struct schedule){ 0 };
}

void schedule_done(struct schedule *s)
{
        free(s->heap);
        schedule_init(s);
}

static void put(struct schedule *s, size_t place, struct schedule_entry *e)
{
        s->heap[place - 1] = e;
        e->place = place;
}

/* Places count from 1, so the parent of p is p/2. */
static void sift_up(struct schedule *s, struct schedule_entry *e)
{
        size_t place = e->place;

        while (place > 1 && s->heap[place / 2 - 1]->due_ns > e->due_ns) {
                put(s, place, s->heap[place / 2 - 1]);
                place /= 2;
        }
        put(s, place, e);
}

static void sift_down(struct schedule *s, struct schedule_entry *e)
{
        size_t place = e->place;

        for (;;) {
                size_t child = place * 2;
                if (child > s->n)
                        break;
                if (child < s->n && s->heap[child]->due_ns < s->heap[child - 1]->due_ns)
                        child++;
                if (s->heap[child - 1]->due_ns >= e->due_ns)
                        break;
                put(s, place, s->heap[child - 1]);
                place = child;
        }
        put(s, place, e);
}

static int grow(struct schedule *s)
{
        size_t cap = s->cap ? s->cap * 2 : 16;
        struct schedule_entry **heap = reallocarray(s->heap, cap, sizeof(heap[0]));

        if (!heap)
                return -ENOMEM;
        s->heap = heap;
        s->cap = cap;
        return 0;
}

int schedule_set(struct schedule *s, struct schedule_entry *e, uint64_t due_ns)
{
        if (!e->place) {
                int r = s->n == s->cap ? grow(s) : 0;
                if (r < 0)
                        return r;
                put(s, ++s->n, e);
        }
        e->due_ns = due_ns;
        sift_up(s, e);
        sift_down(s, e);
        return 0;
}

void schedule_remove(struct schedule *s, struct schedule_entry *e)
{
        struct schedule_entry *last;
        size_t place = e->place;

        if (!place)
                return;
        e->place = 0;
        last = s->heap[--s->n];
        if (last == e)
                return;
        put(s, place, last);
        sift_up(s, last);
        sift_down(s, last);
}

uint64_t schedule_first_due_ns(const struct schedule *s)
{
        return s->n ? s->heap[0]->due_ns : DEADLINE_NEVER;
}

struct schedule_entry *schedule_take_due(struct schedule *s, uint64_t now_ns)
{
        struct schedule_entry *first = s->n ? s->heap[0] : NULL;

        if (!first || first->due_ns > now_ns)
                return NULL;
        schedule_remove(s, first);
        return first;
}
