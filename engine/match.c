/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the peer's ports and addresses a measurement uses, and the path MTU between. */
#include <infiniband/verbs.h>

#include "base/text.h"
#include "engine/endpoint.h"
#include "engine/fault.h"
#include "engine/internal.h"

const struct device_facts *devices_find(const struct device_facts *devices, size_t n, const char *name)
{
        for (size_t i = 0; i < n; i++)
                if (text_equal(devices[i].name, name))
                        return &devices[i];
        return NULL;
}

const struct port_facts *device_port(const struct device_facts *d, uint8_t number)
{
        for (size_t i = 0; i < d->n_ports; i++)
                if (d->ports[i].number == number)
                        return &d->ports[i];
        return NULL;
}

const struct port_facts *device_active_port(const struct device_facts *d)
{
        for (size_t i = 0; i < d->n_ports; i++)
                if (d->ports[i].state == IBV_PORT_ACTIVE)
                        return &d->ports[i];
        return NULL;
}

static bool probeable(const struct device_facts *d)
{
        return !d->iwarp && d->n_ports > 0;
}

/* Rails count what is not iWARP. A device that the peer cannot open keeps its place. */
static const struct device_facts *rail_device(const struct welcome *w, unsigned rail)
{
        for (size_t i = 0; i < w->n_devices; i++)
                if (!w->devices[i].iwarp && rail-- == 0)
                        return &w->devices[i];
        return NULL;
}

static int peer_device(const struct welcome *w, const struct measure_request *request,
        const struct device_facts **ret, struct fault *fault)
{
        const struct device_facts *d;
        if (!request->peer_device) {
                d = rail_device(w, request->peer_rail);
                if (!d)
                        return fault_set(fault, OUTCOME_PEER, -ENODEV,
                                "%s has no rail %u: it offers %zu RDMA device%s", w->node, request->peer_rail,
                                w->n_devices, w->n_devices == 1 ? "" : "s");
        } else {
                d = devices_find(w->devices, w->n_devices, request->peer_device);
        }
        if (!d)
                return fault_set(fault, OUTCOME_PEER, -ENODEV, "%s has no RDMA device %s", w->node,
                        request->peer_device);
        if (!probeable(d))
                return fault_set(fault, OUTCOME_PEER, -ENODEV, "%s: %s %s", w->node, d->name,
                        d->iwarp ? "is an iWARP device: counted, never probed"
                                 : "is not there, or cannot be opened there");
        *ret = d;
        return 0;
}

int match_choose(const struct device_facts *local, uint8_t port, const struct welcome *w,
        const struct measure_request *request, struct match *ret, struct fault *fault)
{
        int r = peer_device(w, request, &ret->peer_device, fault);
        if (r < 0)
                return r;
        const struct device_facts *d = ret->peer_device;
        r = fault_set(fault, OUTCOME_PEER, -ENETDOWN, "%s: no port of %s is active; is its link up?", w->node,
                d->name);
        for (size_t i = 0; i < d->n_ports; i++) {
                const struct port_facts *p = &d->ports[i];
                size_t chosen;
                if (p->state != IBV_PORT_ACTIVE)
                        continue;
                r = address_choose(local, port, p->addresses, p->n_addresses, p->link_layer, &ret->local,
                        &ret->local_port, &chosen, fault);
                if (r < 0)
                        continue;
                *fault = (struct fault){ 0 };
                ret->peer_port = p;
                ret->peer = p->addresses[chosen];
                unsigned here = device_port(local, ret->local_port)->active_mtu_bytes;
                ret->mtu_bytes = here < p->active_mtu_bytes ? here : p->active_mtu_bytes;
                return 0;
        }
        return r;
}

int match_mtu(const struct device_facts *local, const struct match *m, unsigned wanted, const char *peer_node,
        unsigned *ret, struct fault *fault)
{
        unsigned here = device_port(local, m->local_port)->active_mtu_bytes;
        if (wanted <= m->mtu_bytes) {
                *ret = wanted > 0 ? wanted : m->mtu_bytes;
                return 0;
        }
        return fault_set(fault, wanted > here ? OUTCOME_LOCAL : OUTCOME_REFUSED, -EMSGSIZE,
                "MTU %u asked for, but %s here allows %u and %s on %s %u: raise the netdev's MTU or ask for "
                "less",
                wanted, local->name, here, m->peer_device->name, peer_node, m->peer_port->active_mtu_bytes);
}
