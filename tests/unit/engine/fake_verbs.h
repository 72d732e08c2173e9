/* SPDX-License-Identifier: Apache-2.0 */
/* A verbs device for what no software device does on demand: errors of a kind, silence, a slow pace.
 * ibv_post_send(), ibv_poll_cq() and ibv_req_notify_cq() are inline and go through context->ops, so an
 * endpoint whose context is ours talks to this. One thread; include it in one file of a program. */
#ifndef TESTS_UNIT_ENGINE_FAKE_VERBS_H
#define TESTS_UNIT_ENGINE_FAKE_VERBS_H

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "engine/verbs_private.h"

#define FAKE_PENDING_MAX 65536

struct fake_request {
        uint64_t wr_id;
        uint32_t qp;
        bool signaled;
};

struct fake {
        struct ibv_context context; /* first: ops find the rest through it */
        struct ibv_device device;
        struct ibv_pd pd;
        struct ibv_mr mr;
        struct ibv_cq cq;
        struct ibv_comp_channel channel;
        struct ibv_qp qps[ENDPOINT_QPS_MAX];
        struct endpoint ep;

        /* What it does. */
        unsigned per_poll;     /* work requests it completes between two polls; 0: all */
        uint64_t silent_after; /* completes no more than so many; 0: all */
        uint64_t fail_at;      /* the one that fails, from 1; those behind it are flushed */
        enum ibv_wc_status fail_with;
        int post_error;    /* what posting returns */
        bool answers;      /* the other end of a ping-pong: what is written or sent comes back at once */
        uint64_t drop;     /* … but the message of this number, from 1 */
        uint64_t arrivals; /* messages of the other end that use up receives, as long as there are any */
        unsigned receives_posted;     /* and not used up */
        enum ibv_wc_status arrive_as; /* the status of their completions */
        uint64_t pace_ns;             /* time each poll takes */

        /* What happened. */
        uint64_t posted, completed, signaled, doorbells, armed;
        uint64_t outstanding_max, list_max;
        uint64_t outstanding[ENDPOINT_QPS_MAX];
        struct fake_request pending[FAKE_PENDING_MAX]; /* ring */
        uint64_t head, tail;
};

static inline struct fake *fake_of(struct ibv_context *context)
{
        return (struct fake *)context;
}

static int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
        struct fake *f = fake_of(qp->context);
        uint64_t n = 0;
        *bad = wr;
        if (f->post_error)
                return f->post_error;
        for (; wr; wr = wr->next, n++) {
                f->pending[f->head++ % FAKE_PENDING_MAX] = (struct fake_request){
                        .wr_id = wr->wr_id,
                        .qp = qp->qp_num,
                        .signaled = wr->send_flags & IBV_SEND_SIGNALED,
                };
                f->posted++;
                if (++f->outstanding[qp->qp_num] > f->outstanding_max)
                        f->outstanding_max = f->outstanding[qp->qp_num];
        }
        f->doorbells++;
        f->list_max = n > f->list_max ? n : f->list_max;
        if (f->answers && f->posted != f->drop) {
                endpoint_landing(&f->ep, 0)[f->ep.plan.message_bytes - 1] =
                        *(endpoint_source(&f->ep, 0) + f->ep.plan.message_bytes - 1);
                f->arrivals += operation_facts(f->ep.plan.operation)->receives;
        }
        return 0;
}

static int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
        struct fake *f = fake_of(qp->context);
        *bad = wr;
        for (; wr; wr = wr->next)
                f->receives_posted++;
        return 0;
}

static bool fake_arrive(struct fake *f, struct ibv_wc *wc)
{
        if (f->arrivals == 0 || f->receives_posted == 0)
                return false;
        f->arrivals--;
        f->receives_posted--;
        *wc = (struct ibv_wc){ .wr_id = ID_RECEIVE, .status = f->arrive_as };
        return true;
}

static bool fake_complete_one(struct fake *f, struct ibv_wc *wc)
{
        struct fake_request *r = &f->pending[f->tail++ % FAKE_PENDING_MAX];
        f->outstanding[r->qp]--;
        f->completed++;
        enum ibv_wc_status status = !f->fail_at || f->completed < f->fail_at ? IBV_WC_SUCCESS
                                    : f->completed == f->fail_at             ? f->fail_with
                                                                             : IBV_WC_WR_FLUSH_ERR;
        if (!r->signaled && status == IBV_WC_SUCCESS)
                return false;
        f->signaled++;
        *wc = (struct ibv_wc){ .wr_id = r->wr_id, .status = status, .qp_num = r->qp, .vendor_err = 0x42 };
        return true;
}

static int fake_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc)
{
        struct fake *f = fake_of(cq->context);
        unsigned budget = f->per_poll ? f->per_poll : FAKE_PENDING_MAX;
        int n = 0;
        if (f->pace_ns) {
                uint64_t until = clock_now_ns() + f->pace_ns;
                while (clock_now_ns() < until)
                        ;
        }
        for (; n < max && budget > 0 && f->tail < f->head; budget--) {
                if (f->silent_after && f->completed == f->silent_after)
                        break;
                n += fake_complete_one(f, &wc[n]);
        }
        while (n < max && fake_arrive(f, &wc[n]))
                n++;
        return n;
}

static int fake_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
        fake_of(cq->context)->armed++;
        return solicited_only ? 1 : 0;
}

/* An endpoint for the plan, connected to itself. */
static struct fake *fake_new(const struct plan *plan)
{
        struct fake *f = calloc(1, sizeof(*f));
        if (!f || memory_map(&f->ep.memory, plan_memory_bytes(plan), MEMORY_PLAIN, -1, &f->ep.memory_used,
                          NULL) < 0)
                abort();
        f->context.device = &f->device;
        f->context.ops.post_send = fake_post_send;
        f->context.ops.post_recv = fake_post_recv;
        f->context.ops.poll_cq = fake_poll_cq;
        f->context.ops.req_notify_cq = fake_req_notify_cq;
        strcpy(f->device.dev_path, "/");
        f->cq.context = f->channel.context = f->mr.context = &f->context;
        f->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        f->ep.context = &f->context;
        f->ep.cqs[0] = &f->cq;
        f->ep.n_cqs = 1;
        f->ep.channel = &f->channel;
        f->ep.mr = &f->mr;
        f->ep.plan = *plan;
        f->ep.class = DEVICE_SOFTWARE;
        f->ep.n_qps = plan->queue_pairs;
        strcpy(f->ep.device, "fake0");
        strcpy(f->ep.remote_text, "198.51.100.2");
        for (unsigned i = 0; i < plan->queue_pairs; i++) {
                f->qps[i].context = &f->context;
                f->qps[i].qp_num = i;
                f->ep.queues[i].qp = &f->qps[i];
        }
        return f;
}

static void fake_free(struct fake *f)
{
        if (!f)
                return;
        close(f->channel.fd);
        memory_unmap(&f->ep.memory);
        free(f);
}
DEFINE_SCOPE_FREE(struct fake *, fake_free);

#endif
