/* SPDX-License-Identifier: Apache-2.0 */
/* The data path's own view of an endpoint: the one header that shows verbs types. Only engine/ includes it.
 */
#ifndef ENGINE_VERBS_PRIVATE_H
#define ENGINE_VERBS_PRIVATE_H

#include <infiniband/verbs.h>

#include "base/clock.h"
#include "engine/endpoint.h"
#include "engine/fault.h"
#include "engine/memory.h"

/* Slots in the buffer are as far apart as the message, rounded up to this, on every host, whatever its pages.
 */
#define SLOT_ALIGN UINT64_C(4096)

static inline uint64_t slot_bytes(uint64_t message_bytes)
{
        return (message_bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

struct endpoint {
        struct teardown teardown; /* first: the reaper frees the endpoint through it */
        struct reapers *reapers;

        char device[ENGINE_NAME_MAX];
        enum device_class class;
        uint8_t port;
        enum link_layer link_layer;
        uint16_t lid;
        struct rdma_address address;
        struct plan plan;

        struct ibv_context *context;
        struct ibv_pd *pd;
        /* n_qps landing slots, written by the other end; for latency, where an end does both, as many source
         * slots behind them. */
        struct memory memory;
        struct ibv_mr *mr;
        struct ibv_comp_channel *channel;
        struct ibv_cq *cq; /* of all queue pairs: one thread polls it */
        unsigned n_qps;
        struct ibv_qp *qps[ENDPOINT_QPS_MAX];
        uint32_t psns[ENDPOINT_QPS_MAX];
        bool inlined; /* messages go out inside the work request */

        struct endpoint_info remote; /* set by endpoint_connect() */
        char remote_text[46];        /* its address, for messages */
};

static inline uint64_t endpoint_slots(const struct plan *p)
{
        return p->measure == MEASURE_LATENCY ? 2 * p->queue_pairs : p->queue_pairs;
}

static inline uint8_t *endpoint_landing(const struct endpoint *ep, unsigned qp)
{
        return (uint8_t *)ep->memory.data + qp * slot_bytes(ep->plan.message_bytes);
}

static inline uint8_t *endpoint_source(const struct endpoint *ep, unsigned qp)
{
        return endpoint_landing(ep, ep->plan.measure == MEASURE_LATENCY ? ep->n_qps + qp : qp);
}

/* A write of one message from the source slot of a queue pair to the landing slot of the other end's.
 * wr->sg_list is sge, send_flags has no IBV_SEND_SIGNALED. */
void endpoint_prepare_write(
        const struct endpoint *ep, unsigned qp, struct ibv_send_wr *wr, struct ibv_sge *sge);

/* The completion queue and the queue pairs of an endpoint whose plan, context and PD are set; what was made
 * before a failure stays in the endpoint for the teardown. */
int queue_create_cq(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault);
int queue_create_qps(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault);
int queue_to_init(struct endpoint *ep, unsigned qp, struct fault *fault);
int queue_to_ready_to_receive(struct endpoint *ep, unsigned qp, struct fault *fault);
int queue_to_ready_to_send(struct endpoint *ep, unsigned qp, struct fault *fault);

/* ---- waiting -------------------------------------------------------------------------------------- */

#define WATCH_NS        (2 * NS_PER_MS) /* how often cancel flags and the control connection are looked at */
#define DEVICE_WATCH_NS (100 * NS_PER_MS) /* how often the device is checked to be still there */

/* One measurement's waits. Owned by its thread. */
struct wait {
        struct endpoint *ep;
        const struct watch *watch;
        uint64_t deadline_ns;
        bool readable_ends; /* the passive end of a ping-pong: a readable control connection is the regular
                               end */
        bool ended;         /* … and it came */
        uint64_t next_watch_ns, next_device_ns;
        uint64_t spin_ns;
        bool yield; /* between empty polls: the CPU is needed by whom we wait for */
};

void wait_init(struct wait *w, struct endpoint *ep, const struct watch *watch, uint64_t deadline_ns);
/* Looks at the watch when it is time to. 0: go on. -ECANCELED, -ECONNRESET, -ENODEV with the fault filled, or
 * -ESHUTDOWN with w->ended set and no fault. */
int wait_watch(struct wait *w, uint64_t now_ns, struct fault *fault);
/* Takes completions: at once if there are any, else spins for a bounded time, then sleeps until the armed
 * event. Returns how many (1 … max), 0 when the deadline has passed, or wait_watch()'s errors, or -EIO when
 * the completion queue is broken. Completions with errors are returned like others. */
int wait_completions(struct wait *w, struct ibv_wc *wc, int max, struct fault *fault);
/* The fault of a completion that is not a success. */
int completion_fault(const struct endpoint *ep, const struct ibv_wc *wc, struct fault *fault);
/* … of a work request that could not be posted; error is ibv_post_send()'s. */
int post_fault(const struct endpoint *ep, int error, struct fault *fault);

/* CPU time of the calling thread. */
uint64_t thread_cpu_ns(void);

#endif
