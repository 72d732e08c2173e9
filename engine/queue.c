/* SPDX-License-Identifier: Apache-2.0 */
/* The completion queue and the queue pairs: creation, and one function per transition, each of which sets
 * every attribute the specification asks for there. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device.h"
#include "engine/verbs_private.h"

#define UNUSED_RECEIVES 1 /* some devices refuse a queue of none */
#define INLINE_MAX                                                                                           \
        220 /* bytes; beyond it copying costs more than the read it saves (perftest's limit too)             \
             */
#define MIN_RNR_TIMER 12 /* 0.64 ms; 0 would be the longest there is: 655 ms */
#define RNR_RETRY     6  /* 7 is endless */
#define HOP_LIMIT     64

int queue_access(enum operation o)
{
        static const int access[] = {
                [OPERATION_WRITE] = IBV_ACCESS_REMOTE_WRITE,
                [OPERATION_WRITE_IMMEDIATE] = IBV_ACCESS_REMOTE_WRITE,
                [OPERATION_READ] = IBV_ACCESS_REMOTE_READ,
                [OPERATION_SEND] = 0,
                [OPERATION_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC,
                [OPERATION_COMPARE_SWAP] = IBV_ACCESS_REMOTE_ATOMIC,
        };
        static_assert(ARRAY_SIZE(access) == N_OPERATIONS, "for each operation");
        return access[o];
}

static unsigned receives(const struct plan *p)
{
        return p->receive_depth > 0 ? p->receive_depth : UNUSED_RECEIVES;
}

static int create_cq(struct endpoint *ep, unsigned qps, unsigned each, struct fault *fault)
{
        struct ibv_cq *cq = ibv_create_cq(ep->context, (int)(qps * each), NULL, ep->channel, 0);
        if (!cq)
                return fault_set(fault, OUTCOME_LOCAL, -errno, "no completion queue of %u entries on %s: %s",
                        qps * each, ep->device, strerror(errno));
        ep->cqs[ep->n_cqs++] = cq;
        return 0;
}

/* Every work request may complete with an error, signaled or not, and a queue that overflows loses
 * completions (Soft-RoCE drops them silently). So completion queues hold all that can be outstanding. */
int queue_create_cqs(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault)
{
        unsigned each = ep->plan.depth + receives(&ep->plan), max = (unsigned)limits->max_cqe;
        if (each > max)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL,
                        "a queue pair of depth %u with %u receives needs %u completion entries, %s has %u: "
                        "lower the depth",
                        ep->plan.depth, receives(&ep->plan), each, ep->device, max);
        ep->qps_per_cq = max / each;
        int r = 0;
        for (unsigned left = ep->plan.queue_pairs; left > 0 && r == 0;) {
                unsigned qps = left < ep->qps_per_cq ? left : ep->qps_per_cq;
                r = create_cq(ep, qps, each, fault);
                left -= qps;
        }
        return r;
}

static struct ibv_qp *create_qp(const struct endpoint *ep, uint32_t inline_bytes)
{
        static const enum ibv_qp_type types[] = {
                [TRANSPORT_RC] = IBV_QPT_RC,
                [TRANSPORT_UC] = IBV_QPT_UC,
                [TRANSPORT_UD] = IBV_QPT_UD,
        };
        static_assert(ARRAY_SIZE(types) == N_TRANSPORTS, "for each transport");
        struct ibv_cq *cq = ep->cqs[ep->n_qps / ep->qps_per_cq];
        struct ibv_qp_init_attr attributes = {
                .qp_context = NULL,
                .send_cq = cq,
                .recv_cq = cq,
                .srq = NULL,
                .cap = {
                        .max_send_wr = ep->plan.depth,
                        .max_recv_wr = receives(&ep->plan),
                        .max_send_sge = 1,
                        .max_recv_sge = 1,
                        .max_inline_data = inline_bytes,
                },
                .qp_type = types[ep->plan.transport],
                .sq_sig_all = 0,
        };
        return ibv_create_qp(ep->pd, &attributes);
}

static bool wants_inlining(const struct plan *p)
{
        if (p->inlining != INLINING_AUTO)
                return p->inlining == INLINING_ON;
        return p->measure == MEASURE_LATENCY && p->message_bytes <= INLINE_MAX &&
               !operation_facts(p->operation)->pulls;
}

/* Inlining saves the device a read of host memory, which is worth it where a message's latency counts. There
 * is no asking a device how much it can: one tries. */
static struct ibv_qp *create_qp_inline(struct endpoint *ep)
{
        ep->inlined = wants_inlining(&ep->plan);
        struct ibv_qp *qp = create_qp(ep, ep->inlined ? (uint32_t)ep->plan.message_bytes : 0);
        if (!qp && ep->inlined && ep->plan.inlining == INLINING_AUTO) {
                ep->inlined = false;
                qp = create_qp(ep, 0);
        }
        return qp;
}

static int create_fault(const struct endpoint *ep, int error, struct fault *fault)
{
        if (ep->inlined && error == EINVAL)
                return fault_set(fault, OUTCOME_LOCAL, -error,
                        "inlining: %s does not take %llu bytes inside a work request; smaller messages, or "
                        "none inlined",
                        ep->device, (unsigned long long)ep->plan.message_bytes);
        return fault_set(fault, OUTCOME_LOCAL, -error, "%s queue pair %u of depth %u on %s: %s",
                transport_name(ep->plan.transport), ep->n_qps + 1, ep->plan.depth, ep->device,
                strerror(error));
}

int queue_create_qps(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault)
{
        unsigned deepest = ep->plan.depth > receives(&ep->plan) ? ep->plan.depth : receives(&ep->plan);
        if (deepest > (unsigned)limits->max_qp_wr)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL, "depth %u: %s allows %d", deepest, ep->device,
                        limits->max_qp_wr);
        while (ep->n_qps < ep->plan.queue_pairs) {
                struct ibv_qp *qp = create_qp_inline(ep);
                if (!qp)
                        return create_fault(ep, errno, fault);
                ep->queues[ep->n_qps++].qp = qp;
        }
        return 0;
}

static int modify(struct endpoint *ep, unsigned qp, struct ibv_qp_attr *attributes, int mask, const char *to,
        struct fault *fault)
{
        int r = verbs_error(ibv_modify_qp(ep->queues[qp].qp, attributes, mask));
        if (r == 0)
                return 0;
        return fault_set(fault, OUTCOME_LOCAL, r, "queue pair %u of %s to %s (peer %s): %s",
                ep->queues[qp].qp->qp_num, ep->device, to,
                ep->remote_text[0] ? ep->remote_text : "not known yet", strerror(-r));
}

/* Packets for another key are dropped: those of strangers, and of an earlier queue pair of the same number. The
 * receiver's random number serves, since the other end knows it. */
static uint32_t queue_key(uint32_t receiver_psn)
{
        return receiver_psn; /* 24 bits, so not one of the privileged keys, whose highest bit is set */
}

int queue_to_init(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        bool datagrams = ep->plan.transport == TRANSPORT_UD;
        struct ibv_qp_attr attributes = {
                .qp_state = IBV_QPS_INIT,
                .pkey_index = 0,
                .port_num = ep->port,
                .qp_access_flags = (unsigned)queue_access(ep->plan.operation),
                .qkey = queue_key(ep->queues[qp].psn),
        };
        return modify(ep, qp, &attributes,
                IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
                        (datagrams ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS),
                "INIT", fault);
}

/* Within an InfiniBand subnet the LID is the whole address; everything else needs the GRH. */
static bool needs_grh(const struct endpoint *ep)
{
        return ep->link_layer != LINK_INFINIBAND || ep->remote.lid == 0 ||
               memcmp(ep->address.gid, ep->remote.address.gid, 8) != 0;
}

static struct ibv_ah_attr address_vector(const struct endpoint *ep)
{
        struct ibv_ah_attr a = {
                .grh = {
                        .flow_label = ep->plan.flow_label,
                        .sgid_index = (uint8_t)ep->address.index,
                        .hop_limit = HOP_LIMIT,
                        .traffic_class = ep->plan.traffic_class,
                },
                .dlid = ep->remote.lid,
                .sl = ep->plan.service_level,
                .src_path_bits = 0,
                .static_rate = 0,
                .is_global = needs_grh(ep),
                .port_num = ep->port,
        };
        memcpy(a.grh.dgid.raw, ep->remote.address.gid, sizeof(a.grh.dgid.raw));
        return a;
}

int queue_create_ah(struct endpoint *ep, struct fault *fault)
{
        struct ibv_ah_attr attributes = address_vector(ep);
        ep->ah = ibv_create_ah(ep->pd, &attributes);
        if (ep->ah)
                return 0;
        return fault_set(fault, OUTCOME_LOCAL, -errno, "no address handle for %s on %s: %s", ep->remote_text,
                ep->device, strerror(errno));
}

/* The attributes that each transport takes, and none other: volume 1, table 91. */
int queue_to_ready_to_receive(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        static const int masks[] = {
                [TRANSPORT_RC] = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
                [TRANSPORT_UC] = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
                [TRANSPORT_UD] = IBV_QP_STATE,
        };
        struct ibv_qp_attr attributes = {
                .qp_state = IBV_QPS_RTR,
                .path_mtu = mtu_from_bytes(ep->plan.mtu_bytes),
                .dest_qp_num = ep->remote.qps[qp].number,
                .rq_psn = ep->remote.qps[qp].psn,
                .ah_attr = address_vector(ep),
                .max_dest_rd_atomic = ep->reads,
                .min_rnr_timer = MIN_RNR_TIMER,
        };
        return modify(ep, qp, &attributes, masks[ep->plan.transport], "RTR", fault);
}

/* As many reads at once as both devices can; a peer of the first release does not say. */
static uint8_t reads_at_once(const struct endpoint *ep)
{
        uint8_t theirs = ep->remote.reads > 0 ? ep->remote.reads : 1;
        return ep->own_reads < theirs ? ep->own_reads : theirs;
}

int queue_to_ready_to_send(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        static const int masks[] = {
                [TRANSPORT_RC] = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
                [TRANSPORT_UC] = IBV_QP_STATE | IBV_QP_SQ_PSN,
                [TRANSPORT_UD] = IBV_QP_STATE | IBV_QP_SQ_PSN,
        };
        struct ibv_qp_attr attributes = {
                .qp_state = IBV_QPS_RTS,
                .sq_psn = ep->queues[qp].psn,
                .timeout = ep->plan.timeout,
                .retry_cnt = ep->plan.retry_count,
                .rnr_retry = RNR_RETRY,
                .max_rd_atomic = reads_at_once(ep),
        };
        return modify(ep, qp, &attributes, masks[ep->plan.transport], "RTS", fault);
}

static enum ibv_wr_opcode opcode(enum operation o)
{
        static const enum ibv_wr_opcode opcodes[] = {
                [OPERATION_WRITE] = IBV_WR_RDMA_WRITE,
                [OPERATION_WRITE_IMMEDIATE] = IBV_WR_RDMA_WRITE_WITH_IMM,
                [OPERATION_READ] = IBV_WR_RDMA_READ,
                [OPERATION_SEND] = IBV_WR_SEND,
                [OPERATION_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
                [OPERATION_COMPARE_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
        };
        static_assert(ARRAY_SIZE(opcodes) == N_OPERATIONS, "for each operation");
        return opcodes[o];
}

unsigned endpoint_send_flags(const struct endpoint *ep)
{
        return ep->inlined ? IBV_SEND_INLINE : 0;
}

static void aim(const struct endpoint *ep, unsigned qp, struct ibv_send_wr *wr)
{
        uint64_t slot = ep->remote.remote_addr + qp * plan_slot_bytes(&ep->plan);
        if (ep->plan.transport == TRANSPORT_UD) {
                wr->wr.ud.ah = ep->ah;
                wr->wr.ud.remote_qpn = ep->remote.qps[qp].number;
                wr->wr.ud.remote_qkey = queue_key(ep->remote.qps[qp].psn);
        } else if (operation_facts(ep->plan.operation)->atomic) {
                wr->wr.atomic.remote_addr = slot;
                wr->wr.atomic.rkey = ep->remote.remote_key;
                wr->wr.atomic.compare_add = 1;
        } else {
                wr->wr.rdma.remote_addr = slot;
                wr->wr.rdma.rkey = ep->remote.remote_key;
        }
}

void endpoint_prepare(const struct endpoint *ep, unsigned qp, struct ibv_send_wr *wr, struct ibv_sge *sge)
{
        *sge = (struct ibv_sge){
                .addr = (uint64_t)(uintptr_t)endpoint_source(ep, qp),
                .length = (uint32_t)ep->plan.message_bytes,
                .lkey = ep->mr->lkey,
        };
        *wr = (struct ibv_send_wr){
                .sg_list = sge,
                .num_sge = 1,
                .opcode = opcode(ep->plan.operation),
                .send_flags = endpoint_send_flags(ep),
        };
        aim(ep, qp, wr);
}
