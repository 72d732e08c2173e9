/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, describing, connecting and giving away one end of a measurement. The context lives as long as the
 * endpoint and no longer: while one is open, `rdma link delete` of an rxe device waits for it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/text.h"
#include "engine/device.h"
#include "engine/memlock.h"
#include "engine/verbs_private.h"

/* Runs on the reaper. In the order the kernel demands: what uses goes before what is used. Errors are not
 * acted upon: closing the context releases in the kernel whatever would not go. */
static void destroy(struct teardown *t)
{
        struct endpoint *ep = (struct endpoint *)((char *)t - offsetof(struct endpoint, teardown));
        for (unsigned i = 0; i < ep->n_qps; i++)
                (void)ibv_destroy_qp(ep->queues[i].qp);
        for (unsigned i = 0; i < ep->n_cqs; i++)
                (void)ibv_destroy_cq(ep->cqs[i]);
        if (ep->ah)
                (void)ibv_destroy_ah(ep->ah);
        if (ep->channel)
                (void)ibv_destroy_comp_channel(ep->channel);
        if (ep->mr)
                (void)ibv_dereg_mr(ep->mr);
        if (ep->pd)
                (void)ibv_dealloc_pd(ep->pd);
        if (ep->context)
                (void)ibv_close_device(ep->context);
        memory_unmap(&ep->memory);
        free(ep);
}

void endpoint_close(struct endpoint *ep)
{
        if (!ep)
                return;
        ep->teardown.destroy = destroy;
        if (!ep->context) { /* nothing the kernel could be slow with */
                destroy(&ep->teardown);
                return;
        }
        reapers_submit(ep->reapers, ep->device, &ep->teardown);
}

static int open_context(struct endpoint *ep, struct fault *fault)
{
        int r = device_open(ep->device, &ep->context);
        switch (r) {
        case 0:
                return 0;
        case -ENODEV:
                return fault_set(fault, OUTCOME_LOCAL, r, "there is no RDMA device %s", ep->device);
        case -ENOSYS:
                return fault_set(fault, OUTCOME_LOCAL, r, "the kernel has no RDMA support: load ib_uverbs");
        case -EACCES:
        case -EPERM:
                return fault_set(fault, OUTCOME_LOCAL, r,
                        "no permission to open %s: check /dev/infiniband/uverbs*", ep->device);
        default:
                return fault_set(fault, OUTCOME_LOCAL, r, "cannot open %s: %s", ep->device, strerror(-r));
        }
}

static const struct port_facts *find_port(const struct device_facts *facts, uint8_t number)
{
        for (size_t i = 0; i < facts->n_ports; i++)
                if (facts->ports[i].number == number)
                        return &facts->ports[i];
        return NULL;
}

/* The GID table may have changed since the address was chosen, and its index is what the queue pair gets. */
static bool has_address(const struct port_facts *port, const struct rdma_address *a)
{
        for (size_t i = 0; i < port->n_addresses; i++)
                if (port->addresses[i].index == a->index && port->addresses[i].type == a->type &&
                        memcmp(port->addresses[i].gid, a->gid, sizeof(a->gid)) == 0)
                        return true;
        return false;
}

static int check_port(struct endpoint *ep, const struct port_facts *port, struct fault *fault)
{
        if (!port || port->state != IBV_PORT_ACTIVE)
                return fault_set(
                        fault, OUTCOME_LOCAL, -ENETDOWN, "port %u of %s is not active", ep->port, ep->device);
        if (!has_address(port, &ep->address)) {
                char text[46];
                rdma_address_format(&ep->address, text, sizeof(text));
                return fault_set(fault, OUTCOME_LOCAL, -EADDRNOTAVAIL,
                        "port %u of %s no longer has the address %s", ep->port, ep->device, text);
        }
        if (mtu_from_bytes(ep->plan.mtu_bytes) == 0 || ep->plan.mtu_bytes > port->active_mtu_bytes)
                return fault_set(fault, OUTCOME_LOCAL, -EMSGSIZE,
                        "MTU %u: the active MTU of %s port %u is %u; raise the network device's MTU for more",
                        ep->plan.mtu_bytes, ep->device, ep->port, port->active_mtu_bytes);
        ep->link_layer = port->link_layer;
        ep->lid = port->lid;
        return 0;
}

static int check_message(struct endpoint *ep, struct fault *fault)
{
        struct ibv_port_attr attributes = { 0 };
        int r = verbs_error(ibv_query_port(ep->context, ep->port, &attributes));
        if (r < 0)
                return fault_set(fault, OUTCOME_LOCAL, r, "cannot query port %u of %s: %s", ep->port,
                        ep->device, strerror(-r));
        if (ep->plan.message_bytes > attributes.max_msg_sz)
                return fault_set(fault, OUTCOME_LOCAL, -EMSGSIZE, "message_bytes %" PRIu64 ": %s allows %u",
                        ep->plan.message_bytes, ep->device, attributes.max_msg_sz);
        /* Soft-RoCE reports a longer one as sent, and sends nothing. */
        if (ep->plan.transport == TRANSPORT_UD && ep->plan.message_bytes > ep->plan.mtu_bytes)
                return fault_set(fault, OUTCOME_LOCAL, -EMSGSIZE,
                        "message_bytes %" PRIu64 ": a UD message is one packet, and the MTU from %s is %u",
                        ep->plan.message_bytes, ep->device, ep->plan.mtu_bytes);
        return 0;
}

static int check_device(struct endpoint *ep, int *ret_node, struct fault *fault)
{
        cleanup(freep) struct device_facts *facts = malloc(sizeof(*facts));
        int r = facts ? device_facts_query(ep->context, facts) : -ENOMEM;
        if (r < 0)
                return fault_set(fault, OUTCOME_LOCAL, r, "cannot query %s: %s", ep->device, strerror(-r));
        if (facts->iwarp)
                return fault_set(fault, OUTCOME_LOCAL, -EOPNOTSUPP,
                        "%s is an iWARP device: counted, but not probed, since that needs the connection "
                        "manager",
                        ep->device);
        ep->class = facts->class;
        *ret_node = facts->numa_node;
        r = check_port(ep, find_port(facts, ep->port), fault);
        return r < 0 ? r : check_message(ep, fault);
}

static int register_fault(const struct endpoint *ep, int error, struct fault *fault)
{
        char why[ENGINE_REASON_MAX];
        memlock_explain(why, sizeof(why), ep->memory.bytes, error);
        return fault_set(
                fault, OUTCOME_LOCAL, -error, "cannot register memory with %s: %.190s", ep->device, why);
}

static int make_memory(struct endpoint *ep, int node, struct fault *fault)
{
        uint64_t bytes = plan_memory_bytes(&ep->plan);
        enum memory_kind kind = ep->plan.memory;
        if (kind == MEMORY_AUTO && ep->class == DEVICE_SOFTWARE)
                kind = MEMORY_PLAIN; /* no device reads it whose translations huge pages would spare */
        int r = memory_map(&ep->memory, bytes, kind, node, &ep->memory_used, fault);
        if (r < 0)
                return r;
        ep->pd = ibv_alloc_pd(ep->context);
        if (!ep->pd)
                return fault_set(fault, OUTCOME_LOCAL, -errno, "no protection domain on %s: %s", ep->device,
                        strerror(errno));
        ep->mr = ibv_reg_mr(ep->pd, ep->memory.data, ep->memory.bytes,
                IBV_ACCESS_LOCAL_WRITE | queue_access(ep->plan.operation));
        return ep->mr ? 0 : register_fault(ep, errno, fault);
}

/* Never blocks: events are taken after poll(2) said so, and only once. */
static int make_channel(struct endpoint *ep, struct fault *fault)
{
        ep->channel = ibv_create_comp_channel(ep->context);
        int flags = ep->channel ? fcntl(ep->channel->fd, F_GETFL) : -1;
        if (flags < 0 || fcntl(ep->channel->fd, F_SETFL, flags | O_NONBLOCK) < 0)
                return fault_set(fault, OUTCOME_LOCAL, -errno, "no completion channel on %s: %s", ep->device,
                        strerror(errno));
        return 0;
}

static uint8_t at_most_255(int n)
{
        return (uint8_t)(n < 1 ? 1 : n > UINT8_MAX ? UINT8_MAX : n);
}

static int make_queues(struct endpoint *ep, struct fault *fault)
{
        struct ibv_device_attr limits = { 0 };
        int r = verbs_error(ibv_query_device(ep->context, &limits));
        if (r < 0)
                return fault_set(fault, OUTCOME_LOCAL, r, "cannot query %s: %s", ep->device, strerror(-r));
        if (operation_facts(ep->plan.operation)->atomic && limits.atomic_cap == IBV_ATOMIC_NONE)
                return fault_set(
                        fault, OUTCOME_LOCAL, -EOPNOTSUPP, "%s has no atomic operations", ep->device);
        ep->reads = at_most_255(limits.max_qp_rd_atom);
        ep->own_reads = at_most_255(limits.max_qp_init_rd_atom);
        r = make_channel(ep, fault);
        if (r == 0)
                r = queue_create_cqs(ep, &limits, fault);
        if (r == 0)
                r = queue_create_qps(ep, &limits, fault);
        return r;
}

/* Random, so that late packets of an earlier queue pair of the same number are not taken for this one's. */
static int draw_psns(struct endpoint *ep, struct fault *fault)
{
        uint32_t random;
        for (size_t i = 0; i < ep->plan.queue_pairs; i++) {
                if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
                        return fault_set(fault, OUTCOME_LOCAL, -EIO, "the kernel gave no random numbers");
                ep->queues[i].psn = random & 0xffffff;
        }
        return 0;
}

static int make(struct endpoint *ep, struct fault *fault)
{
        int node = -1;
        int r = draw_psns(ep, fault);
        if (r == 0)
                r = open_context(ep, fault);
        if (r == 0)
                r = check_device(ep, &node, fault);
        if (r == 0)
                r = make_memory(ep, node, fault);
        if (r == 0)
                r = make_queues(ep, fault);
        return r;
}

int endpoint_open(struct reapers *reapers, const char *device, uint8_t port,
        const struct rdma_address *address, const struct plan *plan, struct endpoint **ret,
        struct fault *fault)
{
        char why[ENGINE_REASON_MAX];
        if (plan_check(plan, why) < 0)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL, "%s", why);
        if (reapers_stuck(reapers, device))
                return fault_set(fault, OUTCOME_LOCAL, -EBUSY,
                        "the kernel is still busy with earlier queue pairs of %s: no new ones until it is "
                        "done",
                        device);
        struct endpoint *ep = calloc(1, sizeof(*ep));
        if (!ep)
                return fault_set(fault, OUTCOME_LOCAL, -ENOMEM, "no memory");
        ep->reapers = reapers;
        ep->port = port;
        ep->address = *address;
        ep->plan = *plan;
        int r = text_copy(ep->device, sizeof(ep->device), device) < 0
                        ? fault_set(fault, OUTCOME_LOCAL, -ENODEV, "device name too long")
                        : make(ep, fault);
        if (r < 0) {
                endpoint_close(ep);
                return r;
        }
        *ret = ep;
        return 0;
}

void endpoint_describe(const struct endpoint *ep, struct endpoint_info *ret)
{
        *ret = (struct endpoint_info){
                .address = ep->address,
                .lid = ep->lid,
                .mtu_bytes = ep->plan.mtu_bytes,
                .remote_addr = (uint64_t)(uintptr_t)endpoint_landing(ep, 0),
                .remote_key = ep->mr->rkey,
                .bytes = ep->n_qps * plan_slot_bytes(&ep->plan),
                .reads = ep->reads,
                .n_qps = ep->n_qps,
        };
        for (unsigned i = 0; i < ep->n_qps; i++)
                ret->qps[i] = (struct endpoint_qp){
                        .number = ep->queues[i].qp->qp_num,
                        .psn = ep->queues[i].psn,
                };
}

/* The description came over the network. */
static int check_remote(const struct endpoint *ep, const struct endpoint_info *remote, struct fault *fault)
{
        uint64_t needed = ep->n_qps * plan_slot_bytes(&ep->plan);
        if (remote->n_qps != ep->n_qps)
                return fault_set(fault, OUTCOME_PEER, -EPROTO, "the peer has %zu queue pairs, we have %u",
                        remote->n_qps, ep->n_qps);
        if (remote->mtu_bytes != ep->plan.mtu_bytes)
                return fault_set(fault, OUTCOME_PEER, -EPROTO, "the peer uses MTU %u, we use %u",
                        remote->mtu_bytes, ep->plan.mtu_bytes);
        if (remote->address.type != ep->address.type)
                return fault_set(fault, OUTCOME_PEER, -EPROTO, "the peer uses %s, we use %s",
                        gid_type_name(remote->address.type), gid_type_name(ep->address.type));
        if (remote->bytes < needed)
                return fault_set(fault, OUTCOME_PEER, -EPROTO,
                        "the peer's buffer of %" PRIu64 " bytes is too small: %" PRIu64 " are needed",
                        remote->bytes, needed);
        return 0;
}

/* Receives are there before the queue pair can take anything. */
static int connect_queue(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        int r = queue_to_init(ep, qp, fault);
        if (r == 0 && operation_facts(ep->plan.operation)->receives)
                r = receives_fill(ep, qp, fault);
        if (r == 0)
                r = queue_to_ready_to_receive(ep, qp, fault);
        return r < 0 ? r : queue_to_ready_to_send(ep, qp, fault);
}

int endpoint_connect(struct endpoint *ep, const struct endpoint_info *remote, struct fault *fault)
{
        int r = check_remote(ep, remote, fault);
        if (r < 0)
                return r;
        ep->remote = *remote;
        rdma_address_format(&remote->address, ep->remote_text, sizeof(ep->remote_text));
        if (ep->plan.transport == TRANSPORT_UD)
                r = queue_create_ah(ep, fault);
        for (unsigned i = 0; i < ep->n_qps && r == 0; i++)
                r = connect_queue(ep, i, fault);
        return r;
}

bool endpoint_serves(const struct endpoint *ep)
{
        return ep->plan.measure == MEASURE_LATENCY
                       ? plan_is_mutual(&ep->plan)
                       : ep->plan.bidirectional || operation_facts(ep->plan.operation)->receives;
}
