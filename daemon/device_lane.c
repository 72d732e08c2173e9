/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/device_lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "daemon/log.h"

static void device_lane_free(struct device_lane *l)
{
        free(l->aggregates);
        free(l->slots);
        free(l);
}

void device_lane_clear(struct device_lane *l)
{
        for (size_t i = 0; i < n_source_classes; i++) {
                slot_remove(l->slots[i]);
                probe_aggregate_free(l->aggregates[i]);
                l->slots[i] = NULL;
                l->aggregates[i] = NULL;
        }
}

static int device_lane_new(const char *device, void (*done)(void *context, struct job *job), void *context,
        struct device_lane **ret)
{
        struct device_lane *l = calloc(1, sizeof(*l));
        int r = -ENOMEM;

        if (!l)
                return r;
        l->aggregates = calloc(n_source_classes, sizeof(l->aggregates[0]));
        l->slots = calloc(n_source_classes, sizeof(l->slots[0]));
        if (l->aggregates && l->slots)
                r = text_copy(l->device, sizeof(l->device), device);
        if (r == 0)
                r = lane_new(device, done, context, &l->lane);
        if (r < 0) {
                device_lane_free(l);
                return r;
        }
        *ret = l;
        return 0;
}

int device_lane_of(struct device_lane **list, const char *device,
        void (*done)(void *context, struct job *job), void *context, struct device_lane **ret)
{
        struct device_lane *l = *list;
        int r;

        while (l && strcmp(l->device, device) != 0)
                l = l->next;
        if (!l) {
                r = device_lane_new(device, done, context, &l);
                if (r < 0)
                        return r;
                l->next = *list;
                *list = l;
        }
        *ret = l;
        return 0;
}

static size_t class_index(const struct source_class *class)
{
        size_t i = 0;

        while (source_classes[i] != class)
                i++;
        return i;
}

void device_lane_aggregate(
        struct device_lane *l, struct slots *slots, const struct source_class *class, const struct outcome *o)
{
        size_t i = class_index(class);
        struct batch *b;

        if (!l->aggregates[i])
                l->aggregates[i] = probe_aggregate_new();
        if (!l->aggregates[i] || (!l->slots[i] && slot_add(slots, &l->slots[i]) < 0))
                return;
        probe_aggregate_add(l->aggregates[i], o);
        b = batch_new();
        if (!b)
                return;
        probe_aggregate_render(l->aggregates[i], class->name, l->device, b);
        slot_publish(l->slots[i], b);
}

bool device_lane_news(struct device_lane *l, const char *fault)
{
        if (strcmp(l->local_fault, fault) == 0)
                return false;
        text_message(l->local_fault, sizeof(l->local_fault), "%s", fault);
        return true;
}

int device_lanes_stop(struct device_lane *list, uint64_t deadline_ns)
{
        int r = 0;

        for (struct device_lane *l = list; l; l = l->next)
                if (lane_free(l->lane, deadline_ns) < 0) {
                        log_warn("device %s: a probe is stuck in the kernel and is left behind", l->device);
                        r = -ETIMEDOUT;
                }
        return r;
}

void device_lanes_free(struct device_lane *list)
{
        while (list) {
                struct device_lane *l = list;
                list = l->next;
                device_lane_clear(l);
                device_lane_free(l);
        }
}
