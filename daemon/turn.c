/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/turn.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "daemon/device_lane.h"
#include "daemon/log.h"

int instance_new(const struct source_environment *env, const struct source_class *class,
        const struct config *config, const struct source_target *target, struct instance **ret)
{
        cleanup(freep) struct instance *i = calloc(1, sizeof(*i));
        int r;

        if (!i)
                return -ENOMEM;
        r = class->create(env, target, config_of_class(config, class), &i->state);
        if (r < 0)
                return r;
        i->class = class;
        i->users = 1;
        atomic_init(&i->cancel, false);
        *ret = take_ptr(i);
        return 0;
}

void instance_release(struct instance *i)
{
        if (!i || --i->users > 0)
                return;
        i->class->destroy(i->state);
        free(i);
}

int turn_new(struct slots *slots, const struct source_class *class, const char *device, const char *rail,
        const char *peer, struct turn **ret)
{
        struct turn *t = calloc(1, sizeof(*t));
        int r;

        if (!t)
                return -ENOMEM;
        t->class = class;
        outcome_init(&t->telling);
        r = text_copy(t->device, sizeof(t->device), device);
        if (r == 0)
                r = text_copy(t->rail, sizeof(t->rail), rail);
        if (r == 0)
                r = text_copy(t->peer, sizeof(t->peer), peer);
        if (r == 0)
                r = slot_add(slots, &t->slot);
        if (r == 0)
                r = detector_series_new(slots, &t->series);
        if (r < 0) {
                turn_free(t);
                return r;
        }
        *ret = t;
        return 0;
}

void turn_free(struct turn *t)
{
        if (!t)
                return;
        instance_release(t->instance);
        slot_remove(t->slot);
        detector_series_free(t->series);
        outcome_done(&t->telling);
        free(t);
}

static bool is_telling(const struct outcome *o)
{
        return o->fault.kind != OUTCOME_BUSY && o->fault.kind != OUTCOME_CANCELLED;
}

/* A success as old as this is no longer shown: Prometheus then ends its series, for what it said is not known any
 * more. A failure stays until a turn succeeds. */
#define TELLING_INTERVALS 3

static const struct outcome *shown_telling(const struct turn *t, const struct outcome *now)
{
        uint64_t limit_ns = TELLING_INTERVALS * t->interval_ns;

        if (!t->has_telling)
                return NULL;
        if (t->telling.fault.kind == OUTCOME_OK &&
                now->started_realtime_ns > t->telling.started_realtime_ns + limit_ns)
                return NULL;
        return &t->telling;
}

/* A fault that goes on but changes its kind is worth a line, though not one each turn. */
#define LOG_CHANGE_NS (300 * NS_PER_SEC)

static void log_fault(struct turn *t, const struct outcome *o)
{
        bool fails_already = turn_failing(t);
        uint64_t now_ns = clock_now_ns();

        if (fails_already &&
                (t->telling.fault.kind == o->fault.kind || now_ns < t->logged_ns + LOG_CHANGE_NS))
                return;
        t->logged_ns = now_ns;
        /* What is wrong with the device concerns every peer, but is said once. */
        if (o->fault.kind == OUTCOME_LOCAL && !device_lane_news(t->lane, o->fault.reason))
                return;
        log_warn("probe %s %s → %s: failed after stage %s (%s): %s", t->class->name, t->device, t->peer,
                stage_name(o->stage), outcome_kind_name(o->fault.kind), o->fault.reason);
}

static void log_change(struct turn *t, const struct outcome *o)
{
        if (!is_telling(o)) {
                log_debug("probe %s %s → %s: %s", t->class->name, t->device, t->peer, o->fault.reason);
                return;
        }
        if (o->fault.kind != OUTCOME_OK) {
                log_fault(t, o);
                return;
        }
        if (turn_failing(t) || !t->has_telling)
                log_info("probe %s %s → %s: %s", t->class->name, t->device, t->peer,
                        t->has_telling ? "works again" : "works");
        (void)device_lane_news(t->lane, ""); /* the next fault of the device is news */
}

static void publish(struct turn *t, const struct outcome *last)
{
        const struct probe_labels labels = {
                .probe = t->class->name,
                .device = t->device,
                .rail = t->rail,
                .peer = t->peer,
        };
        struct batch *b = batch_new();

        if (!b)
                return; /* the page keeps the former turn's batch, whose time stamp tells */
        outcome_render(&labels, &t->totals, shown_telling(t, last), last, b);
        slot_publish(t->slot, b);
        detector_series_feed(t->series, &labels, last);
}

void turn_finish(struct turn *t, struct outcome *o)
{
        probe_totals_add(&t->totals, o);
        log_change(t, o);
        publish(t, o);
        if (!is_telling(o))
                return;
        outcome_done(&t->telling);
        t->telling = *o;
        outcome_init(o);
        /* The histogram went to the aggregate; a copy for each pair would cost 35 KiB. */
        free(t->telling.latency);
        t->telling.latency = NULL;
        t->has_telling = true;
}

bool turn_failing(const struct turn *t)
{
        return t->has_telling && t->telling.fault.kind != OUTCOME_OK;
}
