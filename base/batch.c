/* SPDX-License-Identifier: Apache-2.0 */
#include "base/batch.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/labels.h"
#include "base/text.h"

/* Label texts and bucket counts lie in blocks that never move, so that samples can point into them. */
struct block {
        struct block *next;
        size_t used, size;
        _Alignas(uint64_t) char bytes[];
};

#define BLOCK_SIZE 4000

struct batch {
        atomic_uint refs;
        int error;
        struct series_set *set; /* of the first samples; NULL for none */
        size_t prepared, n, cap;
        struct sample *samples;
        struct block *blocks;
        struct buf scratch; /* the label text being built */
};

struct batch *batch_new(void)
{
        struct batch *b = calloc(1, sizeof(*b));

        if (b)
                atomic_init(&b->refs, 1);
        return b;
}

static struct sample *name_samples(const struct series_set *set)
{
        const struct series *series = series_set_items(set);
        size_t n = series_set_size(set);
        struct sample *samples = malloc(n * sizeof(*samples));

        for (size_t i = 0; samples && i < n; i++)
                samples[i] = (struct sample){ .family = series[i].family, .labels = series[i].labels };
        return samples;
}

void batch_prepare(struct batch *b, struct series_set *set)
{
        size_t n = series_set_size(set);

        assert(!b->set && b->n == 0);
        if (b->error)
                return;
        if (n > 0) {
                b->samples = series_set_take_spare(set);
                if (!b->samples)
                        b->samples = name_samples(set);
                if (!b->samples) {
                        b->error = -ENOMEM;
                        return;
                }
        }
        for (size_t i = 0; i < n; i++)
                b->samples[i].absent = true;
        b->set = series_set_ref(set);
        b->n = b->cap = b->prepared = n;
}

struct batch *batch_new_of(struct series_set *set)
{
        struct batch *b = batch_new();

        if (!b)
                return NULL;
        batch_prepare(b, set);
        if (b->error) {
                batch_unref(b);
                return NULL;
        }
        return b;
}

struct batch *batch_ref(struct batch *b)
{
        (void)atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
        return b;
}

static void batch_free(struct batch *b)
{
        while (b->blocks) {
                struct block *next = b->blocks->next;

                free(b->blocks);
                b->blocks = next;
        }
        buf_done(&b->scratch);
        if (b->prepared > 0 && b->cap == b->prepared) /* nothing was added behind */
                series_set_leave_spare(b->set, b->samples);
        else
                free(b->samples);
        series_set_unref(b->set);
        free(b);
}

void batch_unref(struct batch *b)
{
        if (b && atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) == 1)
                batch_free(b);
}

static void *keep(struct batch *b, size_t size)
{
        size_t aligned = (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
        struct block *block = b->blocks;
        void *p;

        if (!block || block->size - block->used < aligned) {
                size_t room = aligned > BLOCK_SIZE ? aligned : BLOCK_SIZE;

                block = malloc(sizeof(*block) + room);
                if (!block)
                        return NULL;
                *block = (struct block){ .next = b->blocks, .size = room };
                b->blocks = block;
        }
        p = block->bytes + block->used;
        block->used += aligned;
        return p;
}

static int keep_labels(
        struct batch *b, const struct metric_family *f, const char *const *values, const char **ret)
{
        char *labels;
        int r;

        if (!f->labels[0]) {
                *ret = "";
                return 0;
        }
        r = labels_render(&b->scratch, f, values);
        if (r < 0)
                return r;
        labels = keep(b, b->scratch.len + 1);
        if (!labels)
                return -ENOMEM;
        memcpy(labels, b->scratch.data, b->scratch.len + 1);
        *ret = labels;
        return 0;
}

static int make_room(struct batch *b)
{
        size_t cap = b->cap ? 2 * b->cap : 16;
        struct sample *samples;

        if (b->n < b->cap)
                return 0;
        samples = reallocarray(b->samples, cap, sizeof(*samples));
        if (!samples)
                return -ENOMEM;
        b->samples = samples;
        b->cap = cap;
        return 0;
}

static void add(struct batch *b, const char *const *values, struct sample sample)
{
        int r;

        assert(atomic_load_explicit(&b->refs, memory_order_relaxed) == 1);
        if (b->error)
                return;
        r = keep_labels(b, sample.family, values, &sample.labels);
        if (r == 0)
                r = make_room(b);
        if (r < 0)
                b->error = r;
        else
                b->samples[b->n++] = sample;
}

/* NULL: batch_prepare() had no memory. */
static struct sample *position(struct batch *b, size_t i)
{
        assert(atomic_load_explicit(&b->refs, memory_order_relaxed) == 1);
        if (!b->set && b->error)
                return NULL;
        assert(i < b->prepared);
        b->samples[i].absent = false;
        return &b->samples[i];
}

void batch_set_u64(struct batch *b, size_t i, uint64_t value)
{
        struct sample *s = position(b, i);

        if (!s)
                return;
        s->integer = true;
        s->u64 = value;
}

void batch_set_double(struct batch *b, size_t i, double value)
{
        struct sample *s = position(b, i);

        if (!s)
                return;
        s->integer = false;
        s->number = value;
}

void batch_add_u64(struct batch *b, const struct metric_family *f, const char *const *values, uint64_t value)
{
        assert(f->type != METRIC_HISTOGRAM);
        add(b, values, (struct sample){ .family = f, .integer = true, .u64 = value });
}

void batch_add_double(struct batch *b, const struct metric_family *f, const char *const *values, double value)
{
        assert(f->type != METRIC_HISTOGRAM);
        add(b, values, (struct sample){ .family = f, .number = value });
}

void batch_add_histogram(struct batch *b, const struct metric_family *f, const char *const *values,
        const uint64_t *counts, double sum)
{
        uint64_t *cumulative, total = 0;

        assert(f->type == METRIC_HISTOGRAM);
        if (b->error)
                return;
        cumulative = keep(b, f->n_bounds * sizeof(*cumulative));
        if (!cumulative) {
                b->error = -ENOMEM;
                return;
        }
        for (size_t i = 0; i < f->n_bounds; i++) {
                total += counts[i];
                cumulative[i] = total;
        }
        total += counts[f->n_bounds];
        add(b, values,
                (struct sample){
                        .family = f, .integer = true, .u64 = total, .cumulative = cumulative, .sum = sum });
}

struct series_set *batch_set(const struct batch *b)
{
        return b->set;
}

int batch_error(const struct batch *b)
{
        return b->error;
}

size_t batch_size(const struct batch *b)
{
        return b->n;
}

const struct sample *batch_sample(const struct batch *b, size_t i)
{
        assert(i < b->n);
        return &b->samples[i];
}

const struct sample *batch_samples(const struct batch *b)
{
        return b->samples;
}
