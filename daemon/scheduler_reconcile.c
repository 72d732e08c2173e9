/* SPDX-License-Identifier: Apache-2.0 */
/* Which turns there are: those of the config, on the devices there are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "daemon/scheduler_private.h"

/* The turns there are, sorted for look-up: with a thousand peers a list would take seconds. */
struct index {
        struct turn **turns;
        size_t n;
};

static int compare_turns(const void *a, const void *b)
{
        const struct turn *x = *(struct turn *const *)a, *y = *(struct turn *const *)b;
        int order = strcmp(x->peer, y->peer);

        if (order == 0)
                order = strcmp(x->device, y->device);
        return order ? order : strcmp(x->class->name, y->class->name);
}

static int index_new(const struct scheduler *s, struct index *ret)
{
        size_t n = scheduler_probes(s), i = 0;
        struct turn **turns = calloc(n ? n : 1, sizeof(turns[0]));

        if (!turns)
                return -ENOMEM;
        for (struct turn *t = s->turns; t; t = t->next)
                turns[i++] = t;
        qsort(turns, n, sizeof(turns[0]), compare_turns);
        *ret = (struct index){ .turns = turns, .n = n };
        return 0;
}

static struct turn *find_turn(
        const struct index *index, const struct source_class *class, const char *device, const char *peer)
{
        size_t low = 0, high = index->n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                struct turn *t = index->turns[middle];
                int order = strcmp(t->peer, peer);
                if (order == 0)
                        order = strcmp(t->device, device);
                if (order == 0)
                        order = strcmp(t->class->name, class->name);
                if (order == 0)
                        return t;
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

static void remove_turn(struct scheduler *s, struct turn *t)
{
        schedule_remove(&s->schedule, &t->entry);
        if (!t->run) {
                turn_free(t);
                return;
        }
        atomic_store(&t->instance->cancel, true);
        slot_remove(t->slot);
        detector_series_free(t->series);
        t->slot = NULL;
        t->series = NULL;
        t->removed = true;
}

static void remove_unmarked(struct scheduler *s)
{
        struct turn **at = &s->turns;

        while (*at) {
                struct turn *t = *at;
                if (t->marked) {
                        at = &t->next;
                        continue;
                }
                *at = t->next;
                remove_turn(s, t);
        }
}

static void clear_idle_lanes(struct scheduler *s)
{
        for (struct device_lane *l = s->lanes; l; l = l->next) {
                bool used = false;
                for (struct turn *t = s->turns; t && !used; t = t->next)
                        used = t->lane == l;
                if (!used)
                        device_lane_clear(l);
        }
}

/* What one pair of a rail and a peer needs, as the config now says. */
struct wanted {
        const struct source_class *class;
        const struct config *config;
        const struct index *index;
        const struct config_peer *peer;
        const struct rail *rail;
        unsigned rail_index, kind, n_kinds;
};

static int equip(struct scheduler *s, struct turn *t, const struct wanted *w)
{
        const struct source_target target = {
                .device = w->rail->device,
                .rail = w->rail_index,
                .peer = w->peer->name,
                .peer_address = w->peer->address,
                .peer_tcp_port = (uint16_t)w->peer->port,
        };
        const void *config = config_of_class(w->config, w->class);
        struct instance *instance;
        uint64_t interval_ns = w->class->interval_ns(config);
        int r;

        r = instance_new(s->env, w->class, w->config, &target, &instance);
        if (r < 0)
                return r;
        instance_release(t->instance);
        t->instance = instance;
        t->timeout_ns = w->class->timeout_ns(config);
        t->offset_ns = schedule_offset_ns(
                w->config->node, w->peer->name, w->rail->device, w->kind, w->n_kinds, interval_ns);
        if (t->interval_ns != interval_ns) {
                t->interval_ns = interval_ns;
                if (t->phase == TURN_WAITING)
                        scheduler_wait_for_next(s, t);
        }
        return 0;
}

static int add_turn(struct scheduler *s, const struct wanted *w, struct turn **ret)
{
        struct device_lane *lane;
        struct turn *t;
        int r;

        r = device_lane_of(&s->lanes, w->rail->device, scheduler_job_done, s, &lane);
        if (r < 0)
                return r;
        r = turn_new(s->slots, w->class, w->rail->device, w->rail->name, w->peer->name, &t);
        if (r < 0)
                return r;
        t->lane = lane;
        t->next = s->turns;
        s->turns = t;
        *ret = t;
        return 0;
}

static int want(struct scheduler *s, const struct wanted *w)
{
        struct turn *t = find_turn(w->index, w->class, w->rail->device, w->peer->name);
        int r = 0;

        if (!t)
                r = add_turn(s, w, &t);
        if (r < 0)
                return r;
        r = text_copy(t->rail, sizeof(t->rail), w->rail->name);
        if (r == 0)
                r = equip(s, t, w);
        t->marked = r == 0;
        return r;
}

static bool is_probe(const struct source_class *class, const struct config *config)
{
        const struct source_config *c = config_of_class(config, class);

        return class->trigger == TRIGGER_TIMER && c->enabled;
}

static int want_rail(struct scheduler *s, struct wanted *w)
{
        unsigned n_kinds = 0, kind = 0;
        int r = 0;

        for (size_t i = 0; i < n_source_classes; i++)
                n_kinds += is_probe(source_classes[i], w->config);
        for (size_t i = 0; i < n_source_classes && r == 0; i++) {
                if (!is_probe(source_classes[i], w->config))
                        continue;
                w->class = source_classes[i];
                w->kind = kind++;
                w->n_kinds = n_kinds;
                for (size_t k = 0; k < w->config->peers.n && r == 0; k++) {
                        w->peer = config_peer(w->config, k);
                        r = want(s, w);
                }
        }
        return r;
}

int scheduler_reconcile(
        struct scheduler *s, const struct config *config, const struct rail *rails, size_t n_rails)
{
        struct index index;
        int r = index_new(s, &index);

        if (r < 0)
                return r;
        for (struct turn *t = s->turns; t; t = t->next)
                t->marked = false;
        for (size_t i = 0; i < n_rails && r == 0; i++) {
                struct wanted w = {
                        .config = config, .index = &index, .rail = &rails[i], .rail_index = (unsigned)i
                };
                r = want_rail(s, &w);
        }
        free(index.turns);
        remove_unmarked(s);
        clear_idle_lanes(s);
        return r;
}
