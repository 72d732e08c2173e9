/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the peer's ports and addresses a measurement uses, and the path MTU between. */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <string.h>

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

/* The addresses of a port that the request allows; chosen[i] is the place of the i-th among all. */
static size_t allowed_addresses(const struct port_facts *p, const struct rdma_address *wanted,
        struct rdma_address *ret, size_t *places)
{
        size_t n = 0;
        for (size_t i = 0; i < p->n_addresses; i++) {
                if (wanted && memcmp(p->addresses[i].gid, wanted->gid, sizeof(wanted->gid)) != 0)
                        continue;
                ret[n] = p->addresses[i];
                places[n++] = i;
        }
        return n;
}

static int choose_port(const struct device_facts *local, uint8_t port, const struct port_facts *p,
        const struct rdma_address *wanted, struct match *ret, struct fault *fault)
{
        struct rdma_address allowed[ENGINE_ADDRESSES_MAX];
        size_t places[ENGINE_ADDRESSES_MAX], chosen;
        size_t n = allowed_addresses(p, wanted, allowed, places);
        int r = address_choose(
                local, port, allowed, n, p->link_layer, &ret->local, &ret->local_port, &chosen, fault);
        if (r < 0)
                return r;
        ret->peer_port = p;
        ret->peer = p->addresses[places[chosen]];
        unsigned here = device_port(local, ret->local_port)->active_mtu_bytes;
        ret->mtu_bytes = here < p->active_mtu_bytes ? here : p->active_mtu_bytes;
        return 0;
}

/* As text in the request; IPv4 becomes its mapped form, as in a GID table. */
static int wanted_address(const char *text, struct rdma_address *ret, struct fault *fault)
{
        struct in_addr four;
        *ret = (struct rdma_address){ 0 };
        if (inet_pton(AF_INET6, text, ret->gid) == 1)
                return 0;
        if (inet_pton(AF_INET, text, &four) != 1)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL,
                        "peer address %s: not an IPv4 or IPv6 address; names are for the control connection",
                        text);
        ret->gid[10] = ret->gid[11] = 0xff;
        memcpy(&ret->gid[12], &four, sizeof(four));
        return 0;
}

static bool has_wanted(const struct device_facts *d, const struct rdma_address *wanted)
{
        struct rdma_address unused[ENGINE_ADDRESSES_MAX];
        size_t places[ENGINE_ADDRESSES_MAX];
        for (size_t i = 0; i < d->n_ports; i++)
                if (allowed_addresses(&d->ports[i], wanted, unused, places) > 0)
                        return true;
        return false;
}

int match_choose(const struct device_facts *local, uint8_t port, const struct welcome *w,
        const struct measure_request *request, struct match *ret, struct fault *fault)
{
        int r = peer_device(w, request, &ret->peer_device, fault);
        if (r < 0)
                return r;
        const struct device_facts *d = ret->peer_device;
        struct rdma_address address = { 0 };
        const struct rdma_address *wanted = request->peer_address ? &address : NULL;
        if (wanted && (r = wanted_address(request->peer_address, &address, fault)) < 0)
                return r;
        if (wanted && !has_wanted(d, wanted))
                return fault_set(fault, OUTCOME_PEER, -EADDRNOTAVAIL, "%s: %s has no RDMA address %s",
                        w->node, d->name, request->peer_address);
        r = fault_set(fault, OUTCOME_PEER, -ENETDOWN, "%s: no port of %s is active; is its link up?", w->node,
                d->name);
        for (size_t i = 0; i < d->n_ports && r < 0; i++)
                if (d->ports[i].state == IBV_PORT_ACTIVE)
                        r = choose_port(local, port, &d->ports[i], wanted, ret, fault);
        if (r == 0)
                *fault = (struct fault){ 0 };
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
