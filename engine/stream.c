/* SPDX-License-Identifier: Apache-2.0 */
/* Write bandwidth. The window of each queue pair is kept full: whenever completions come, as many post lists
 * go out as there is room for.
 *
 * Messages are taken from the budget in groups of signal_interval, of which the last is signaled; a group
 * once begun is always completed, so no message is ever left without a completion behind it, and a budget is
 * met exactly whatever the number of queue pairs. A work request's id is the queue pair's index and how many
 * it has posted with this one: completions come in order, so one tells how many are done, and there is
 * nothing else to keep account of. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/scope.h"
#include "engine/plan.h"
#include "engine/verbs_private.h"
#include "engine/windows.h"

#define COMPLETIONS   32 /* taken per poll */
#define DRAIN_NS      (250 * NS_PER_MS)
#define ID_QP_SHIFT   56
#define ID_COUNT_MASK ((UINT64_C(1) << ID_QP_SHIFT) - 1)

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
        struct stream_qp qps[ENDPOINT_QPS_MAX];
        struct ibv_send_wr *requests;
        uint64_t budget;            /* messages no group has taken yet */
        uint64_t posted, completed; /* of all queue pairs, warm-up included */
        uint64_t first_ns, last_ns; /* first post and last completion of the phase */
        uint64_t skipped;           /* completed when the phase began */
        uint64_t stop_ns;           /* no new groups afterwards */
        struct windows windows;
};

static struct stream *stream_new(struct endpoint *ep, const struct plan *plan, struct fault *fault)
{
        struct stream *s = calloc(1, sizeof(*s));
        struct ibv_send_wr *requests = calloc((size_t)ep->n_qps * plan->post_list, sizeof(*requests));
        if (!s || !requests) {
                free(s);
                free(requests);
                return NULL;
        }
        s->ep = ep;
        s->plan = plan;
        s->fault = fault;
        s->requests = requests;
        for (unsigned i = 0; i < ep->n_qps; i++) {
                struct stream_qp *q = &s->qps[i];
                q->qp = ep->qps[i];
                q->list = requests + (size_t)i * plan->post_list;
                for (unsigned k = 0; k < plan->post_list; k++) {
                        endpoint_prepare_write(ep, i, &q->list[k], &q->sge);
                        q->list[k].next = k + 1 < plan->post_list ? &q->list[k + 1] : NULL;
                }
        }
        return s;
}

static void stream_free(struct stream *s)
{
        if (!s)
                return;
        free(s->requests);
        free(s);
}
DEFINE_SCOPE_FREE(struct stream *, stream_free);

/* No new groups; one that has been begun ends with its next message, which is signaled. */
static void stop(struct stream *s)
{
        s->budget = 0;
        for (unsigned i = 0; i < s->ep->n_qps; i++)
                if (s->qps[i].group_left > 1)
                        s->qps[i].group_left = 1;
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
        }
        bool last = --q->group_left == 0;
        wr->send_flags = last ? IBV_SEND_SIGNALED : 0;
        wr->wr_id = (uint64_t)(q - s->qps) << ID_QP_SHIFT | ++q->posted;
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
        return s->ep->class == DEVICE_SOFTWARE ? look(s, clock_now_ns()) : 0;
}

static int fill(struct stream *s, struct stream_qp *q)
{
        for (;;) {
                uint64_t wanted = q->group_left + s->budget;
                if (wanted > s->plan->post_list)
                        wanted = s->plan->post_list;
                uint64_t room = s->plan->depth - (q->posted - q->completed);
                if (wanted == 0 || room < wanted)
                        return 0;
                int r = post(s, q, (unsigned)wanted);
                if (r < 0)
                        return r;
        }
}

static int fill_all(struct stream *s)
{
        int r = 0;
        for (unsigned i = 0; i < s->ep->n_qps && r == 0; i++)
                r = fill(s, &s->qps[i]);
        return r;
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

static int account(struct stream *s, const struct ibv_wc *wc, int n)
{
        for (int i = 0; i < n; i++) {
                if (wc[i].status != IBV_WC_SUCCESS)
                        return report_error(s, &wc[i], n - i);
                struct stream_qp *q = &s->qps[wc[i].wr_id >> ID_QP_SHIFT];
                uint64_t completed = wc[i].wr_id & ID_COUNT_MASK;
                s->completed += completed - q->completed;
                q->completed = completed;
        }
        return 0;
}

/* The deadline came before the last completion. While they were still coming, what was measured is a result;
 * when they had ceased, that is the finding. */
static int overdue(struct stream *s, uint64_t margin)
{
        uint64_t silent = deadline_left_ns(clock_now_ns(), s->last_ns);
        if (silent < margin)
                return 0;
        return fault_set(s->fault, OUTCOME_TRAFFIC, -ETIMEDOUT,
                "no completion from %s within %" PRIu64 " ms, %" PRIu64 " messages outstanding",
                s->ep->remote_text, silent / NS_PER_MS, s->posted - s->completed);
}

/* Sends `messages` and takes their completions; ends early at stop_ns. */
static int run_phase(struct stream *s, uint64_t messages, uint64_t stop_ns, uint64_t margin)
{
        struct ibv_wc wc[COMPLETIONS];
        s->budget = messages;
        s->stop_ns = stop_ns;
        s->skipped = s->completed;
        s->first_ns = s->last_ns = clock_now_ns();
        windows_start(&s->windows, s->first_ns);
        int r = fill_all(s);
        while (r == 0 && s->completed < s->posted) {
                int n = wait_completions(&s->wait, wc, COMPLETIONS, s->fault);
                if (n <= 0)
                        return n < 0 ? n : overdue(s, margin);
                r = account(s, wc, n);
                if (r < 0)
                        return r;
                s->last_ns = clock_now_ns();
                windows_add(&s->windows, s->last_ns, s->completed - s->skipped);
                r = look(s, s->last_ns);
                if (r == 0)
                        r = fill_all(s);
        }
        return r;
}

static void fill_result(const struct stream *s, struct result *ret)
{
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

int stream_run(struct endpoint *ep, const struct plan *plan, uint64_t deadline_ns, const struct watch *watch,
        struct result *ret)
{
        cleanup(stream_freep) struct stream *s = stream_new(ep, plan, &ret->fault);
        if (!s)
                return fault_set(&ret->fault, OUTCOME_LOCAL, -ENOMEM, "no memory for work requests");
        wait_init(&s->wait, ep, watch, deadline_ns);
        /* Posting stops early enough for what is under way to be acknowledged before the deadline. */
        uint64_t left = deadline_left_ns(deadline_ns, clock_now_ns());
        uint64_t margin = left / 4 < DRAIN_NS ? left / 4 : DRAIN_NS;
        uint64_t latest_stop_ns = deadline_ns - margin;
        int r = 0;
        if (plan->warmup_messages > 0)
                r = run_phase(s, plan->warmup_messages, latest_stop_ns, margin);
        s->skipped = s->completed;
        if (r == 0)
                r = run_measured(s, latest_stop_ns, margin, ret);
        ret->own_bytes = s->posted * plan->message_bytes;
        return r;
}
