/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/source_series.h"

#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "daemon/service_families.h"

struct name {
        const char *source; /* the class's */
        char device[ENGINE_NAME_MAX];
};

struct source_series {
        struct series_set *set;
        struct name *names; /* of the sources it is for */
        size_t n;
};

int source_series_new(struct source_series **ret)
{
        *ret = calloc(1, sizeof(**ret));
        return *ret ? 0 : -ENOMEM;
}

static void forget(struct source_series *s)
{
        series_set_unref(s->set);
        free(s->names);
        *s = (struct source_series){ 0 };
}

void source_series_free(struct source_series *s)
{
        if (!s)
                return;
        forget(s);
        free(s);
}

static bool is_for(const struct source_series *s, const struct collector_state *states, size_t n)
{
        if (!s->set || s->n != n)
                return false;
        for (size_t i = 0; i < n; i++) {
                if (!text_equal(s->names[i].source, states[i].source) ||
                        !text_equal(s->names[i].device, states[i].device))
                        return false;
        }
        return true;
}

static int make(const struct collector_state *states, size_t n, struct series_set **ret)
{
        static const enum service_family families[N_SOURCE_POSITIONS] = {
                [SOURCE_SUCCESS] = FAMILY_SOURCE_SUCCESS,
                [SOURCE_DURATION] = FAMILY_SOURCE_DURATION,
                [SOURCE_OVERDUE] = FAMILY_SOURCE_OVERDUE,
                [SOURCE_FAILURES] = FAMILY_SOURCE_FAILURES,
        };
        cleanup(series_set_unrefp) struct series_set *set = series_set_new();

        if (!set)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++) {
                const char *const *values = LABELS(states[i].source, states[i].device);

                for (size_t k = 0; k < N_SOURCE_POSITIONS; k++) {
                        int r = series_set_add(set, &service_families[families[k]], values);

                        if (r < 0)
                                return r;
                }
        }
        *ret = take_ptr(set);
        return 0;
}

/* Without memory for the names it is made anew the next time. */
static void remember(
        struct source_series *s, struct series_set *set, const struct collector_state *states, size_t n)
{
        forget(s);
        s->names = calloc(n ? n : 1, sizeof(s->names[0]));
        if (!s->names)
                return;
        for (size_t i = 0; i < n; i++) {
                s->names[i].source = states[i].source;
                /* Both have the same size. */
                (void)text_copy(s->names[i].device, sizeof(s->names[i].device), states[i].device);
        }
        s->set = series_set_ref(set);
        s->n = n;
}

int source_series_set(
        struct source_series *s, const struct collector_state *states, size_t n, struct series_set **ret)
{
        int r;

        if (s && is_for(s, states, n)) {
                *ret = series_set_ref(s->set);
                return 0;
        }
        r = make(states, n, ret);
        if (r == 0 && s)
                remember(s, *ret, states, n);
        return r;
}
