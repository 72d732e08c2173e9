/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/exposition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "daemon/exposition_order.h"
#include "daemon/exposition_sections.h"

struct exposition {
        struct plan plan;
        struct sections sections;
        const struct sample **merged; /* one section's samples, when plan and page both have some */
        size_t cap_merged;
        size_t length; /* of the last page */
};

int exposition_new(struct exposition **ret)
{
        *ret = calloc(1, sizeof(**ret));
        return *ret ? 0 : -ENOMEM;
}

void exposition_free(struct exposition *e)
{
        if (!e)
                return;
        plan_done(&e->plan);
        sections_done(&e->sections);
        free(e->merged);
        free(e);
}

/* The common case: copied text and numbers, with room made once. */
static size_t write_planned(const struct exposition *e, struct buf *out, const struct plan_family *f,
        enum exposition_format format)
{
        const struct plan_entry *entries = &e->plan.entries[f->first];
        const struct plan_text *head = &f->heads[format];
        const char *text = e->plan.text.data;
        char *at = buf_room(out, head->len + f->text_len + f->n * (NUMBER_MAX + 1));
        size_t n = 0;

        if (!at)
                return 0;
        for (size_t i = 0; i < f->n; i++) {
                const struct sample *s = sections_sample(&e->sections, &entries[i]);

                if (!s)
                        continue;
                if (n++ == 0)
                        at = mempcpy(at, text + head->at, head->len);
                at = mempcpy(at, text + entries[i].text.at, entries[i].text.len);
                at = s->integer ? number_u64(at, s->u64) : number_double(at, s->number);
                *at++ = '\n';
        }
        if (n > 0)
                buf_take(out, at);
        return n;
}

/* Samples in order: duplicates, and those of another type than the first, are left out. */
static void write_samples(struct buf *out, const struct sample *const *samples, size_t n,
        enum exposition_format format, struct exposition_result *result)
{
        const struct sample *last = NULL;

        for (size_t i = 0; i < n; i++) {
                const struct sample *s = samples[i];

                if (last && (s->family->type != last->family->type || text_equal(s->labels, last->labels))) {
                        result->duplicates++;
                        continue;
                }
                if (!last)
                        format_head(out, s->family, format);
                format_sample(out, s, format);
                result->series += s->family->type == METRIC_HISTOGRAM ? s->family->n_bounds + 3 : 1;
                last = s;
        }
}

static void write_merged(struct exposition *e, struct buf *out, const struct section *section,
        enum exposition_format format, struct exposition_result *result)
{
        const struct plan_family *f = section->planned;
        size_t n = 0, wanted = f->n + section->n_samples;

        if (wanted > e->cap_merged) {
                const struct sample **more = reallocarray(e->merged, wanted, sizeof(*more));

                if (!more) {
                        out->error = -ENOMEM;
                        return;
                }
                e->merged = more;
                e->cap_merged = wanted;
        }
        for (size_t i = 0; i < f->n; i++) {
                const struct sample *s = sections_sample(&e->sections, &e->plan.entries[f->first + i]);

                if (s)
                        e->merged[n++] = s;
        }
        for (size_t i = 0; i < section->n_samples; i++)
                e->merged[n++] = e->sections.samples[section->first + i];
        order_sort(e->merged, n);
        write_samples(out, e->merged, n, format, result);
}

static void write_section(struct exposition *e, struct buf *out, const struct section *section,
        enum exposition_format format, struct exposition_result *result)
{
        if (section->dropped)
                return;
        if (!section->planned)
                write_samples(out, &e->sections.samples[section->first], section->n_samples, format, result);
        else if (section->n_samples == 0 && !section->planned->mixed)
                result->series += write_planned(e, out, section->planned, format);
        else
                write_merged(e, out, section, format, result);
}

static int prepare(struct exposition *e, const struct batch *const *batches, size_t n,
        const struct exposition_limit *limit)
{
        struct sections *s = &e->sections;
        int r = sections_take(s, batches, n);

        if (r == 0 && !plan_fits(&e->plan, s->prepared, s->n_prepared))
                r = plan_make(&e->plan, s->prepared, s->n_prepared);
        if (r == 0)
                r = sections_make(s, &e->plan);
        if (r == 0)
                r = sections_limit(s, &e->plan, limit);
        return r;
}

void exposition_page(struct exposition *e, struct buf *out, const struct batch *const *batches, size_t n,
        enum exposition_format format, const struct exposition_limit *limit, struct exposition_result *ret)
{
        size_t begin = out->len;
        int r = prepare(e, batches, n, limit);

        *ret = (struct exposition_result){ .dropped = "" };
        if (r < 0) {
                out->error = r;
                return;
        }
        (void)buf_room(out, e->length + e->length / 8 + 4096); /* numbers are given more than they need */
        for (size_t i = 0; i < e->sections.n; i++)
                write_section(e, out, &e->sections.items[i], format, ret);
        format_end(out, format);
        e->length = out->len - begin;
        if (e->sections.dropped_names.len > 0)
                ret->dropped = e->sections.dropped_names.data;
}

size_t exposition_render(struct buf *out, const struct batch *const *batches, size_t n)
{
        struct exposition e = { 0 };
        struct exposition_result result;

        exposition_page(&e, out, batches, n, EXPOSITION_TEXT, NULL, &result);
        plan_done(&e.plan);
        sections_done(&e.sections);
        free(e.merged);
        return result.duplicates;
}
