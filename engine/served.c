/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/served.h"

#include <stdlib.h>
#include <string.h>

void served_done(struct served *s)
{
        free(s->items);
        *s = (struct served){ 0 };
}

static int compare(const struct responder_served *a, const struct responder_served *b)
{
        int order = strcmp(a->peer, b->peer);
        if (order == 0)
                order = strcmp(a->device, b->device);
        return order != 0 ? order : (int)a->measure - (int)b->measure;
}

static void forget_oldest(struct served *s)
{
        size_t oldest = 0;
        for (size_t i = 1; i < s->n; i++)
                if (s->items[i].last_realtime_ns < s->items[oldest].last_realtime_ns)
                        oldest = i;
        s->n--;
        memmove(&s->items[oldest], &s->items[oldest + 1], (s->n - oldest) * sizeof(s->items[0]));
}

void served_add(struct served *s, const struct responder_served *one)
{
        if (s->n == RESPONDER_SERVED_MAX)
                forget_oldest(s);
        size_t at = 0;
        while (at < s->n && compare(&s->items[at], one) < 0)
                at++;
        if (at < s->n && compare(&s->items[at], one) == 0) {
                uint64_t before = s->items[at].completed_total;
                s->items[at] = *one;
                s->items[at].completed_total += before;
                return;
        }
        struct responder_served *grown = reallocarray(s->items, s->n + 1, sizeof(grown[0]));
        if (!grown)
                return;
        memmove(&grown[at + 1], &grown[at], (s->n - at) * sizeof(grown[0]));
        grown[at] = *one;
        s->items = grown;
        s->n++;
}
