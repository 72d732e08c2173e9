/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/hw_rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/text.h"

static bool driver_is(const struct hw_driver *d, const char *name)
{
        bool found = strcmp(d->name, name) == 0;

        for (size_t i = 0; !found && d->modules[i]; i++)
                found = strcmp(d->modules[i], name) == 0;
        return found;
}

const struct hw_driver *hw_driver_find(const char *name)
{
        for (size_t i = 0; name && i < n_hw_drivers; i++)
                if (driver_is(&hw_drivers[i], name))
                        return &hw_drivers[i];
        return NULL;
}

const struct hw_counter *hw_counter_find(const struct hw_driver *d, const char *name)
{
        for (size_t i = 0; d && i < d->n_counters; i++)
                if (strcmp(d->counters[i].name, name) == 0)
                        return &d->counters[i];
        return NULL;
}

const struct hw_driver *hw_driver_guess(const char *module, const char *const *names, size_t n)
{
        const struct hw_driver *best = NULL;
        size_t most = 0;

        for (size_t i = 0; i < n_hw_drivers; i++) {
                const struct hw_driver *d = &hw_drivers[i];
                size_t known = 0;

                for (size_t k = 0; k < n; k++)
                        known += hw_counter_find(d, names[k]) != NULL;
                if (known > most || (known == most && known > 0 && module && driver_is(d, module))) {
                        best = d;
                        most = known;
                }
        }
        return best;
}

bool hw_name_is_control(const char *name)
{
        return strcmp(name, "lifespan") == 0 || strcmp(name, "clear_counters") == 0;
}

static bool family_is_taken(const struct hw_rows *rows, const struct metric_family *f, const char *port)
{
        for (size_t i = 0; i < rows->n; i++)
                if (rows->items[i].family == f && strcmp(rows->items[i].port, port) == 0)
                        return true;
        return false;
}

static bool canonical_is_fed(const struct hw_rows *rows, const struct metric_family *f, const char *port)
{
        for (size_t i = 0; i < rows->n; i++)
                if (rows->items[i].canonical == f &&
                        (port[0] == '\0' || strcmp(rows->items[i].port, port) == 0))
                        return true;
        return false;
}

static int make_room(struct hw_rows *rows)
{
        size_t cap = rows->cap ? 2 * rows->cap : 64;
        struct hw_row *items;

        if (rows->n < rows->cap)
                return 0;
        items = reallocarray(rows->items, cap, sizeof(*items));
        if (!items)
                return -ENOMEM;
        rows->items = items;
        rows->cap = cap;
        return 0;
}

static int add_series(struct series_set *set, struct hw_row *row, const char *device, const char *name)
{
        int r = series_set_add(
                set, row->family, LABELS(device, row->port, name)); /* name: the generic one's */

        if (r < 0)
                return r;
        row->position = (size_t)r;
        r = row->canonical ? series_set_add(set, row->canonical, LABELS(device, row->port)) : 0;
        if (r < 0)
                return r;
        row->canonical_position = (size_t)r;
        return 0;
}

int hw_rows_add(struct hw_rows *rows, struct series_set *set, const struct hw_driver *driver,
        const char *device, const char *port, const char *name)
{
        const struct hw_counter *known = hw_counter_find(driver, name);
        struct hw_row row = { .family = &hw_families[0], .scale = 1 };
        int r = text_copy(row.port, sizeof(row.port), port);

        if (r < 0)
                return -EINVAL;
        if (known && !family_is_taken(rows, known->family, port)) {
                row.family = known->family;
                row.scale = known->scale;
                if (known->canonical && !canonical_is_fed(rows, known->canonical, port))
                        row.canonical = known->canonical;
        }
        r = make_room(rows);
        if (r == 0)
                r = add_series(set, &row, device, name);
        if (r < 0)
                return r;
        rows->items[rows->n] = row;
        return (int)rows->n++;
}

void hw_rows_set(const struct hw_rows *rows, size_t i, uint64_t value, struct batch *b)
{
        const struct hw_row *row = &rows->items[i];

        if (__builtin_mul_overflow(value, row->scale, &value))
                return;
        batch_set_u64(b, row->position, value);
        if (row->canonical)
                batch_set_u64(b, row->canonical_position, value);
}

void hw_rows_done(struct hw_rows *rows)
{
        free(rows->items);
        *rows = (struct hw_rows){ 0 };
}
