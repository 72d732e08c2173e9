/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/windows.h"

#include "base/clock.h"

#define STAMPS_PER_WINDOW_MIN 2 /* with fewer, a window's figure is mostly interpolation */

void windows_start(struct windows *w, uint64_t now_ns)
{
        w->start_ns = now_ns;
        w->spacing_ns = 0;
        w->n = 0;
}

/* Every second stamp goes, and later ones come at the pace of those that stay. */
static void thin_out(struct windows *w)
{
        size_t kept = 0;
        for (size_t i = 1; i < w->n; i += 2)
                w->stamps[kept++] = w->stamps[i];
        w->n = kept;
        w->spacing_ns = w->stamps[kept - 1].ns / kept;
}

void windows_add(struct windows *w, uint64_t now_ns, uint64_t messages)
{
        uint64_t ns = now_ns - w->start_ns;
        if (w->n > 0 && ns - w->stamps[w->n - 1].ns < w->spacing_ns)
                return;
        if (w->n == WINDOWS_STAMPS)
                thin_out(w);
        w->stamps[w->n++] = (struct windows_stamp){ .ns = ns, .messages = messages };
}

/* Messages done at time `ns`, between two known points. */
static double between(struct windows_stamp a, struct windows_stamp b, double ns)
{
        if (b.ns <= a.ns)
                return (double)b.messages;
        double share = (ns - (double)a.ns) / (double)(b.ns - a.ns);
        return (double)a.messages + share * (double)(b.messages - a.messages);
}

/* Progress at the edges of the windows, by one walk over the stamps. */
static void edges(const struct windows *w, struct windows_stamp end, double ret[WINDOWS + 1])
{
        struct windows_stamp before = { 0 };
        size_t next = 0;
        for (size_t k = 0; k <= WINDOWS; k++) {
                double ns = (double)end.ns * (double)k / WINDOWS;
                while (next < w->n && (double)w->stamps[next].ns < ns)
                        before = w->stamps[next++];
                ret[k] = between(before, next < w->n ? w->stamps[next] : end, ns);
        }
}

void windows_rates(const struct windows *w, uint64_t end_ns, uint64_t messages, struct windows_rates *ret)
{
        *ret = (struct windows_rates){ 0 };
        struct windows_stamp end = { .ns = end_ns - w->start_ns, .messages = messages };
        if (w->n < WINDOWS * STAMPS_PER_WINDOW_MIN || end.ns == 0)
                return;
        double at[WINDOWS + 1];
        edges(w, end, at);
        double seconds = (double)end.ns / (double)NS_PER_SEC / WINDOWS;
        ret->best = ret->worst = at[1] / seconds;
        for (size_t k = 1; k < WINDOWS; k++) {
                double rate = (at[k + 1] - at[k]) / seconds;
                ret->best = rate > ret->best ? rate : ret->best;
                ret->worst = rate < ret->worst ? rate : ret->worst;
        }
        ret->steady = (at[WINDOWS - 1] - at[1]) / (seconds * (WINDOWS - 2));
}
