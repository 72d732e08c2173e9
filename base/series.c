/* SPDX-License-Identifier: Apache-2.0 */
#include "base/series.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/labels.h"

struct series_set {
        atomic_uint refs;
        _Atomic(void *) spare;
        size_t n, cap;
        struct series *items;
};

struct series_set *series_set_new(void)
{
        struct series_set *s = calloc(1, sizeof(*s));

        if (s)
                atomic_init(&s->refs, 1);
        return s;
}

struct series_set *series_set_ref(struct series_set *s)
{
        (void)atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
        return s;
}

void series_set_unref(struct series_set *s)
{
        if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
                return;
        for (size_t i = 0; i < s->n; i++)
                free(s->items[i].labels);
        free(s->items);
        free(atomic_load_explicit(&s->spare, memory_order_relaxed));
        free(s);
}

static int make_room(struct series_set *s)
{
        size_t cap = s->cap ? 2 * s->cap : 16;
        struct series *items;

        if (s->n < s->cap)
                return 0;
        items = reallocarray(s->items, cap, sizeof(*items));
        if (!items)
                return -ENOMEM;
        s->items = items;
        s->cap = cap;
        return 0;
}

int series_set_add(struct series_set *s, const struct metric_family *f, const char *const *values)
{
        cleanup(buf_done) struct buf labels = { 0 };
        int r = labels_render(&labels, f, values);

        assert(f->type != METRIC_HISTOGRAM);
        assert(!atomic_load_explicit(&s->spare, memory_order_relaxed)); /* no batch has been made of it */
        if (r == 0)
                r = make_room(s);
        if (r == 0 && !buf_cstr(&labels))
                r = labels.error;
        if (r < 0)
                return r;
        s->items[s->n] = (struct series){ .family = f, .labels = labels.data };
        buf_init(&labels); /* its memory is the set's now */
        return (int)s->n++;
}

size_t series_set_size(const struct series_set *s)
{
        return s->n;
}

const struct metric_family *series_set_family(const struct series_set *s, size_t i)
{
        assert(i < s->n);
        return s->items[i].family;
}

const char *series_set_labels(const struct series_set *s, size_t i)
{
        assert(i < s->n);
        return s->items[i].labels;
}

const struct series *series_set_items(const struct series_set *s)
{
        return s->items;
}

void *series_set_take_spare(struct series_set *s)
{
        return atomic_exchange_explicit(&s->spare, NULL, memory_order_acquire);
}

void series_set_leave_spare(struct series_set *s, void *samples)
{
        free(atomic_exchange_explicit(&s->spare, samples, memory_order_acq_rel));
}
