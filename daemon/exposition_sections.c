/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/exposition_sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/exposition_order.h"

void sections_done(struct sections *s)
{
        free(s->items);
        free(s->prepared);
        free(s->others);
        free(s->samples);
        free(s->planned);
        buf_done(&s->dropped_names);
        batch_unref(s->dropped);
        *s = (struct sections){ 0 };
}

/* The array with room for `wanted` items. Without memory it stays as it is, and so does its cap. */
static void *grown(void *array, size_t *cap, size_t wanted, size_t size, int *error)
{
        size_t more = wanted + wanted / 4;
        void *p;

        if (wanted <= *cap || *error < 0)
                return array;
        p = reallocarray(array, more, size);
        if (!p) {
                *error = -ENOMEM;
                return array;
        }
        *cap = more;
        return p;
}

static size_t prepared_size(const struct batch *b)
{
        return batch_set(b) ? series_set_size(batch_set(b)) : 0;
}

int sections_take(struct sections *s, const struct batch *const *batches, size_t n)
{
        size_t cap = s->cap_batches, same = cap, again = cap;
        int r = 0;

        s->prepared = grown(s->prepared, &cap, n, sizeof(*s->prepared), &r);
        s->others = grown(s->others, &same, n, sizeof(*s->others), &r);
        s->planned = grown(s->planned, &again, n, sizeof(*s->planned), &r);
        if (r < 0)
                return r;
        s->cap_batches = cap;
        s->n_prepared = s->n_others = 0;
        for (size_t i = 0; i < n; i++) {
                size_t prepared = prepared_size(batches[i]);

                if (prepared > 0) {
                        s->planned[s->n_prepared] = batch_samples(batches[i]);
                        s->prepared[s->n_prepared++] = batches[i];
                }
                if (batch_size(batches[i]) > prepared)
                        s->others[s->n_others++] = batches[i];
        }
        return 0;
}

static int take_others(struct sections *s)
{
        size_t n = 0;
        int r = 0;

        for (size_t i = 0; i < s->n_others; i++)
                n += batch_size(s->others[i]) - prepared_size(s->others[i]);
        s->samples = grown(s->samples, &s->cap_samples, n, sizeof(*s->samples), &r);
        if (r < 0)
                return r;
        s->n_samples = 0;
        for (size_t i = 0; i < s->n_others; i++) {
                const struct sample *samples = batch_samples(s->others[i]);

                for (size_t k = prepared_size(s->others[i]); k < batch_size(s->others[i]); k++)
                        s->samples[s->n_samples++] = &samples[k];
        }
        order_sort(s->samples, s->n_samples);
        return 0;
}

/* How many samples from the first on are of its name. */
static size_t same_name(const struct sample *const *samples, size_t n)
{
        size_t i = 0;

        while (i < n && order_names(samples[0]->family, samples[i]->family) == 0)
                i++;
        return i;
}

int sections_make(struct sections *s, const struct plan *plan)
{
        size_t at = 0, next = 0;
        int r = take_others(s);

        s->n = 0;
        /* One more for what a limit says. */
        s->items = grown(s->items, &s->cap, plan->n_families + s->n_samples + 1, sizeof(*s->items), &r);
        if (r < 0)
                return r;
        while (next < plan->n_families || at < s->n_samples) {
                const struct plan_family *planned = next < plan->n_families ? &plan->families[next] : NULL;
                struct section *section = &s->items[s->n++];
                int order = !planned             ? 1
                            : at == s->n_samples ? -1
                                                 : order_names(planned->family, s->samples[at]->family);

                *section =
                        (struct section){ .family = order <= 0 ? planned->family : s->samples[at]->family };
                if (order <= 0) {
                        section->planned = planned;
                        next++;
                }
                if (order < 0)
                        continue;
                section->first = at;
                section->n_samples = same_name(&s->samples[at], s->n_samples - at);
                at += section->n_samples;
        }
        return 0;
}

/* ---- a limit -------------------------------------------------------------------------------------- */

static size_t lines_of(const struct metric_family *f)
{
        return f->type == METRIC_HISTOGRAM ? f->n_bounds + 3 : 1;
}

/* Duplicates count: they are rare, and a limit is no exact science. */
static size_t count_lines(const struct sections *s, const struct plan *plan, const struct section *section)
{
        size_t n = 0;

        for (size_t i = 0; section->planned && i < section->planned->n; i++)
                n += sections_sample(s, &plan->entries[section->planned->first + i]) != NULL;
        for (size_t i = 0; i < section->n_samples; i++)
                n += lines_of(s->samples[section->first + i]->family);
        return n;
}

static bool is_kept(const struct section *section, const struct exposition_limit *limit)
{
        for (size_t i = 0; i < limit->n_kept; i++) {
                for (size_t k = 0; k < limit->kept[i].n; k++) {
                        if (order_names(&limit->kept[i].families[k], section->family) == 0)
                                return true;
                }
        }
        return false;
}

/* The next to go; NULL: nothing that may. */
static struct section *choose(struct sections *s, const struct exposition_limit *limit)
{
        struct section *most = NULL;

        for (size_t i = 0; i < s->n; i++) {
                struct section *section = &s->items[i];

                if (section->dropped || section->series == 0 || is_kept(section, limit))
                        continue;
                if (text_equal(section->family->name, limit->first))
                        return section;
                if (!most || section->series > most->series)
                        most = section;
        }
        return most;
}

/* There is room for it. */
static void insert(struct sections *s, const struct metric_family *family, size_t first, size_t n)
{
        size_t at = 0;

        while (at < s->n && order_names(s->items[at].family, family) < 0)
                at++;
        memmove(&s->items[at + 1], &s->items[at], (s->n - at) * sizeof(*s->items));
        s->items[at] = (struct section){ .family = family, .first = first, .n_samples = n };
        s->n++;
}

static int note_dropped(struct sections *s, const struct metric_family *family)
{
        s->dropped = batch_new();
        if (!s->dropped)
                return -ENOMEM;
        for (size_t i = 0; i < s->n; i++) {
                if (!s->items[i].dropped)
                        continue;
                batch_add_u64(s->dropped, family, LABELS(s->items[i].family->name), s->items[i].series);
                if (s->dropped_names.len > 0)
                        buf_text(&s->dropped_names, ", ");
                buf_text(&s->dropped_names, s->items[i].family->name);
        }
        return batch_error(s->dropped) < 0 ? batch_error(s->dropped) : s->dropped_names.error;
}

/* The samples that name what was left out come behind the others. */
static int tell(struct sections *s, const struct metric_family *family)
{
        size_t n, first = s->n_samples;
        int r = note_dropped(s, family);

        if (r < 0)
                return r;
        n = batch_size(s->dropped);
        s->samples = grown(s->samples, &s->cap_samples, first + n, sizeof(*s->samples), &r);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n; i++)
                s->samples[s->n_samples++] = batch_sample(s->dropped, i);
        order_sort(s->samples + first, n);
        insert(s, family, first, n);
        return 0;
}

/* As if nothing planned were absent: seldom more than there are, and cheap. */
static size_t most_lines(const struct sections *s, const struct plan *plan)
{
        size_t n = plan->n_entries;

        for (size_t i = 0; i < s->n_samples; i++)
                n += lines_of(s->samples[i]->family);
        return n;
}

int sections_limit(struct sections *s, const struct plan *plan, const struct exposition_limit *limit)
{
        size_t series = 0;
        bool dropped = false;

        buf_clear(&s->dropped_names);
        batch_unref(take_ptr(s->dropped));
        if (!limit || limit->max == 0 || most_lines(s, plan) <= limit->max)
                return 0;
        for (size_t i = 0; i < s->n; i++) {
                s->items[i].series = count_lines(s, plan, &s->items[i]);
                series += s->items[i].series;
        }
        while (series > limit->max) {
                struct section *section = choose(s, limit);

                if (!section)
                        break;
                section->dropped = dropped = true;
                series -= section->series;
        }
        return dropped ? tell(s, limit->dropped) : 0;
}
