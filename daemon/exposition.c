/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/exposition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
        return (a > b) - (a < b);
}

/* By bits: a total order, NaN included. */
static int compare_double(double a, double b)
{
        uint64_t a_bits, b_bits;

        memcpy(&a_bits, &a, sizeof(a_bits));
        memcpy(&b_bits, &b, sizeof(b_bits));
        return compare_u64(a_bits, b_bits);
}

static int compare_values(const struct sample *a, const struct sample *b)
{
        int order = compare_u64(a->integer, b->integer);

        if (order == 0)
                order = a->integer ? compare_u64(a->u64, b->u64) : compare_double(a->number, b->number);
        if (order == 0)
                order = compare_double(a->sum, b->sum);
        for (size_t i = 0; order == 0 && a->cumulative && b->cumulative && i < a->family->n_bounds; i++)
                order = compare_u64(a->cumulative[i], b->cumulative[i]);
        return order;
}

static int compare_names(const struct sample *a, const struct sample *b)
{
        return a->family == b->family ? 0 : strcmp(a->family->name, b->family->name);
}

/* By name and labels. What follows only makes the choice among duplicates the same in any order of
 * batches. */
static int compare_samples(const void *left, const void *right)
{
        const struct sample *a = *(const struct sample *const *)left;
        const struct sample *b = *(const struct sample *const *)right;
        int order = compare_names(a, b);

        if (order == 0)
                order = compare_u64(a->family->type, b->family->type);
        if (order == 0)
                order = strcmp(a->labels, b->labels);
        if (order == 0 && a->family != b->family)
                order = strcmp(a->family->help, b->family->help);
        if (order == 0 && a->family != b->family)
                order = compare_u64(a->family->n_bounds, b->family->n_bounds);
        return order != 0 ? order : compare_values(a, b);
}

static const struct sample **sorted_samples(
        const struct batch *const *batches, size_t n_batches, size_t *ret_n)
{
        const struct sample **samples;
        size_t n = 0;

        for (size_t i = 0; i < n_batches; i++)
                n += batch_size(batches[i]);
        samples = malloc((n + 1) * sizeof(*samples));
        if (!samples)
                return NULL;
        n = 0;
        for (size_t i = 0; i < n_batches; i++) {
                for (size_t j = 0; j < batch_size(batches[i]); j++) {
                        if (!batch_sample(batches[i], j)->absent)
                                samples[n++] = batch_sample(batches[i], j);
                }
        }
        qsort(samples, n, sizeof(*samples), compare_samples);
        *ret_n = n;
        return samples;
}

static void render_header(struct buf *out, const struct metric_family *f)
{
        static const char *const types[] = {
                [METRIC_GAUGE] = "gauge",
                [METRIC_COUNTER] = "counter",
                [METRIC_HISTOGRAM] = "histogram",
                [METRIC_UNTYPED] = "untyped",
        };

        buf_text(out, "# HELP ");
        buf_text(out, f->name);
        buf_char(out, ' ');
        for (const char *s = f->help; *s; s++) {
                if (*s == '\n')
                        buf_text(out, "\\n");
                else if (*s == '\\')
                        buf_text(out, "\\\\");
                else
                        buf_char(out, *s);
        }
        buf_text(out, "\n# TYPE ");
        buf_text(out, f->name);
        buf_char(out, ' ');
        buf_text(out, types[f->type]);
        buf_char(out, '\n');
}

/* Name, suffix and labels, up to the blank before the value. */
static void render_series(struct buf *out, const struct sample *s, const char *suffix)
{
        buf_text(out, s->family->name);
        buf_text(out, suffix);
        if (s->labels[0]) {
                buf_char(out, '{');
                buf_text(out, s->labels);
                buf_char(out, '}');
        }
        buf_char(out, ' ');
}

/* bound: NULL for +Inf. */
static void render_bucket(struct buf *out, const struct sample *s, const double *bound, uint64_t count)
{
        buf_text(out, s->family->name);
        buf_text(out, "_bucket{");
        if (s->labels[0]) {
                buf_text(out, s->labels);
                buf_char(out, ',');
        }
        buf_text(out, "le=\"");
        if (bound)
                buf_double(out, *bound);
        else
                buf_text(out, "+Inf");
        buf_text(out, "\"} ");
        buf_u64(out, count);
        buf_char(out, '\n');
}

static void render_histogram(struct buf *out, const struct sample *s)
{
        for (size_t i = 0; i < s->family->n_bounds; i++)
                render_bucket(out, s, &s->family->bounds[i], s->cumulative[i]);
        render_bucket(out, s, NULL, s->u64);
        render_series(out, s, "_sum");
        buf_double(out, s->sum);
        buf_char(out, '\n');
        render_series(out, s, "_count");
        buf_u64(out, s->u64);
        buf_char(out, '\n');
}

static void render_sample(struct buf *out, const struct sample *s)
{
        if (s->family->type == METRIC_HISTOGRAM) {
                render_histogram(out, s);
                return;
        }
        render_series(out, s, "");
        if (s->integer)
                buf_u64(out, s->u64);
        else
                buf_double(out, s->number);
        buf_char(out, '\n');
}

size_t exposition_render(struct buf *out, const struct batch *const *batches, size_t n)
{
        const struct sample **samples, *header = NULL, *last = NULL;
        size_t n_samples, dropped = 0;

        samples = sorted_samples(batches, n, &n_samples);
        if (!samples) {
                out->error = -ENOMEM;
                return 0;
        }
        for (size_t i = 0; i < n_samples; i++) {
                const struct sample *s = samples[i];
                bool known = header && compare_names(header, s) == 0;

                if (known &&
                        (s->family->type != header->family->type || text_equal(s->labels, last->labels))) {
                        dropped++;
                        continue;
                }
                if (!known) {
                        render_header(out, s->family);
                        header = s;
                }
                render_sample(out, s);
                last = s;
        }
        free(samples);
        return dropped;
}
