/* SPDX-License-Identifier: Apache-2.0 */
/* Write latency: each end writes a message and waits for the other's to land. A write gives its receiver no
 * completion, so both wait for the last byte of their memory to change; its value is the low eight bits of
 * the message's number.
 *
 * That wait has no event to sleep on. It spins for a bounded time, giving way to others where the CPU is
 * needed for the other side's or the driver's work, then sleeps in short steps that grow with the time waited
 * so far. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/scope.h"
#include "engine/plan.h"
#include "engine/result.h"
#include "engine/verbs_private.h"

#define COMPLETIONS 16
/* In guests of one CPU, steps from 5 to 150 µs gave the same latency within the noise, and the longer ones
 * leave the CPU to whom we wait for. */
#define SLEEP_MIN_NS (25 * NS_PER_US)
#define SLEEP_MAX_NS (500 * NS_PER_US)
#define SLEEP_SHARE  16 /* a step is this part of the time waited, which bounds the error to as much */
/* Spinning that gives way. On one CPU per host over a wire of 160 Mbit/s the median latency falls with it: 20 µs 466,
 * 1 ms 453, 5 ms 424, 20 ms 394 µs (medians of seven alternating runs; ib_write_lat 533): an idle CPU has to be
 * woken. Beyond this the other end is not answering, and the CPU is better left to others. */
#define SPIN_SOFTWARE_NS (5 * NS_PER_MS)
#define SPINS_PER_LOOK   64 /* memory reads per look at the clock, where spinning does not give way */
#define MARGIN_NS        (100 * NS_PER_MS) /* before the deadline no further message is begun */

struct pingpong {
        struct endpoint *ep;
        const struct plan *plan;
        struct wait wait;
        struct fault *fault;
        struct ibv_send_wr wr;
        struct ibv_sge sge;
        uint8_t *sent_byte;         /* last of the source */
        const uint8_t *landed_byte; /* last of the landing slot */
        uint64_t posted, completed;
};

static void pingpong_init(
        struct pingpong *p, struct endpoint *ep, const struct plan *plan, struct fault *fault)
{
        *p = (struct pingpong){
                .ep = ep,
                .plan = plan,
                .fault = fault,
                .sent_byte = endpoint_source(ep, 0) + plan->message_bytes - 1,
                .landed_byte = endpoint_landing(ep, 0) + plan->message_bytes - 1,
        };
        endpoint_prepare_write(ep, 0, &p->wr, &p->sge);
}

/* The device writes it behind the compiler's back; what is read after it must not be older than it. */
static bool landed(const struct pingpong *p, uint64_t number)
{
        return __atomic_load_n(p->landed_byte, __ATOMIC_ACQUIRE) == (uint8_t)number;
}

static int account(struct pingpong *p, const struct ibv_wc *wc, int n)
{
        for (int i = 0; i < n; i++) {
                if (wc[i].status != IBV_WC_SUCCESS)
                        return completion_fault(p->ep, &wc[i], p->fault);
                p->completed = wc[i].wr_id;
        }
        return 0;
}

/* Takes what completions there are: errors come this way only. */
static int reap(struct pingpong *p)
{
        struct ibv_wc wc[COMPLETIONS];
        int n = ibv_poll_cq(p->ep->cq, COMPLETIONS, wc);
        if (n < 0)
                return fault_set(
                        p->fault, OUTCOME_LOCAL, -EIO, "the completion queue of %s is broken", p->ep->device);
        return account(p, wc, n);
}

/* Until no more than `left` are outstanding. */
static int drain(struct pingpong *p, uint64_t left)
{
        struct ibv_wc wc[COMPLETIONS];
        while (p->posted - p->completed > left) {
                int n = wait_completions(&p->wait, wc, COMPLETIONS, p->fault);
                if (n == 0)
                        return fault_set(p->fault, OUTCOME_TRAFFIC, -ETIMEDOUT,
                                "no completion from %s before the deadline", p->ep->remote_text);
                int r = n < 0 ? n : account(p, wc, n);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* The source may be overwritten although the write before it is perhaps not acknowledged yet: the other end's
 * answer has shown that it arrived. */
static int post(struct pingpong *p, bool last)
{
        if (p->posted - p->completed >= p->plan->depth) {
                int r = drain(p, p->plan->depth - 1);
                if (r < 0)
                        return r;
        }
        uint64_t number = ++p->posted;
        __atomic_store_n(p->sent_byte, (uint8_t)number, __ATOMIC_RELEASE);
        bool signaled = last || number % p->plan->signal_interval == 0;
        p->wr.wr_id = number;
        p->wr.send_flags = (p->ep->inlined ? IBV_SEND_INLINE : 0U) | (signaled ? IBV_SEND_SIGNALED : 0U);
        struct ibv_send_wr *bad;
        int r = ibv_post_send(p->ep->qps[0], &p->wr, &bad);
        return r == 0 ? 0 : post_fault(p->ep, r, p->fault);
}

static int look(struct pingpong *p, uint64_t number, uint64_t began, uint64_t now)
{
        int r = reap(p);
        if (r == 0)
                r = wait_watch(&p->wait, now, p->fault);
        if (r == 0 && now >= p->wait.deadline_ns)
                r = fault_set(p->fault, OUTCOME_TRAFFIC, -ETIMEDOUT,
                        "message %" PRIu64 " from %s did not come within %" PRIu64 " ms", number,
                        p->ep->remote_text, (now - began) / NS_PER_MS);
        return r;
}

/* Reads the memory until the message is there or it is time to look around. */
static bool spin(const struct pingpong *p, uint64_t number)
{
        if (p->wait.yield) {
                if (landed(p, number))
                        return true;
                (void)sched_yield(); /* never fails on Linux */
                return landed(p, number);
        }
        for (int i = 0; i < SPINS_PER_LOOK; i++)
                if (landed(p, number))
                        return true;
        return false;
}

static void sleep_step(uint64_t waited)
{
        uint64_t ns = waited / SLEEP_SHARE;
        ns = ns < SLEEP_MIN_NS ? SLEEP_MIN_NS : ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : ns;
        struct timespec t = { .tv_nsec = (long)ns };
        (void)clock_nanosleep(
                CLOCK_MONOTONIC, 0, &t, NULL); /* a signal may end it early: the caller looks again */
}

/* Waits for the other end's message of this number. */
static int await(struct pingpong *p, uint64_t number)
{
        if (landed(p, number))
                return 0;
        uint64_t began = clock_now_ns();
        for (;;) {
                if (spin(p, number))
                        return 0;
                uint64_t now = clock_now_ns();
                int r = look(p, number, began, now);
                if (r < 0)
                        return r;
                if (now - began >= p->wait.spin_ns)
                        sleep_step(now - began);
        }
}

/* One round trip; 0 in *ret_ns on failure. */
static int round_trip(struct pingpong *p, uint64_t *ret_ns)
{
        uint64_t began = clock_now_ns();
        int r = post(p, false);
        if (r == 0)
                r = await(p, p->posted);
        if (r == 0)
                *ret_ns = clock_now_ns() - began;
        return r;
}

static int run_active(struct pingpong *p, struct result *ret)
{
        int r = 0;
        uint64_t ns = 0;
        for (uint64_t i = 0; i < p->plan->warmup_messages && r == 0; i++)
                r = round_trip(p, &ns);
        uint64_t budget = plan_messages(p->plan), began = clock_now_ns(), now = began;
        uint64_t budget_ns = p->plan->budget_ns ? p->plan->budget_ns : DEADLINE_NEVER;
        uint64_t left = deadline_left_ns(p->wait.deadline_ns, began);
        uint64_t latest_ns = p->wait.deadline_ns - (left / 8 < MARGIN_NS ? left / 8 : MARGIN_NS);
        while (r == 0 && ret->messages < budget && now - began < budget_ns && now < latest_ns) {
                r = round_trip(p, &ns);
                if (r < 0)
                        break;
                histogram_add(ret->latency_histogram, ns / 2);
                ret->messages++;
                now = clock_now_ns();
                r = wait_watch(&p->wait, now, p->fault);
        }
        ret->traffic_ns = now - began;
        ret->truncated = r == 0 && ret->messages < budget && now - began < budget_ns;
        return r;
}

/* Answers until as many messages came as the plan allows, or the control connection says that it is over. */
static int run_passive(struct pingpong *p, struct result *ret)
{
        uint64_t budget = plan_messages(p->plan), began = clock_now_ns();
        uint64_t total = budget > UINT64_MAX - p->plan->warmup_messages ? UINT64_MAX
                                                                        : budget + p->plan->warmup_messages;
        int r = 0;
        while (r == 0 && ret->messages < total) {
                r = await(p, p->posted + 1);
                if (r == 0)
                        r = post(p, ret->messages + 1 == total);
                if (r == 0) {
                        ret->messages++;
                        r = wait_watch(&p->wait, clock_now_ns(), p->fault);
                }
        }
        if (r == 0) /* the last answer must have arrived before the queue pair goes */
                r = drain(p, 0);
        ret->traffic_ns = clock_now_ns() - began;
        return p->wait.ended ? 0 : r;
}

static int run(struct pingpong *p, bool active, struct result *ret)
{
        uint64_t cpu = thread_cpu_ns();
        int r = active ? run_active(p, ret) : run_passive(p, ret);
        ret->cpu_ns = thread_cpu_ns() - cpu;
        ret->bytes = ret->messages * p->plan->message_bytes;
        ret->own_bytes = p->posted * p->plan->message_bytes;
        if (ret->traffic_ns > 0)
                ret->average_bps = (double)ret->bytes * (double)NS_PER_SEC / (double)ret->traffic_ns;
        if (active)
                latency_from_histogram(&ret->latency, ret->latency_histogram);
        return r;
}

int pingpong_run(struct endpoint *ep, const struct plan *plan, bool active, uint64_t deadline_ns,
        const struct watch *watch, struct result *ret)
{
        if (active && !ret->latency_histogram) {
                ret->latency_histogram = calloc(1, sizeof(*ret->latency_histogram));
                if (!ret->latency_histogram)
                        return fault_set(&ret->fault, OUTCOME_LOCAL, -ENOMEM, "no memory for a histogram");
                histogram_reset(ret->latency_histogram);
        }
        struct pingpong p;
        pingpong_init(&p, ep, plan, &ret->fault);
        wait_init(&p.wait, ep, watch, deadline_ns);
        p.wait.readable_ends = !active;
        if (ep->class == DEVICE_SOFTWARE)
                p.wait.spin_ns = SPIN_SOFTWARE_NS;
        /* The default slack of 50 µs would be added to every sleep. It is the thread's own. */
        int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
        (void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* without it latencies are only coarser */
        int r = run(&p, active, ret);
        if (slack > 0)
                (void)prctl(PR_SET_TIMERSLACK, (unsigned long)slack, 0, 0, 0);
        return r;
}
