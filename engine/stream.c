/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth. The window of each queue pair is kept full: whenever completions come, as many post lists go out
 * as there is room for.
 *
 * Messages are taken from the budget in groups of signal_interval, of which the last is signaled; a group
 * once begun is always completed, so no message is ever left without a completion behind it, and a budget is
 * met exactly whatever the number of queue pairs. A work request's id is the queue pair's index and how many
 * it has posted with this one: completions come in order, so one tells how many are done, and there is
 * nothing else to keep account of.
 *
 * The same loop serves the passive end, which takes what comes and may send as well: it goes on until the control
 * connection says that the active end has finished. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/scope.h"
#include "engine/pacer.h"
#include "engine/plan.h"
#include "engine/verbs_private.h"
#include "engine/windows.h"

#define COMPLETIONS 32 /* taken per poll */
#define DRAIN_NS    (250 * NS_PER_MS)
/* After the active end has finished nothing is on its way any more, where it was told of every arrival; where not,
 * packets may still be. */
#define REST_NS       NS_PER_MS
#define REST_LOSSY_NS (20 * NS_PER_MS)

struct stream_qp {
        struct ibv_qp *qp;
        struct ibv_send_wr *list; /* post_list work requests, chained */
        struct ibv_sge sge;
        uint64_t posted, completed;
        unsigned group_left; /* of the group begun, not posted yet */
};

struct stream {
        struct endpoint *ep;
        const struct plan *plan;
        struct wait wait;
        struct fault *fault;
        struct stream_qp *qps;
        struct ibv_send_wr *requests;
        unsigned flags; /* of every work request */
        bool swaps;     /* compare-and-swap: each expects the one before */
        bool serves;    /* the passive end */
        bool over;      /* the deadline has come */
        bool paced;     /* by the pacer: the plan has a rate */
        struct pacer pacer;
        bool stopping;              /* the pacer does not hold up the rest of a group begun */
        uint64_t budget;            /* messages no group has taken yet */
        uint64_t begun;             /* taken by a group, and not posted yet */
        uint64_t posted, completed; /* of all queue pairs, warm-up included */
        uint64_t received;
        uint64_t first_ns, last_ns; /* first post and last completion of the phase */
        uint64_t skipped;           /* completed when the phase began */
        uint64_t stop_ns;           /* no new groups afterwards */
        struct windows windows;
};

static void prepare_queue(struct stream *s, unsigned i)
{
        struct stream_qp *q = &s->qps[i];
        q->qp = s->ep->queues[i].qp;
        q->list = s->requests + (size_t)i * s->plan->post_list;
        for (unsigned k = 0; k < s->plan->post_list; k++) {
                endpoint_prepare(s->ep, i, &q->list[k], &q->sge);
                q->list[k].next = k + 1 < s->plan->post_list ? &q->list[k + 1] : NULL;
        }
}

static void stream_free(struct stream *s)
{
        if (!s)
                return;
        free(s->qps);
        free(s->requests);
        free(s);
}
DEFINE_SCOPE_FREE(struct stream *, stream_free);

static bool make_queues(struct stream *s)
{
        s->qps = calloc(s->ep->n_qps, sizeof(*s->qps));
        s->requests = calloc((size_t)s->ep->n_qps * s->plan->post_list, sizeof(*s->requests));
        if (!s->qps || !s->requests)
                return false;
        for (unsigned i = 0; i < s->ep->n_qps; i++)
                prepare_queue(s, i);
        return true;
}

static struct stream *stream_new(struct endpoint *ep, const struct plan *plan, struct fault *fault)
{
        struct stream *s = calloc(1, sizeof(*s));
        if (!s)
                return NULL;
        s->ep = ep;
        s->plan = plan;
        s->fault = fault;
        s->flags = endpoint_send_flags(ep);
        s->swaps = plan->operation == OPERATION_COMPARE_SWAP;
        if (make_queues(s))
                return s;
        stream_free(s);
        return NULL;
}

/* No new groups; one that has been begun ends with its next message, which is signaled. */
static void stop(struct stream *s)
{
        s->budget = s->begun = 0;
        s->stopping = true;
        for (unsigned i = 0; i < s->ep->n_qps; i++) {
                if (s->qps[i].group_left > 1)
                        s->qps[i].group_left = 1;
                s->begun += s->qps[i].group_left;
        }
}

static bool is_held_up(const struct stream *s)
{
        return s->paced && !s->stopping && s->budget + s->begun > 0;
}

/* What depends on the clock, which is read once for many messages. */
static int look(struct stream *s, uint64_t now)
{
        if (now >= s->stop_ns)
                stop(s);
        return wait_watch(&s->wait, now, s->fault);
}

/* Marks the next work request of a queue pair. */
static void stamp_request(struct stream *s, struct stream_qp *q, struct ibv_send_wr *wr)
{
        if (q->group_left == 0) {
                uint64_t group = s->plan->signal_interval;
                q->group_left = (unsigned)(group < s->budget ? group : s->budget);
                s->budget -= q->group_left;
                s->begun += q->group_left;
        }
        s->begun--;
        bool last = --q->group_left == 0;
        wr->send_flags = s->flags | (last ? IBV_SEND_SIGNALED : 0U);
        wr->wr_id = (uint64_t)(q - s->qps) << ID_QP_SHIFT | ++q->posted;
        if (s->swaps) {
                wr->wr.atomic.compare_add = q->posted - 1;
                wr->wr.atomic.swap = q->posted;
        }
}

/* One doorbell. On Soft-RoCE it is a system call that also does the sending, milliseconds for a window of
 * large messages, so that there is reason to look at the clock after each. */
static int post(struct stream *s, struct stream_qp *q, unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                stamp_request(s, q, &q->list[i]);
        struct ibv_send_wr *last = &q->list[n - 1], *rest = last->next, *bad;
        last->next = NULL;
        int r = ibv_post_send(q->qp, q->list, &bad);
        last->next = rest;
        if (r != 0)
                return post_fault(s->ep, r, s->fault);
        s->posted += n;
        if (s->paced)
                pacer_took(&s->pacer, n);
        return s->ep->class == DEVICE_SOFTWARE ? look(s, clock_now_ns()) : 0;
}

static unsigned due(struct stream *s, uint64_t wanted)
{
        uint64_t allowed = pacer_allowed(&s->pacer, clock_now_ns());
        return (unsigned)(wanted < allowed ? wanted : allowed);
}

/* How many work requests the next doorbell of a queue pair takes; 0: none now. */
static unsigned next_list(struct stream *s, const struct stream_qp *q)
{
        uint64_t wanted = q->group_left + s->budget, room = s->plan->depth - (q->posted - q->completed);
        if (wanted > s->plan->post_list)
                wanted = s->plan->post_list;
        if (wanted > 0 && is_held_up(s))
                wanted = due(s, wanted);
        return room < wanted ? 0 : (unsigned)wanted;
}

/* A list for each queue pair in turn, as long as one has room: all of them begin early, and few messages are spread
 * over many. */
static int fill_all(struct stream *s)
{
        bool more = true;
        while (more) {
                more = false;
                for (unsigned i = 0; i < s->ep->n_qps; i++) {
                        unsigned n = next_list(s, &s->qps[i]);
                        int r = n > 0 ? post(s, &s->qps[i], n) : 0;
                        if (r < 0)
                                return r;
                        more |= n > 0;
                }
        }
        return 0;
}

/* `first` is the first that failed of the `n` completions from there on. When a work request fails, all behind it
 * are flushed, and with several queue pairs a flush may come before its cause: that is the one to report. */
static int report_error(struct stream *s, const struct ibv_wc *first, int n)
{
        const struct ibv_wc *cause = first;
        for (int i = 1; i < n && cause->status == IBV_WC_WR_FLUSH_ERR; i++)
                if (first[i].status != IBV_WC_SUCCESS)
                        cause = &first[i];
        return completion_fault(s->ep, cause, s->fault);
}

static void account_sent(struct stream *s, uint64_t id)
{
        struct stream_qp *q = &s->qps[id_qp(id)];
        uint64_t completed = id & ID_COUNT_MASK;
        s->completed += completed - q->completed;
        q->completed = completed;
}

static int account(struct stream *s, const struct ibv_wc *wc, int n)
{
        int r = 0;
        for (int i = 0; i < n && r == 0; i++) {
                if (wc[i].status != IBV_WC_SUCCESS)
                        return report_error(s, &wc[i], n - i);
                if (wc[i].wr_id & ID_RECEIVE) {
                        s->received++;
                        r = receive_used(s->ep, id_qp(wc[i].wr_id), s->fault);
                } else {
                        account_sent(s, wc[i].wr_id);
                }
        }
        return r;
}

/* The deadline came before the last completion. While they were still coming, what was measured is a result;
 * when they had ceased, that is the finding. */
static int overdue(struct stream *s, uint64_t margin)
{
        uint64_t silent = deadline_left_ns(clock_now_ns(), s->last_ns);
        s->over = true;
        if (s->serves || silent < margin)
                return 0;
        return fault_set(s->fault, OUTCOME_TRAFFIC, -ETIMEDOUT,
                "no completion from %s within %" PRIu64 " ms, %" PRIu64 " messages outstanding",
                s->ep->remote_text, silent / NS_PER_MS, s->posted - s->completed);
}

/* Waits for completions, or until the pacer has a message. */
static int wait_for_either(struct stream *s, struct ibv_wc *wc)
{
        uint64_t deadline_ns = s->wait.deadline_ns;
        if (is_held_up(s))
                s->wait.deadline_ns =
                        deadline_min(deadline_ns, deadline_min(s->stop_ns, pacer_next_ns(&s->pacer)));
        int n = wait_completions(&s->wait, wc, COMPLETIONS, s->fault);
        s->wait.deadline_ns = deadline_ns;
        return n;
}

static int turn(struct stream *s, uint64_t margin)
{
        struct ibv_wc wc[COMPLETIONS];
        int n = wait_for_either(s, wc);
        if (n == 0 && clock_now_ns() < s->wait.deadline_ns) {
                int r = look(s, clock_now_ns());
                return r < 0 ? r : fill_all(s);
        }
        if (n <= 0)
                return n < 0 ? n : overdue(s, margin);
        int r = account(s, wc, n);
        if (r < 0)
                return r;
        s->last_ns = clock_now_ns();
        windows_add(&s->windows, s->last_ns, s->completed - s->skipped);
        r = look(s, s->last_ns);
        return r < 0 ? r : fill_all(s);
}

/* That the active end has finished is no error: what is under way is still completed. */
static int unless_finished(struct stream *s, int error)
{
        if (error != -ESHUTDOWN)
                return error;
        stop(s);
        return 0;
}

static bool goes_on(const struct stream *s)
{
        return !s->over &&
               (s->completed < s->posted || (s->serves && !s->wait.ended) || (s->paced && s->budget > 0));
}

/* Sends `messages` and takes their completions; ends early at stop_ns. */
static int run_phase(struct stream *s, uint64_t messages, uint64_t stop_ns, uint64_t margin)
{
        s->budget = messages;
        s->stop_ns = stop_ns;
        s->stopping = false;
        s->skipped = s->completed;
        s->first_ns = s->last_ns = clock_now_ns();
        windows_start(&s->windows, s->first_ns);
        s->paced = s->plan->rate_bps > 0 && messages > 0;
        if (s->paced)
                pacer_init(&s->pacer, s->plan->rate_bps, s->plan->message_bytes, s->first_ns);
        int r = unless_finished(s, fill_all(s));
        while (r == 0 && goes_on(s))
                r = unless_finished(s, turn(s, margin));
        return r;
}

/* What had arrived but was not looked at when the active end finished. */
static int take_rest(struct stream *s)
{
        struct ibv_wc wc[COMPLETIONS];
        uint64_t last_ns = s->wait.deadline_ns;
        uint64_t quiet_ns = s->plan->transport == TRANSPORT_RC ? REST_NS : REST_LOSSY_NS;
        for (;;) {
                s->wait.deadline_ns = deadline_min(clock_now_ns() + quiet_ns, last_ns);
                int n = wait_completions(&s->wait, wc, COMPLETIONS, s->fault);
                int r = n > 0 ? account(s, wc, n) : n;
                if (n <= 0 || r < 0)
                        return r;
        }
}

static void fill_result(const struct stream *s, struct result *ret)
{
        ret->inlined = s->ep->inlined;
        ret->completion_queues = s->ep->n_cqs;
        ret->memory = s->ep->memory_used;
        ret->received = s->received;
        ret->messages = s->completed - s->skipped;
        ret->bytes = ret->messages * s->plan->message_bytes;
        ret->traffic_ns = s->last_ns - s->first_ns;
        if (ret->traffic_ns == 0)
                return;
        ret->average_bps = (double)ret->bytes * (double)NS_PER_SEC / (double)ret->traffic_ns;
        struct windows_rates rates;
        windows_rates(&s->windows, s->last_ns, ret->messages, &rates);
        ret->steady_bps = rates.steady * (double)s->plan->message_bytes;
        ret->best_window_bps = rates.best * (double)s->plan->message_bytes;
        ret->worst_window_bps = rates.worst * (double)s->plan->message_bytes;
}

static int run_measured(struct stream *s, uint64_t latest_stop_ns, uint64_t margin, struct result *ret)
{
        uint64_t budget_ns = s->plan->budget_ns ? s->plan->budget_ns : DEADLINE_NEVER;
        uint64_t now = clock_now_ns();
        uint64_t regular_stop_ns = budget_ns > DEADLINE_NEVER - now ? DEADLINE_NEVER : now + budget_ns;
        uint64_t messages = plan_messages(s->plan);
        uint64_t cpu = thread_cpu_ns();
        int r = run_phase(s, messages, deadline_min(regular_stop_ns, latest_stop_ns), margin);
        ret->cpu_ns = thread_cpu_ns() - cpu;
        fill_result(s, ret);
        ret->truncated = r == 0 && ret->messages < messages && s->last_ns < regular_stop_ns;
        return r;
}

static int no_memory(struct fault *fault)
{
        return fault_set(fault, OUTCOME_LOCAL, -ENOMEM, "no memory for work requests");
}

/* Posting stops early enough for what is under way to be acknowledged before the deadline. */
static uint64_t drain_margin(uint64_t deadline_ns)
{
        uint64_t left = deadline_left_ns(deadline_ns, clock_now_ns());
        return left / 4 < DRAIN_NS ? left / 4 : DRAIN_NS;
}

int stream_run(struct endpoint *ep, const struct plan *plan, uint64_t deadline_ns, const struct watch *watch,
        struct result *ret)
{
        cleanup(stream_freep) struct stream *s = stream_new(ep, plan, &ret->fault);
        if (!s)
                return no_memory(&ret->fault);
        wait_init(&s->wait, ep, watch, deadline_ns);
        uint64_t margin = drain_margin(deadline_ns), latest_stop_ns = deadline_ns - margin;
        int r = 0;
        if (plan->warmup_messages > 0)
                r = run_phase(s, plan->warmup_messages, latest_stop_ns, margin);
        s->skipped = s->completed;
        if (r == 0)
                r = run_measured(s, latest_stop_ns, margin, ret);
        ret->own_bytes = s->posted * plan->message_bytes;
        return r;
}

int stream_serve(struct endpoint *ep, const struct plan *plan, bool sends, uint64_t deadline_ns,
        const struct watch *watch, struct result *ret)
{
        cleanup(stream_freep) struct stream *s = stream_new(ep, plan, &ret->fault);
        if (!s)
                return no_memory(&ret->fault);
        wait_init(&s->wait, ep, watch, deadline_ns);
        s->wait.readable_ends = s->serves = true;
        uint64_t margin = drain_margin(deadline_ns), cpu = thread_cpu_ns();
        int r = run_phase(s, sends ? UINT64_MAX : 0, deadline_ns - margin, margin);
        if (r == 0 && s->wait.ended)
                r = take_rest(s);
        ret->cpu_ns = thread_cpu_ns() - cpu;
        ret->own_bytes = s->posted * plan->message_bytes;
        fill_result(s, ret);
        return r;
}
