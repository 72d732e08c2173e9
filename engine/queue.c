/* SPDX-License-Identifier: Apache-2.0 */
/* The completion queue and the queue pairs: creation, and one function per transition, each of which sets
 * every attribute the specification asks for there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device.h"
#include "engine/verbs_private.h"

#define RECEIVES 1 /* never used for writes; some devices refuse a queue of none */
#define INLINE_MAX                                                                                           \
        220 /* bytes; beyond it copying costs more than the read it saves (perftest's limit too)             \
             */
#define MIN_RNR_TIMER   12 /* 0.64 ms; 0 would be the longest there is: 655 ms */
#define RNR_RETRY       6  /* 7 is endless */
#define HOP_LIMIT       64
#define READS_OR_ATOMIC 1 /* none are used; 0 is not accepted everywhere */

/* Every work request may complete with an error, signaled or not, and a queue that overflows loses
 * completions (Soft-RoCE drops them silently). So the completion queue holds all that can be outstanding. */
int queue_create_cq(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault)
{
        uint64_t needed = (uint64_t)ep->plan.queue_pairs * (ep->plan.depth + RECEIVES);
        if (needed > (uint64_t)limits->max_cqe)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL,
                        "%u queue pairs of depth %u need %llu completion entries, %s has %d: lower the depth",
                        ep->plan.queue_pairs, ep->plan.depth, (unsigned long long)needed, ep->device,
                        limits->max_cqe);
        ep->cq = ibv_create_cq(ep->context, (int)needed, NULL, ep->channel, 0);
        if (!ep->cq)
                return fault_set(fault, OUTCOME_LOCAL, -errno,
                        "no completion queue of %llu entries on %s: %s", (unsigned long long)needed,
                        ep->device, strerror(errno));
        return 0;
}

static struct ibv_qp *create_qp(const struct endpoint *ep, uint32_t inline_bytes)
{
        struct ibv_qp_init_attr attributes = {
                .qp_context = NULL,
                .send_cq = ep->cq,
                .recv_cq = ep->cq,
                .srq = NULL,
                .cap = {
                        .max_send_wr = ep->plan.depth,
                        .max_recv_wr = RECEIVES,
                        .max_send_sge = 1,
                        .max_recv_sge = 1,
                        .max_inline_data = inline_bytes,
                },
                .qp_type = IBV_QPT_RC,
                .sq_sig_all = 0,
        };
        return ibv_create_qp(ep->pd, &attributes);
}

/* Inlining saves the device a read of host memory, which is worth it where a message's latency counts. There
 * is no asking a device how much it can: one tries. */
static struct ibv_qp *create_qp_inline(struct endpoint *ep)
{
        ep->inlined = ep->plan.measure == MEASURE_LATENCY && ep->plan.message_bytes <= INLINE_MAX;
        struct ibv_qp *qp = create_qp(ep, ep->inlined ? (uint32_t)ep->plan.message_bytes : 0);
        if (!qp && ep->inlined) {
                ep->inlined = false;
                qp = create_qp(ep, 0);
        }
        return qp;
}

int queue_create_qps(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault)
{
        if (ep->plan.depth > (unsigned)limits->max_qp_wr)
                return fault_set(fault, OUTCOME_LOCAL, -EINVAL, "depth %u: %s allows %d", ep->plan.depth,
                        ep->device, limits->max_qp_wr);
        for (unsigned i = 0; i < ep->plan.queue_pairs; i++) {
                ep->qps[i] = create_qp_inline(ep);
                if (!ep->qps[i])
                        return fault_set(fault, OUTCOME_LOCAL, -errno, "queue pair %u of depth %u on %s: %s",
                                i + 1, ep->plan.depth, ep->device, strerror(errno));
                ep->n_qps = i + 1;
        }
        return 0;
}

static int modify(struct endpoint *ep, unsigned qp, struct ibv_qp_attr *attributes, int mask, const char *to,
        struct fault *fault)
{
        int r = verbs_error(ibv_modify_qp(ep->qps[qp], attributes, mask));
        if (r == 0)
                return 0;
        return fault_set(fault, OUTCOME_LOCAL, r, "queue pair %u of %s to %s (peer %s): %s",
                ep->qps[qp]->qp_num, ep->device, to, ep->remote_text[0] ? ep->remote_text : "not known yet",
                strerror(-r));
}

int queue_to_init(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        struct ibv_qp_attr attributes = {
                .qp_state = IBV_QPS_INIT,
                .pkey_index = 0,
                .port_num = ep->port,
                .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
        };
        return modify(ep, qp, &attributes,
                IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, "INIT", fault);
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
                        .flow_label = 0,
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

int queue_to_ready_to_receive(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        struct ibv_qp_attr attributes = {
                .qp_state = IBV_QPS_RTR,
                .path_mtu = mtu_from_bytes(ep->plan.mtu_bytes),
                .dest_qp_num = ep->remote.qps[qp].number,
                .rq_psn = ep->remote.qps[qp].psn,
                .ah_attr = address_vector(ep),
                .max_dest_rd_atomic = READS_OR_ATOMIC,
                .min_rnr_timer = MIN_RNR_TIMER,
        };
        return modify(ep, qp, &attributes,
                IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
                "RTR", fault);
}

int queue_to_ready_to_send(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        struct ibv_qp_attr attributes = {
                .qp_state = IBV_QPS_RTS,
                .sq_psn = ep->psns[qp],
                .timeout = ep->plan.timeout,
                .retry_cnt = ep->plan.retry_count,
                .rnr_retry = RNR_RETRY,
                .max_rd_atomic = READS_OR_ATOMIC,
        };
        return modify(ep, qp, &attributes,
                IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                        IBV_QP_MAX_QP_RD_ATOMIC,
                "RTS", fault);
}
