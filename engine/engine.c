/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "engine/internal.h"
#include "engine/plan.h"

static void engine_unref(struct engine *e)
{
        if (atomic_fetch_sub(&e->references, 1) != 1)
                return;
        rails_free(e->rails);
        resolver_free(e->resolver);
        admission_free(e->admission);
        reapers_free(e->reapers);
        free(e);
}

int engine_new(const char *node, struct engine **ret)
{
        struct engine *e = calloc(1, sizeof(*e));
        if (!e)
                return -ENOMEM;
        atomic_init(&e->references, 1);
        int r = text_copy(e->node, sizeof(e->node), node);
        if (r == 0)
                r = reapers_new(&e->reapers);
        if (r == 0)
                r = admission_new(&e->admission);
        if (r == 0)
                r = resolver_new(&e->resolver);
        if (r == 0)
                r = rails_new(&e->rails);
        if (r < 0) {
                engine_free(e);
                return r;
        }
        *ret = e;
        return 0;
}

struct engine *engine_ref(struct engine *e)
{
        atomic_fetch_add(&e->references, 1);
        return e;
}

void engine_free(struct engine *e)
{
        if (e)
                engine_unref(e);
}

size_t engine_reapers(struct engine *e, struct reaper_state *ret, size_t max)
{
        return reapers_states(e->reapers, ret, max);
}

uint32_t plan_capability(const struct plan *p)
{
        if (plan_is_extended(p))
                return CAPABILITY_OPERATIONS;
        return p->measure == MEASURE_LATENCY ? CAPABILITY_WRITE_LATENCY : CAPABILITY_WRITE_BANDWIDTH;
}
