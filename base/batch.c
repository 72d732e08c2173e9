/* SPDX-License-Identifier: Apache-2.0 */
#include "base/batch.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

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
        size_t n, cap;
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
        free(b->samples);
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

/* Length of the well-formed UTF-8 character at s (Unicode, table 3-7), 0 when there is none. */
static size_t utf8_length(const unsigned char *s)
{
        unsigned char low = 0x80, high = 0xbf;
        size_t len;

        if (s[0] < 0x80)
                return s[0] != 0;
        if (s[0] < 0xc2 || s[0] > 0xf4)
                return 0;
        len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
        if (s[0] == 0xe0)
                low = 0xa0;
        else if (s[0] == 0xed)
                high = 0x9f;
        else if (s[0] == 0xf0)
                low = 0x90;
        else if (s[0] == 0xf4)
                high = 0x8f;
        for (size_t i = 1; i < len; i++) {
                if (s[i] < low || s[i] > high)
                        return 0;
                low = 0x80;
                high = 0xbf;
        }
        return len;
}

/* Prometheus refuses a whole page for one byte that is not UTF-8, and names come from the kernel and from
 * peers: such bytes become U+FFFD. */
static void add_escaped(struct buf *out, const char *value)
{
        const unsigned char *s = (const unsigned char *)value;

        while (*s) {
                size_t len = utf8_length(s);

                if (len == 0)
                        buf_text(out, "\xef\xbf\xbd");
                else if (*s == '\n')
                        buf_text(out, "\\n");
                else if (*s == '\\' || *s == '"')
                        buf_bytes(out, (const char[]){ '\\', (char)*s }, 2);
                else
                        buf_bytes(out, s, len);
                s += len ? len : 1;
        }
}

static int render_labels(struct buf *out, const struct metric_family *f, const char *const *values)
{
        buf_clear(out);
        for (size_t i = 0; f->labels[i]; i++) {
                if (!values || !values[i])
                        return -EINVAL;
                if (i > 0)
                        buf_char(out, ',');
                buf_text(out, f->labels[i]);
                buf_text(out, "=\"");
                add_escaped(out, values[i]);
                buf_char(out, '"');
        }
        return out->error;
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
        r = render_labels(&b->scratch, f, values);
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
