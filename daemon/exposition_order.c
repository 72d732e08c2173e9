/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/exposition_order.h"

#include <stdlib.h>
#include <string.h>

static int order_u64(uint64_t a, uint64_t b)
{
        return (a > b) - (a < b);
}

/* By bits: a total order, NaN included. */
static int order_double(double a, double b)
{
        uint64_t a_bits, b_bits;

        memcpy(&a_bits, &a, sizeof(a_bits));
        memcpy(&b_bits, &b, sizeof(b_bits));
        return order_u64(a_bits, b_bits);
}

static int order_values(const struct sample *a, const struct sample *b)
{
        int order = order_u64(a->integer, b->integer);

        if (order == 0)
                order = a->integer ? order_u64(a->u64, b->u64) : order_double(a->number, b->number);
        if (order == 0)
                order = order_double(a->sum, b->sum);
        for (size_t i = 0; order == 0 && a->cumulative && b->cumulative && i < a->family->n_bounds; i++)
                order = order_u64(a->cumulative[i], b->cumulative[i]);
        return order;
}

int order_names(const struct metric_family *a, const struct metric_family *b)
{
        return a == b ? 0 : strcmp(a->name, b->name);
}

int order_series(const struct metric_family *a, const char *a_labels, const struct metric_family *b,
        const char *b_labels)
{
        int order = order_names(a, b);

        if (order == 0)
                order = order_u64(a->type, b->type);
        if (order == 0)
                order = strcmp(a_labels, b_labels);
        if (order == 0 && a != b)
                order = strcmp(a->help, b->help);
        if (order == 0 && a != b)
                order = order_u64(a->n_bounds, b->n_bounds);
        return order;
}

int order_samples(const struct sample *a, const struct sample *b)
{
        int order = order_series(a->family, a->labels, b->family, b->labels);

        return order != 0 ? order : order_values(a, b);
}

static int compare(const void *left, const void *right)
{
        return order_samples(*(const struct sample *const *)left, *(const struct sample *const *)right);
}

void order_sort(const struct sample **samples, size_t n)
{
        if (n > 1)
                qsort(samples, n, sizeof(*samples), compare);
}
