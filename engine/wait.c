/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for completions: a bounded spin, then an armed event with a deadline. Busy polling alone starves
 * the softirq that does Soft-RoCE's work (one scheduler tick of 4 ms for each message on one CPU), and events
 * alone cost three system calls a completion. Both ends of the bargain are here; nothing in the engine waits
 * elsewhere. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/device.h"
#include "engine/verbs_private.h"

#define SPIN_HARDWARE_NS (100 * NS_PER_US)
#define SPIN_SOFTWARE_NS (50 * NS_PER_US)
#define FEW_CPUS         4

uint64_t thread_cpu_ns(void)
{
        struct timespec t = { 0 };
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* a clock that exists: cannot fail */
        return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

static int allowed_cpus(void)
{
        cpu_set_t set;
        return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : FEW_CPUS + 1;
}

void wait_init(struct wait *w, struct endpoint *ep, const struct watch *watch, uint64_t deadline_ns)
{
        static const struct watch nothing = { .fd = -1 };
        bool software = ep->class == DEVICE_SOFTWARE;
        *w = (struct wait){
                .ep = ep,
                .watch = watch ? watch : &nothing,
                .deadline_ns = deadline_ns,
                .spin_ns = ep->plan.wait == WAIT_EVENT ? 0
                           : software                  ? SPIN_SOFTWARE_NS
                                                       : SPIN_HARDWARE_NS,
                .polls = ep->plan.wait == WAIT_POLL,
                .yield = software || allowed_cpus() < FEW_CPUS,
        };
}

static bool set(const atomic_bool *flag)
{
        return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

static int look_at_control(struct wait *w, struct fault *fault)
{
        struct pollfd p = { .fd = w->watch->fd, .events = POLLIN };
        if (p.fd < 0 || w->ended || poll(&p, 1, 0) <= 0)
                return 0;
        if (w->readable_ends) {
                w->ended = true;
                return -ESHUTDOWN;
        }
        return fault_set(fault, OUTCOME_PEER, -ECONNRESET, "the peer broke off during the traffic");
}

/* A removed rxe device keeps working until the last context is closed, and its removal waits for that,
 * without an event: but its directory in sysfs goes at once. */
static int look_at_device(struct wait *w, struct fault *fault)
{
        const char *path = w->ep->context->device->dev_path;
        if (access(path, F_OK) == 0 || errno != ENOENT)
                return 0;
        return fault_set(fault, OUTCOME_LOCAL, -ENODEV, "%s was removed during the traffic", w->ep->device);
}

int wait_watch(struct wait *w, uint64_t now, struct fault *fault)
{
        if (now < w->next_watch_ns)
                return 0;
        w->next_watch_ns = now + WATCH_NS;
        if (set(w->watch->cancel) || set(w->watch->cancel2))
                return fault_set(fault, OUTCOME_CANCELLED, -ECANCELED, "cancelled during the traffic");
        int r = look_at_control(w, fault);
        if (r == 0 && now >= w->next_device_ns) {
                w->next_device_ns = now + DEVICE_WATCH_NS;
                r = look_at_device(w, fault);
        }
        return r;
}

/* From one completion queue at a time, each in turn. */
int take_completions(struct wait *w, struct ibv_wc *wc, int max, struct fault *fault)
{
        const struct endpoint *ep = w->ep;
        for (unsigned left = ep->n_cqs; left > 0; left--) {
                struct ibv_cq *cq = ep->cqs[w->next];
                w->next = w->next + 1 < ep->n_cqs ? w->next + 1 : 0;
                int n = ibv_poll_cq(cq, max, wc);
                if (n > 0)
                        return n;
                if (n < 0)
                        return fault_set(
                                fault, OUTCOME_LOCAL, -EIO, "a completion queue of %s is broken", ep->device);
        }
        return 0;
}

/* Takes the event, so that the next arming gives a new one. Every event must be acknowledged, or destroying
 * the queue waits for ever. */
static void take_event(struct endpoint *ep)
{
        struct ibv_cq *cq;
        void *context;
        if (ibv_get_cq_event(ep->channel, &cq, &context) == 0)
                ibv_ack_cq_events(cq, 1);
}

/* Sleeps until a completion event, the control connection, the next look at the watch, or `until`. */
static void sleep_armed(struct wait *w, uint64_t until)
{
        struct pollfd fds[] = {
                { .fd = w->ep->channel->fd, .events = POLLIN },
                { .fd = w->ended ? -1 : w->watch->fd, .events = POLLIN },
        };
        uint64_t left = deadline_left_ns(until, clock_now_ns());
        struct timespec timeout = { .tv_sec = (time_t)(left / NS_PER_SEC),
                .tv_nsec = (long)(left % NS_PER_SEC) };
        if (ppoll(fds, 2, &timeout, NULL) <= 0)
                return; /* time is up, or a signal: the caller looks at the clock */
        if (fds[0].revents)
                take_event(w->ep);
        if (fds[1].revents)
                w->next_watch_ns = 0; /* look now */
}

static int spin(struct wait *w, struct ibv_wc *wc, int max, uint64_t until, struct fault *fault)
{
        do {
                int n = take_completions(w, wc, max, fault);
                if (n != 0)
                        return n;
                if (w->yield)
                        (void)sched_yield(); /* never fails on Linux */
        } while (clock_now_ns() < until);
        return 0;
}

/* Arming and polling once more, in this order, so that a completion in between is not missed. 0 (any kind of
 * completion, not only solicited ones) since nothing here is solicited. */
static int arm(struct wait *w, struct ibv_wc *wc, int max, struct fault *fault)
{
        for (unsigned i = 0; i < w->ep->n_cqs; i++) {
                int r = verbs_error(ibv_req_notify_cq(w->ep->cqs[i], 0));
                if (r < 0)
                        return fault_set(fault, OUTCOME_LOCAL, r, "cannot arm a completion queue of %s: %s",
                                w->ep->device, strerror(-r));
        }
        return take_completions(w, wc, max, fault);
}

static int await_event(struct wait *w, struct ibv_wc *wc, int max, struct fault *fault)
{
        int n = arm(w, wc, max, fault);
        if (n != 0)
                return n;
        sleep_armed(w, deadline_min(w->next_watch_ns, w->deadline_ns));
        return take_completions(w, wc, max, fault);
}

int wait_completions(struct wait *w, struct ibv_wc *wc, int max, struct fault *fault)
{
        int n = take_completions(w, wc, max, fault);
        if (n != 0)
                return n;
        uint64_t now = clock_now_ns();
        n = spin(w, wc, max, deadline_min(now + w->spin_ns, w->deadline_ns), fault);
        while (n == 0) {
                now = clock_now_ns();
                if (now >= w->deadline_ns)
                        return 0;
                n = wait_watch(w, now, fault);
                if (n == 0 && w->polls)
                        n = spin(w, wc, max, deadline_min(w->next_watch_ns, w->deadline_ns), fault);
                else if (n == 0)
                        n = await_event(w, wc, max, fault);
        }
        return n;
}

/* What an operator should make of it. */
static const char *advice(enum ibv_wc_status status)
{
        switch (status) {
        case IBV_WC_RETRY_EXC_ERR:
                return "it is gone, or the path drops RDMA packets (RoCE: UDP port 4791)";
        case IBV_WC_RNR_RETRY_EXC_ERR:
                return "its receive queue stayed empty: is its CPU busy? More receives help";
        case IBV_WC_REM_ACCESS_ERR:
        case IBV_WC_REM_INV_REQ_ERR:
        case IBV_WC_REM_OP_ERR:
                return "it refused the request: its memory or queue pair is gone";
        case IBV_WC_LOC_LEN_ERR:
        case IBV_WC_LOC_PROT_ERR:
        case IBV_WC_LOC_QP_OP_ERR:
                return "the local device refused the work request";
        case IBV_WC_FATAL_ERR:
                return "the local device failed: see the kernel's log";
        default:
                return "see the device's counters";
        }
}

int completion_fault(const struct endpoint *ep, const struct ibv_wc *wc, struct fault *fault)
{
        if (wc->status == IBV_WC_RETRY_EXC_ERR)
                return fault_set(fault, OUTCOME_TRAFFIC, -ETIMEDOUT,
                        "no acknowledgement from %s after %u retries: %s [%s, vendor error 0x%x, queue pair "
                        "%u]",
                        ep->remote_text, ep->plan.retry_count, advice(wc->status),
                        ibv_wc_status_str(wc->status), wc->vendor_err, wc->qp_num);
        return fault_set(fault, OUTCOME_TRAFFIC, -EIO,
                "%s in %s with %s: %s [vendor error 0x%x, queue pair %u]", ibv_wc_status_str(wc->status),
                operation_name(ep->plan.operation), ep->remote_text, advice(wc->status), wc->vendor_err,
                wc->qp_num);
}

int post_fault(const struct endpoint *ep, int error, struct fault *fault)
{
        error = -verbs_error(error);
        /* uverbs refuses writes of a process whose credentials changed after the device was opened. */
        return fault_set(fault, OUTCOME_LOCAL, -error, "cannot post to %s: %s%s", ep->device, strerror(error),
                error == EACCES ? " (credentials changed after opening it?)" : "");
}
