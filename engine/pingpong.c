/* SPDX-License-Identifier: Apache-2.0 */
/* Latency. Three ways of taking turns, by what tells an end that it is its turn:
 *
 *      write: the last byte of its memory has changed. There is no completion, and so no event to sleep on: it spins
 *      for a bounded time, giving way to others where the CPU is needed for the other side's or the driver's work,
 *      then sleeps in short steps that grow with the time waited so far;
 *      send, write with immediate: a receive was used up;
 *      read, atomics: its own request has completed; the other end does nothing.
 *
 * The last byte of a message is the low eight bits of its number; the passive end answers with the same, so that on
 * UC and UD, where messages get lost, an answer that comes too late is not taken for the next one's. */
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
/* An answer that has not come by then is lost, on UC and UD: a thousand times what a network takes. */
#define LOSS_NS   (100 * NS_PER_MS)
#define MARGIN_NS (100 * NS_PER_MS) /* before the deadline no further message is begun */

struct pingpong {
        struct endpoint *ep;
        const struct plan *plan;
        struct wait wait;
        struct fault *fault;
        struct ibv_send_wr wr;
        struct ibv_sge sge;
        int (*await)(struct pingpong *p, int expected); /* of the turn; 0, PINGPONG_LOST or an error */
        bool lossy;
        uint8_t *sent_byte;         /* last of the source */
        const uint8_t *landed_byte; /* last of the landing slot */
        uint8_t last_byte;          /* passive: of the message answered last; memory begins with 0 */
        uint64_t posted, completed, received, taken;
};

#define PINGPONG_LOST 1
#define ANY_CHANGE    (-1) /* any message but the one that landed last */

/* The device writes it behind the compiler's back; what is read after it must not be older than it. */
static uint8_t landed(const struct pingpong *p)
{
        return __atomic_load_n(p->landed_byte, __ATOMIC_ACQUIRE);
}

static int account(struct pingpong *p, const struct ibv_wc *wc, int n)
{
        int r = 0;
        for (int i = 0; i < n && r == 0; i++) {
                if (wc[i].status != IBV_WC_SUCCESS)
                        return completion_fault(p->ep, &wc[i], p->fault);
                if (wc[i].wr_id & ID_RECEIVE) {
                        p->received++;
                        r = receive_used(p->ep, 0, p->fault);
                } else {
                        p->completed = wc[i].wr_id;
                }
        }
        return r;
}

/* Takes what completions there are: errors come this way only. */
static int reap(struct pingpong *p)
{
        struct ibv_wc wc[COMPLETIONS];
        int n = take_completions(&p->wait, wc, COMPLETIONS, p->fault);
        return n < 0 ? n : account(p, wc, n);
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

/* The source may be overwritten although the message before it is perhaps not acknowledged yet: the other end's
 * answer has shown that it arrived. */
static int post(struct pingpong *p, uint8_t byte, bool signaled)
{
        if (p->posted - p->completed >= p->plan->depth) {
                int r = drain(p, p->plan->depth - 1);
                if (r < 0)
                        return r;
        }
        uint64_t number = ++p->posted;
        __atomic_store_n(p->sent_byte, byte, __ATOMIC_RELEASE);
        p->wr.wr_id = number;
        p->wr.send_flags = endpoint_send_flags(p->ep) | (signaled ? IBV_SEND_SIGNALED : 0U);
        if (p->plan->operation == OPERATION_COMPARE_SWAP) {
                p->wr.wr.atomic.compare_add = number - 1;
                p->wr.wr.atomic.swap = number;
        }
        struct ibv_send_wr *bad;
        int r = ibv_post_send(p->ep->queues[0].qp, &p->wr, &bad);
        return r == 0 ? 0 : post_fault(p->ep, r, p->fault);
}

static bool signals(const struct pingpong *p)
{
        return (p->posted + 1) % p->plan->signal_interval == 0;
}

/* Nothing came until the deadline. */
static int silence(struct pingpong *p, uint64_t began, uint64_t now)
{
        return fault_set(p->fault, OUTCOME_TRAFFIC, -ETIMEDOUT,
                "message %" PRIu64 " from %s did not come within %" PRIu64 " ms", p->posted,
                p->ep->remote_text, (now - began) / NS_PER_MS);
}

/* ---- by memory ------------------------------------------------------------------------------------- */

static bool is_there(const struct pingpong *p, int expected, uint8_t before)
{
        uint8_t byte = landed(p);
        return expected == ANY_CHANGE ? byte != before : byte == (uint8_t)expected;
}

/* Reads the memory until the message is there or it is time to look around. */
static bool spin(const struct pingpong *p, int expected, uint8_t before)
{
        if (p->wait.yield) {
                if (is_there(p, expected, before))
                        return true;
                (void)sched_yield(); /* never fails on Linux */
                return is_there(p, expected, before);
        }
        for (int i = 0; i < SPINS_PER_LOOK; i++)
                if (is_there(p, expected, before))
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

static int look(struct pingpong *p, uint64_t began, uint64_t now)
{
        int r = reap(p);
        if (r == 0)
                r = wait_watch(&p->wait, now, p->fault);
        if (r == 0 && now >= p->wait.deadline_ns)
                r = silence(p, began, now);
        return r;
}

static int await_memory(struct pingpong *p, int expected)
{
        uint8_t before = p->last_byte;
        if (is_there(p, expected, before))
                return 0;
        uint64_t began = clock_now_ns();
        for (;;) {
                if (spin(p, expected, before))
                        return 0;
                uint64_t now = clock_now_ns();
                int r = look(p, began, now);
                if (r < 0)
                        return r;
                if (p->lossy && expected != ANY_CHANGE && now - began >= LOSS_NS)
                        return PINGPONG_LOST;
                if (now - began >= p->wait.spin_ns && !p->wait.polls)
                        sleep_step(now - began);
        }
}

/* ---- by completions -------------------------------------------------------------------------------- */

/* One wait for completions, until a deadline of its own. 0: some came. */
static int await_some(struct pingpong *p, uint64_t began, uint64_t until)
{
        struct ibv_wc wc[COMPLETIONS];
        uint64_t deadline_ns = p->wait.deadline_ns;
        p->wait.deadline_ns = until;
        int n = wait_completions(&p->wait, wc, COMPLETIONS, p->fault);
        p->wait.deadline_ns = deadline_ns;
        if (n > 0)
                return account(p, wc, n);
        if (n < 0)
                return n;
        return until < deadline_ns ? PINGPONG_LOST : silence(p, began, clock_now_ns());
}

static int await_receive(struct pingpong *p, int expected)
{
        uint64_t began = clock_now_ns(), until = p->wait.deadline_ns;
        if (p->lossy && expected != ANY_CHANGE)
                until = deadline_min(began + LOSS_NS, until);
        for (;;) {
                uint64_t taken = p->taken;
                if (p->received > taken) {
                        p->taken = p->received;
                        if (expected == ANY_CHANGE || landed(p) == (uint8_t)expected)
                                return 0;
                        continue; /* an answer that came too late */
                }
                int r = await_some(p, began, until);
                if (r != 0)
                        return r;
        }
}

/* Every one is signaled: the completion is the answer. */
static int await_completion(struct pingpong *p, int expected)
{
        (void)expected;
        uint64_t began = clock_now_ns();
        int r = 0;
        while (r == 0 && p->completed < p->posted)
                r = await_some(p, began, p->wait.deadline_ns);
        return r;
}

/* ---- both ends --------------------------------------------------------------------------------------- */

/* One round trip; *ret_ns only when it returns 0. */
static int round_trip(struct pingpong *p, uint64_t *ret_ns)
{
        uint8_t byte = (uint8_t)(p->posted + 1);
        uint64_t began = clock_now_ns();
        int r = post(p, byte, p->await == await_completion || signals(p));
        if (r == 0)
                r = p->await(p, byte);
        if (r == 0)
                *ret_ns = clock_now_ns() - began;
        return r;
}

static int warm_up(struct pingpong *p)
{
        int r = 0;
        uint64_t ns;
        for (uint64_t i = 0; i < p->plan->warmup_messages && r >= 0; i++)
                r = round_trip(p, &ns);
        return r < 0 ? r : 0;
}

static int sample(struct pingpong *p, unsigned divisor, struct result *ret)
{
        uint64_t ns;
        int r = round_trip(p, &ns);
        if (r == PINGPONG_LOST)
                ret->lost++;
        if (r != 0)
                return r < 0 ? r : 0;
        histogram_add(ret->latency_histogram, ns / divisor);
        ret->messages++;
        return 0;
}

static int run_active(struct pingpong *p, struct result *ret)
{
        int r = warm_up(p);
        unsigned divisor = operation_is_halved(p->plan->operation) ? 2 : 1;
        uint64_t budget = plan_messages(p->plan), began = clock_now_ns(), now = began;
        uint64_t budget_ns = p->plan->budget_ns ? p->plan->budget_ns : DEADLINE_NEVER;
        uint64_t left = deadline_left_ns(p->wait.deadline_ns, began);
        uint64_t latest_ns = p->wait.deadline_ns - (left / 8 < MARGIN_NS ? left / 8 : MARGIN_NS);
        while (r == 0 && ret->messages + ret->lost < budget && now - began < budget_ns && now < latest_ns) {
                r = sample(p, divisor, ret);
                now = clock_now_ns();
                if (r == 0)
                        r = wait_watch(&p->wait, now, p->fault);
        }
        ret->lost_known = true;
        ret->traffic_ns = now - began;
        ret->truncated = r == 0 && ret->messages + ret->lost < budget && now - began < budget_ns;
        return r;
}

/* Answers until the control connection says that it is over, which it does after the last answer has arrived. */
static int run_passive(struct pingpong *p, struct result *ret)
{
        uint64_t began = clock_now_ns();
        int r = 0;
        while (r == 0) {
                r = p->await(p, ANY_CHANGE);
                if (r == 0) {
                        p->last_byte = landed(p);
                        r = post(p, p->last_byte, signals(p));
                }
                if (r == 0) {
                        ret->messages++;
                        r = wait_watch(&p->wait, clock_now_ns(), p->fault);
                }
        }
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
        ret->received = p->received;
        ret->inlined = p->ep->inlined;
        ret->completion_queues = p->ep->n_cqs;
        ret->memory = p->ep->memory_used;
        if (ret->traffic_ns > 0)
                ret->average_bps = (double)ret->bytes * (double)NS_PER_SEC / (double)ret->traffic_ns;
        if (active)
                latency_from_histogram(&ret->latency, ret->latency_histogram);
        return r;
}

static void pingpong_init(
        struct pingpong *p, struct endpoint *ep, const struct plan *plan, struct fault *fault)
{
        const struct operation_facts *o = operation_facts(plan->operation);
        *p = (struct pingpong){
                .ep = ep,
                .plan = plan,
                .fault = fault,
                .await = o->pulls      ? await_completion
                         : o->receives ? await_receive
                                       : await_memory,
                .lossy = plan->transport != TRANSPORT_RC,
                .sent_byte = endpoint_source(ep, 0) + plan->message_bytes - 1,
                .landed_byte = endpoint_landing(ep, 0) + plan->message_bytes - 1,
        };
        endpoint_prepare(ep, 0, &p->wr, &p->sge);
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
        if (ep->class == DEVICE_SOFTWARE && plan->wait == WAIT_HYBRID)
                p.wait.spin_ns = SPIN_SOFTWARE_NS;
        /* The default slack of 50 µs would be added to every sleep. It is the thread's own. */
        int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
        (void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* without it latencies are only coarser */
        int r = run(&p, active, ret);
        if (slack > 0)
                (void)prctl(PR_SET_TIMERSLACK, (unsigned long)slack, 0, 0, 0);
        return r;
}
