/* SPDX-License-Identifier: Apache-2.0 */
/* Receives, for the operations that use up one of the other end's with every message. A queue pair's all share its
 * landing slot: what is in it is looked at when nothing comes any more, or when only one message is on its way. */
#include <string.h>

#include "base/scope.h"
#include "engine/device.h"
#include "engine/verbs_private.h"

#define TOGETHER 16 /* posted by one call; the depth's quarter at most, so that few are ever missing */

static int post(struct endpoint *ep, unsigned qp, unsigned n, struct fault *fault)
{
        bool datagrams = ep->plan.transport == TRANSPORT_UD;
        uint8_t *slot = endpoint_landing(ep, qp) - (datagrams ? GRH_BYTES : 0);
        struct ibv_sge sge = {
                .addr = (uint64_t)(uintptr_t)slot,
                .length = (uint32_t)ep->plan.message_bytes + (datagrams ? GRH_BYTES : 0),
                .lkey = ep->mr->lkey,
        };
        struct ibv_recv_wr requests[TOGETHER], *bad;
        for (unsigned i = 0; i < n; i++)
                requests[i] = (struct ibv_recv_wr){
                        .wr_id = ID_RECEIVE | (uint64_t)qp << ID_QP_SHIFT,
                        .next = i + 1 < n ? &requests[i + 1] : NULL,
                        .sg_list = &sge,
                        .num_sge = 1,
                };
        int r = verbs_error(ibv_post_recv(ep->queues[qp].qp, requests, &bad));
        if (r == 0)
                return 0;
        return fault_set(fault, OUTCOME_LOCAL, r, "cannot post receives to %s: %s", ep->device, strerror(-r));
}

int receives_fill(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        int r = 0;
        for (unsigned left = ep->plan.receive_depth; left > 0 && r == 0;) {
                unsigned n = left < TOGETHER ? left : TOGETHER;
                r = post(ep, qp, n, fault);
                left -= n;
        }
        return r;
}

int receive_used(struct endpoint *ep, unsigned qp, struct fault *fault)
{
        struct endpoint_queue *q = &ep->queues[qp];
        unsigned quarter = (ep->plan.receive_depth + 3) / 4, n = ++q->owed;
        if (n < TOGETHER && n < quarter)
                return 0;
        q->owed = 0;
        return post(ep, qp, n, fault);
}
