/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/request.h"

#include <errno.h>

#include "base/clock.h"
#include "cli/names.h"

static bool usable(const struct device_facts *d)
{
        return !d->iwarp && d->n_ports > 0;
}

static bool active(const struct device_facts *d)
{
        for (size_t i = 0; i < d->n_ports; i++)
                if (d->ports[i].state == PORT_STATE_ACTIVE)
                        return true;
        return false;
}

/* A device's place among those that are not iWARP is its rail. */
static const struct device_facts *pick(
        const struct device_facts *list, size_t n, const char *wanted, unsigned *ret_rail)
{
        unsigned rail = 0;
        for (size_t i = 0; i < n; i++) {
                if (wanted ? text_equal(list[i].name, wanted) : usable(&list[i]) && active(&list[i])) {
                        *ret_rail = rail;
                        return &list[i];
                }
                rail += !list[i].iwarp;
        }
        return NULL;
}

int request_find_device(const struct measure_options *o, const struct device_facts *list, size_t n,
        const struct device_facts **ret, unsigned *ret_rail, struct fault *fault)
{
        *ret = pick(list, n, o->device, ret_rail);
        if (*ret)
                return 0;
        *fault = (struct fault){ .kind = OUTCOME_LOCAL, .error = -ENODEV };
        if (o->device)
                text_message(fault->reason, sizeof(fault->reason),
                        "this host has no RDMA device %s; see rdma-canary devices", o->device);
        else
                text_message(fault->reason, sizeof(fault->reason),
                        "this host has no RDMA device with an active port; see rdma-canary devices");
        return -ENODEV;
}

static void replace(unsigned *field, uint64_t given)
{
        if (given > 0)
                *field = (unsigned)given;
}

static void fill_path(struct plan *p, const struct measure_options *o)
{
        if (o->ack_timeout > 0)
                p->timeout = (uint8_t)o->ack_timeout;
        if (o->retries > 0)
                p->retry_count = (uint8_t)o->retries;
        p->service_level = (uint8_t)o->service_level;
        p->traffic_class = (uint8_t)o->traffic_class;
        p->flow_label = (uint32_t)o->flow_label;
        replace(&p->mtu_bytes, o->mtu);
}

static void fill_plan(struct plan *p, const struct measure_options *o)
{
        plan_set_operation(p, (enum operation)o->operation, (enum transport)o->transport);
        p->bidirectional = o->bidirectional;
        p->verify = o->verify;
        p->memory = (enum memory_kind)o->memory;
        p->rate_bps = o->rate_bps;
        p->inlining = (enum inlining)o->inlining;
        p->wait = (enum completion_wait)o->wait;
        fill_path(p, o);
        replace(&p->receive_depth, o->receive_depth);
        replace(&p->queue_pairs, o->queue_pairs);
        replace(&p->depth, o->depth);
        replace(&p->post_list, o->post_list);
        replace(&p->signal_interval, o->signal_interval);
        if (o->size > 0)
                p->message_bytes = o->size;
        if (o->bytes == 0 && o->messages == 0 && o->duration_ns == 0)
                return;
        p->budget_bytes = o->bytes;
        p->budget_messages = o->messages;
        p->budget_ns = o->duration_ns;
}

void request_fill(struct measure_request *ret, const struct measure_options *o, enum measure measure,
        const struct device_facts *device, unsigned rail)
{
        *ret = (struct measure_request){
                .device = device->name,
                .port = (uint8_t)o->port,
                .peer_node = o->peer_node,
                .peer_rail = o->peer_rail == RAIL_LIKE_OURS ? rail : (unsigned)o->peer_rail,
                .peer_device = o->peer_device,
                .peer_address = o->peer_address,
                .operator= true,
                .deadline_ns = clock_now_ns() + o->timeout_ns + o->duration_ns,
        };
        plan_defaults(&ret->plan, measure, device->class);
        fill_plan(&ret->plan, o);
}
