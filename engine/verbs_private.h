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
#include "engine/operation.h"
#include "engine/plan.h"

/* A queue pair of an endpoint. */
struct endpoint_queue {
        struct ibv_qp *qp;
        uint32_t psn;
        unsigned owed; /* receives that completed and were not posted again yet */
};

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
        /* n_qps landing slots, for what the other end sends or fetches; where both ends send, as many source slots
         * behind them. */
        struct memory memory;
        enum memory_kind memory_used;
        struct ibv_mr *mr;
        struct ibv_comp_channel *channel;
        /* Each of qps_per_cq queue pairs, the last of what is left: as few as the device's limit allows. */
        unsigned n_cqs, qps_per_cq;
        struct ibv_cq *cqs[ENDPOINT_QPS_MAX];
        unsigned n_qps;
        struct endpoint_queue queues[ENDPOINT_QPS_MAX];
        struct ibv_ah *ah; /* UD only */
        bool inlined;      /* messages go out inside the work request */
        uint8_t reads;     /* and atomics that this end can be asked for at once */
        uint8_t own_reads; /* … that it can ask for */

        struct endpoint_info remote; /* set by endpoint_connect() */
        char remote_text[46];        /* its address, for messages */
};

/* Where the other end's message is, or what it fetches. */
static inline uint8_t *endpoint_landing(const struct endpoint *ep, unsigned qp)
{
        uint64_t header = ep->plan.transport == TRANSPORT_UD ? GRH_BYTES : 0;
        return (uint8_t *)ep->memory.data + qp * plan_slot_bytes(&ep->plan) + header;
}

/* What this end sends, or where goes what it fetches. */
static inline uint8_t *endpoint_source(const struct endpoint *ep, unsigned qp)
{
        return endpoint_landing(ep, plan_is_mutual(&ep->plan) ? ep->n_qps + qp : qp);
}

/* A work request of the plan's operation for one message of a queue pair, for ever the same but for its id, its
 * signaling and a compare-and-swap's values. wr->sg_list is sge. */
void endpoint_prepare(const struct endpoint *ep, unsigned qp, struct ibv_send_wr *wr, struct ibv_sge *sge);
/* IBV_SEND_INLINE where messages are inlined. */
unsigned endpoint_send_flags(const struct endpoint *ep);

/* ---- receives (receive.c) ----------------------------------------------------------------------- */

/* Work request ids say whose completion it is: the queue pair's index and how many it has posted, or that it is a
 * receive. The opcode of a completion with an error is not defined. */
#define ID_RECEIVE    (UINT64_C(1) << 63)
#define ID_QP_SHIFT   48
#define ID_QP_MASK    UINT64_C(0x7fff)
#define ID_COUNT_MASK ((UINT64_C(1) << ID_QP_SHIFT) - 1)

static inline unsigned id_qp(uint64_t id)
{
        return (unsigned)(id >> ID_QP_SHIFT & ID_QP_MASK);
}

/* All of a queue pair's receives, once it is in INIT. All receives of one queue pair have the same slot. */
int receives_fill(struct endpoint *ep, unsigned qp, struct fault *fault);
/* A receive was used up: posts it again, at once or with some others. */
int receive_used(struct endpoint *ep, unsigned qp, struct fault *fault);

/* ---- queues (queue.c) ------------------------------------------------------------------------------ */

/* The completion queues and the queue pairs of an endpoint whose plan, context and PD are set; what was made
 * before a failure stays in the endpoint for the teardown. */
/* What the operation lets the other end do with memory and queue pairs here. */
int queue_access(enum operation o);
int queue_create_cqs(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault);
int queue_create_qps(struct endpoint *ep, const struct ibv_device_attr *limits, struct fault *fault);
int queue_create_ah(struct endpoint *ep, struct fault *fault);
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
        bool readable_ends; /* the passive end: a readable control connection is the regular end … */
        bool ended;         /* … and it came; it is not looked at any more */
        uint64_t next_watch_ns, next_device_ns;
        uint64_t spin_ns;
        bool polls;    /* never sleeps */
        bool yield;    /* between empty polls: the CPU is needed by whom we wait for */
        unsigned next; /* completion queue to look at first */
};

void wait_init(struct wait *w, struct endpoint *ep, const struct watch *watch, uint64_t deadline_ns);
/* Looks at the watch when it is time to. 0: go on. -ECANCELED, -ECONNRESET, -ENODEV with the fault filled, or
 * -ESHUTDOWN with w->ended set and no fault. */
int wait_watch(struct wait *w, uint64_t now_ns, struct fault *fault);
/* Takes completions: at once if there are any, else spins for a bounded time, then sleeps until the armed
 * event. Returns how many (1 … max), 0 when the deadline has passed, or wait_watch()'s errors, or -EIO when
 * the completion queue is broken. Completions with errors are returned like others. */
int wait_completions(struct wait *w, struct ibv_wc *wc, int max, struct fault *fault);
/* … what there is, without waiting: 0 for none. */
int take_completions(struct wait *w, struct ibv_wc *wc, int max, struct fault *fault);
/* The fault of a completion that is not a success. */
int completion_fault(const struct endpoint *ep, const struct ibv_wc *wc, struct fault *fault);
/* … of a work request that could not be posted; error is ibv_post_send()'s. */
int post_fault(const struct endpoint *ep, int error, struct fault *fault);

/* CPU time of the calling thread. */
uint64_t thread_cpu_ns(void);

#endif
