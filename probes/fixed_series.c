/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/fixed_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

static int make_room(struct fixed_series *f)
{
        size_t cap = f->cap ? 2 * f->cap : 16;
        uint64_t *values;

        if (!f->set)
                f->set = series_set_new();
        if (!f->set)
                return -ENOMEM;
        if (f->n < f->cap)
                return 0;
        values = reallocarray(f->values, cap, sizeof(*values));
        if (!values)
                return -ENOMEM;
        f->values = values;
        f->cap = cap;
        return 0;
}

void fixed_series_add(
        struct fixed_series *f, const struct metric_family *family, const char *const *labels, uint64_t value)
{
        int r = f->error ? f->error : make_room(f);

        if (r == 0)
                r = series_set_add(f->set, family, labels);
        if (r < 0)
                f->error = r;
        else
                f->values[f->n++] = value;
}

static bool same_series(const struct fixed_series *a, const struct fixed_series *b)
{
        if (a->n != b->n)
                return false;
        for (size_t i = 0; i < a->n; i++)
                if (series_set_family(a->set, i) != series_set_family(b->set, i) ||
                        strcmp(series_set_labels(a->set, i), series_set_labels(b->set, i)) != 0)
                        return false;
        return true;
}

int fixed_series_become(struct fixed_series *f, struct fixed_series *found)
{
        int r = found->error;

        if (r == 0 && same_series(f, found)) {
                if (f->n > 0)
                        memcpy(f->values, found->values, f->n * sizeof(*f->values));
                fixed_series_done(found);
                return 0;
        }
        fixed_series_done(f);
        if (r == 0) {
                *f = *found;
                *found = (struct fixed_series){ 0 };
        }
        fixed_series_done(found);
        return r;
}

void fixed_series_show(const struct fixed_series *f, struct batch *b)
{
        if (!f->set)
                return;
        batch_prepare(b, f->set);
        for (size_t i = 0; i < f->n; i++)
                batch_set_u64(b, i, f->values[i]);
}

void fixed_series_done(struct fixed_series *f)
{
        series_set_unref(f->set);
        free(f->values);
        *f = (struct fixed_series){ 0 };
}
