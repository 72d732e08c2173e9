/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/exposition_plan.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/exposition_order.h"

/* A series while it is put in order. */
struct found {
        const struct series *series;
        uint32_t batch, position;
};

void plan_done(struct plan *p)
{
        for (size_t i = 0; i < p->n_sets; i++)
                series_set_unref(p->sets[i]);
        free(p->sets);
        free(p->entries);
        free(p->families);
        buf_done(&p->text);
        *p = (struct plan){ 0 };
}

bool plan_fits(const struct plan *p, const struct batch *const *batches, size_t n)
{
        if (p->n_sets != n)
                return false;
        for (size_t i = 0; i < n; i++) {
                if (batch_set(batches[i]) != p->sets[i])
                        return false;
        }
        return true;
}

static int compare(const void *left, const void *right)
{
        const struct found *a = left, *b = right;

        return order_series(a->series->family, a->series->labels, b->series->family, b->series->labels);
}

static struct found *find_all(const struct batch *const *batches, size_t n, size_t *ret_n)
{
        struct found *found;
        size_t total = 0, at = 0;

        for (size_t i = 0; i < n; i++)
                total += series_set_size(batch_set(batches[i]));
        found = calloc(total + 1, sizeof(*found));
        if (!found)
                return NULL;
        for (size_t i = 0; i < n; i++) {
                const struct series *items = series_set_items(batch_set(batches[i]));
                size_t size = series_set_size(batch_set(batches[i]));

                for (size_t k = 0; k < size; k++)
                        found[at++] = (struct found){ &items[k], (uint32_t)i, (uint32_t)k };
        }
        qsort(found, total, sizeof(*found), compare);
        *ret_n = total;
        return found;
}

static struct plan_text end_text(const struct plan *p, size_t at)
{
        return (struct plan_text){ at, p->text.len - at };
}

static void begin_family(struct plan *p, const struct metric_family *f)
{
        struct plan_family *family = &p->families[p->n_families++];

        *family = (struct plan_family){ .family = f, .first = p->n_entries };
        for (enum exposition_format format = 0; format < N_EXPOSITION_FORMATS; format++) {
                size_t at = p->text.len;

                format_head(&p->text, f, format);
                family->heads[format] = end_text(p, at);
        }
}

/* last: the series before it in order; NULL: none. */
static void add_entry(struct plan *p, const struct found *f, const struct found *last)
{
        const struct series *series = f->series;
        struct plan_family *family;
        size_t at;

        if (!last || order_names(last->series->family, series->family) != 0)
                begin_family(p, series->family);
        family = &p->families[p->n_families - 1];
        if (last && family->n > 0 &&
                (series->family != family->family || text_equal(last->series->labels, series->labels)))
                family->mixed = true;
        at = p->text.len;
        format_name(&p->text, series->family, "", series->labels);
        p->entries[p->n_entries++] = (struct plan_entry){ f->batch, f->position, end_text(p, at) };
        family->text_len += p->text.len - at;
        family->n++;
}

static size_t count_families(const struct found *found, size_t n)
{
        size_t families = 0;

        for (size_t i = 0; i < n; i++)
                families += i == 0 || order_names(found[i - 1].series->family, found[i].series->family) != 0;
        return families;
}

/* Gives back what doubling has taken too much. */
static void trim(struct buf *b)
{
        char *data = b->data ? realloc(b->data, b->len + 1) : NULL;

        if (!data)
                return;
        b->data = data;
        b->cap = b->len + 1;
}

static int fill(struct plan *p, const struct batch *const *batches, size_t n)
{
        size_t n_found = 0;
        struct found *found = find_all(batches, n, &n_found);

        p->sets = calloc(n + 1, sizeof(*p->sets));
        p->entries = calloc(n_found + 1, sizeof(*p->entries));
        p->families = calloc(found ? count_families(found, n_found) + 1 : 1, sizeof(*p->families));
        if (!found || !p->sets || !p->entries || !p->families) {
                free(found);
                return -ENOMEM;
        }
        for (size_t i = 0; i < n_found; i++)
                add_entry(p, &found[i], i > 0 ? &found[i - 1] : NULL);
        free(found);
        trim(&p->text);
        return p->text.error;
}

int plan_make(struct plan *p, const struct batch *const *batches, size_t n)
{
        int r;

        plan_done(p);
        r = fill(p, batches, n);
        if (r < 0) {
                plan_done(p);
                return r;
        }
        for (size_t i = 0; i < n; i++)
                p->sets[i] = series_set_ref(batch_set(batches[i]));
        p->n_sets = n;
        return 0;
}
