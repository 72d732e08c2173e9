/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "tests/unit/engine/fake_verbs.h"

static struct plan plan_of(unsigned qps, unsigned depth, unsigned list, unsigned signal, uint64_t messages)
{
        struct plan p;
        char why[ENGINE_REASON_MAX];
        plan_defaults(&p, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        p.message_bytes = 100;
        p.queue_pairs = qps;
        p.depth = depth;
        p.post_list = list;
        p.signal_interval = signal;
        p.budget_messages = messages;
        p.budget_bytes = p.budget_ns = 0;
        p.warmup_messages = 0;
        check_row(plan_check(&p, why) == 0, why);
        return p;
}

static int run(struct fake *f, uint64_t limit_ns, const struct watch *watch, struct result *r)
{
        result_init(r);
        return stream_run(&f->ep, &f->ep.plan, clock_now_ns() + limit_ns, watch, r);
}

static void a_budget_is_met_to_the_message(void **state)
{
        static const struct {
                unsigned qps, depth, list, signal;
        } shapes[] = {
                { 1, 1, 1, 1 },
                { 1, 2, 1, 1 },
                { 1, 16, 1, 8 },
                { 1, 16, 8, 1 },
                { 3, 16, 8, 8 },
                { 2, 128, 16, 16 },
                { 4, 16, 5, 3 },
                { 64, 7, 3, 3 },
        };
        static const uint64_t budgets[] = { 1, 2, 7, 16, 17, 100, 1001, 20000 };
        static const unsigned paces[] = { 0, 1, 3 };
        for (size_t s = 0; s < ARRAY_SIZE(shapes); s++)
                for (size_t b = 0; b < ARRAY_SIZE(budgets); b++)
                        for (size_t k = 0; k < ARRAY_SIZE(paces); k++) {
                                struct plan p = plan_of(shapes[s].qps, shapes[s].depth, shapes[s].list,
                                        shapes[s].signal, budgets[b]);
                                cleanup(fake_freep) struct fake *f = fake_new(&p);
                                f->per_poll = paces[k];
                                struct result r;
                                assert_int_equal(run(f, 10 * NS_PER_SEC, NULL, &r), 0);
                                assert_true(r.messages == budgets[b]);
                                assert_true(r.bytes == budgets[b] * 100);
                                assert_true(r.own_bytes == r.bytes);
                                assert_true(f->posted == budgets[b] && f->completed == f->posted);
                                assert_true(f->outstanding_max <= p.depth);
                                assert_true(f->list_max <= p.post_list);
                                assert_false(r.truncated);
                                result_done(&r);
                        }
}

static void byte_budgets_are_rounded_up(void **state)
{
        struct plan p = plan_of(2, 16, 4, 4, 1000);
        p.budget_bytes = 1001;
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        struct result r;
        assert_int_equal(run(f, NS_PER_SEC, NULL, &r), 0);
        assert_int_equal(r.bytes, 1100);
}

static void lists_and_signals_are_as_planned(void **state)
{
        struct plan p = plan_of(1, 64, 16, 8, 1600);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        struct result r;
        assert_int_equal(run(f, NS_PER_SEC, NULL, &r), 0);
        assert_int_equal(f->doorbells, 100);
        assert_int_equal(f->signaled, 200);
}

static void warm_up_is_not_measured(void **state)
{
        struct plan p = plan_of(2, 16, 4, 4, 50);
        p.warmup_messages = 33;
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        struct result r;
        assert_int_equal(run(f, NS_PER_SEC, NULL, &r), 0);
        assert_int_equal(r.messages, 50);
        assert_int_equal(r.own_bytes, 8300);
}

static void time_ends_a_run_and_all_of_it_is_drained(void **state)
{
        struct plan p = plan_of(3, 16, 4, 4, UINT64_C(1) << 40);
        p.budget_ns = 30 * NS_PER_MS;
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        f->per_poll = 5;
        f->pace_ns = 20 * NS_PER_US;
        struct result r;
        assert_int_equal(run(f, 10 * NS_PER_SEC, NULL, &r), 0);
        assert_true(r.traffic_ns >= 30 * NS_PER_MS && r.traffic_ns < NS_PER_SEC);
        assert_true(r.messages > 100 && r.messages == f->posted && f->completed == f->posted);
        assert_false(r.truncated);
        assert_true(
                r.steady_bps > 0 && r.best_window_bps >= r.steady_bps && r.worst_window_bps <= r.steady_bps);
        assert_true(r.average_bps > 0);
}

static void a_deadline_truncates_what_flows(void **state)
{
        struct plan p = plan_of(2, 16, 4, 4, UINT64_C(1) << 40);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        f->per_poll = 5;
        f->pace_ns = 20 * NS_PER_US;
        struct result r;
        uint64_t began = clock_now_ns();
        assert_int_equal(run(f, 100 * NS_PER_MS, NULL, &r), 0);
        assert_true(clock_now_ns() - began < NS_PER_SEC);
        assert_true(r.truncated);
        assert_true(r.messages > 0 && r.fault.kind == OUTCOME_OK);
}

static void silence_at_the_deadline_is_a_finding(void **state)
{
        struct plan p = plan_of(2, 16, 4, 4, 1000);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        f->silent_after = 100;
        struct result r;
        uint64_t began = clock_now_ns();
        assert_int_equal(run(f, 100 * NS_PER_MS, NULL, &r), -ETIMEDOUT);
        uint64_t took = clock_now_ns() - began;
        assert_true(took >= 100 * NS_PER_MS && took < NS_PER_SEC);
        assert_int_equal(r.fault.kind, OUTCOME_TRAFFIC);
        assert_non_null(strstr(r.fault.reason, "198.51.100.2"));
        assert_true(r.messages > 0 && r.messages <= 100);
        assert_true(f->armed > 0);
}

static void the_first_error_is_reported_not_the_flush(void **state)
{
        static const enum ibv_wc_status statuses[] = { IBV_WC_RETRY_EXC_ERR, IBV_WC_REM_ACCESS_ERR,
                IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_FATAL_ERR, IBV_WC_GENERAL_ERR };
        for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
                struct plan p = plan_of(1, 32, 4, 8, 1000);
                cleanup(fake_freep) struct fake *f = fake_new(&p);
                f->fail_at = 101;
                f->fail_with = statuses[i];
                struct result r;
                assert_true(run(f, NS_PER_SEC, NULL, &r) < 0);
                assert_int_equal(r.fault.kind, OUTCOME_TRAFFIC);
                assert_non_null(strstr(r.fault.reason, ibv_wc_status_str(statuses[i])));
                assert_non_null(strstr(r.fault.reason, "198.51.100.2"));
                assert_true(r.messages <= 100);
        }
}

static void what_cannot_be_posted_is_a_local_fault(void **state)
{
        struct plan p = plan_of(1, 16, 4, 4, 1000);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        f->post_error = EACCES;
        struct result r;
        assert_int_equal(run(f, NS_PER_SEC, NULL, &r), -EACCES);
        assert_int_equal(r.fault.kind, OUTCOME_LOCAL);
        assert_non_null(strstr(r.fault.reason, "credentials"));
}

/* Silence, in which only the watch can end the wait before ten seconds have passed. */
static int run_watched(const struct watch *watch, struct result *r, const char *device_path)
{
        struct plan p = plan_of(1, 16, 4, 4, 1000);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        f->silent_after = 8;
        strcpy(f->device.dev_path, device_path);
        uint64_t began = clock_now_ns();
        int error = run(f, 10 * NS_PER_SEC, watch, r);
        assert_true(clock_now_ns() - began < NS_PER_SEC);
        return error;
}

static void cancelling_ends_it(void **state)
{
        atomic_bool cancelled = true, not_cancelled = false;
        struct watch first = { .fd = -1, .cancel = &cancelled, .cancel2 = &not_cancelled };
        struct watch second = { .fd = -1, .cancel2 = &cancelled };
        struct result r;
        assert_int_equal(run_watched(&first, &r, "/"), -ECANCELED);
        assert_int_equal(r.fault.kind, OUTCOME_CANCELLED);
        assert_int_equal(run_watched(&second, &r, "/"), -ECANCELED);
}

static void a_broken_control_connection_ends_it(void **state)
{
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        close(ends[1]);
        struct watch watch = { .fd = ends[0] };
        struct result r;
        assert_int_equal(run_watched(&watch, &r, "/"), -ECONNRESET);
        assert_int_equal(r.fault.kind, OUTCOME_PEER);
        close(ends[0]);
}

static void a_removed_device_ends_it(void **state)
{
        struct result r;
        assert_int_equal(run_watched(NULL, &r, "/nowhere/uverbs0"), -ENODEV);
        assert_int_equal(r.fault.kind, OUTCOME_LOCAL);
        assert_non_null(strstr(r.fault.reason, "removed"));
}

static void a_watch_is_looked_at_while_completions_flow(void **state)
{
        struct plan p = plan_of(1, 16, 4, 4, UINT64_C(1) << 40);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        atomic_bool cancelled = true;
        struct watch watch = { .fd = -1, .cancel = &cancelled };
        struct result r;
        uint64_t began = clock_now_ns();
        assert_int_equal(run(f, 10 * NS_PER_SEC, &watch, &r), -ECANCELED);
        assert_true(clock_now_ns() - began < NS_PER_SEC);
}

/* A control connection on which the other end has said something, or will. */
struct control {
        int ends[2];
        struct watch watch;
};

static void control_init(struct control *c)
{
        assert_int_equal(pipe2(c->ends, O_CLOEXEC), 0);
        c->watch = (struct watch){ .fd = c->ends[0] };
}

static void control_done(struct control *c)
{
        close(c->ends[0]);
        close(c->ends[1]);
}

static struct plan receiving_plan(enum transport transport)
{
        struct plan p = plan_of(1, 16, 4, 4, 1000);
        plan_set_operation(&p, OPERATION_SEND, transport);
        plan_resolve(&p);
        return p;
}

static void the_passive_end_takes_all_that_came(void **state)
{
        for (enum transport t = TRANSPORT_RC; t <= TRANSPORT_UD; t++) {
                struct plan p = receiving_plan(t);
                cleanup(fake_freep) struct fake *f = fake_new(&p);
                struct control c;
                struct result r;
                control_init(&c);
                result_init(&r);
                assert_int_equal(receives_fill(&f->ep, 0, &r.fault), 0);
                assert_int_equal(f->receives_posted, p.receive_depth);
                f->arrivals = 10000; /* more than there are receives: they are posted again */
                assert_int_equal(write(c.ends[1], "x", 1), 1); /* finished, before anything is looked at */
                assert_int_equal(
                        stream_serve(&f->ep, &p, false, clock_now_ns() + 10 * NS_PER_SEC, &c.watch, &r), 0);
                assert_int_equal(r.received, 10000);
                assert_int_equal(r.messages, 0);
                assert_true(f->receives_posted > p.receive_depth / 2);
                assert_int_equal(r.fault.kind, OUTCOME_OK);
                control_done(&c);
        }
}

static void the_passive_end_sends_until_told_and_drains(void **state)
{
        struct plan p = receiving_plan(TRANSPORT_RC);
        p.bidirectional = true;
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        f->per_poll = 3;
        f->pace_ns = 20 * NS_PER_US;
        struct control c;
        struct result r;
        control_init(&c);
        result_init(&r);
        assert_int_equal(write(c.ends[1], "x", 1), 1);
        assert_int_equal(stream_serve(&f->ep, &p, true, clock_now_ns() + 10 * NS_PER_SEC, &c.watch, &r), 0);
        assert_true(r.messages > 0 && r.messages == f->posted && f->completed == f->posted);
        control_done(&c);
}

static void the_passive_end_gives_up_at_the_deadline(void **state)
{
        struct plan p = receiving_plan(TRANSPORT_RC);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        struct control c;
        struct result r;
        control_init(&c);
        result_init(&r);
        uint64_t began = clock_now_ns();
        assert_int_equal(stream_serve(&f->ep, &p, false, began + 50 * NS_PER_MS, &c.watch, &r), 0);
        assert_true(clock_now_ns() - began >= 50 * NS_PER_MS && clock_now_ns() - began < NS_PER_SEC);
        control_done(&c);
}

/* Behaviour, not speed: a busy machine may be slower than the rate, never faster. */
static void a_rate_is_never_exceeded(void **state)
{
        struct plan p = plan_of(2, 16, 4, 4, 101);
        p.rate_bps = 100 * 1000; /* a message of 100 bytes each millisecond */
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        struct result r;
        assert_int_equal(run(f, 10 * NS_PER_SEC, NULL, &r), 0);
        assert_int_equal(r.messages, 101);
        assert_true(r.traffic_ns >= 98 * NS_PER_MS);
        assert_true(f->list_max <= 2); /* no burst of a window, also after a stall */
}

static void a_paced_run_ends_in_time(void **state)
{
        struct plan p = plan_of(1, 16, 4, 4, 1);
        p.rate_bps = 200; /* two messages a second */
        p.budget_messages = 0;
        p.budget_ns = 60 * NS_PER_MS;
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        struct result r;
        uint64_t began = clock_now_ns();
        assert_int_equal(run(f, 10 * NS_PER_SEC, NULL, &r), 0);
        assert_true(clock_now_ns() - began < 2 * NS_PER_SEC);
        assert_true(r.messages >= 1 && r.messages == f->completed);
}

static void an_error_among_receives_is_a_finding(void **state)
{
        struct plan p = receiving_plan(TRANSPORT_RC);
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        struct control c;
        struct result r;
        control_init(&c);
        result_init(&r);
        assert_int_equal(receives_fill(&f->ep, 0, &r.fault), 0);
        f->arrivals = 1;
        f->arrive_as = IBV_WC_LOC_LEN_ERR;
        assert_true(stream_serve(&f->ep, &p, false, clock_now_ns() + NS_PER_SEC, &c.watch, &r) < 0);
        assert_int_equal(r.fault.kind, OUTCOME_TRAFFIC);
        assert_non_null(strstr(r.fault.reason, "send"));
        control_done(&c);
}

static void polling_ends_at_the_deadline_and_sleeps_never(void **state)
{
        struct plan p = plan_of(1, 16, 4, 4, 1000);
        p.wait = WAIT_POLL;
        cleanup(fake_freep) struct fake *f = fake_new(&p);
        f->silent_after = 8;
        struct result r;
        assert_int_equal(run(f, 50 * NS_PER_MS, NULL, &r), -ETIMEDOUT);
        assert_int_equal(f->armed, 0);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_budget_is_met_to_the_message),
                cmocka_unit_test(byte_budgets_are_rounded_up),
                cmocka_unit_test(lists_and_signals_are_as_planned),
                cmocka_unit_test(warm_up_is_not_measured),
                cmocka_unit_test(time_ends_a_run_and_all_of_it_is_drained),
                cmocka_unit_test(a_deadline_truncates_what_flows),
                cmocka_unit_test(silence_at_the_deadline_is_a_finding),
                cmocka_unit_test(the_first_error_is_reported_not_the_flush),
                cmocka_unit_test(what_cannot_be_posted_is_a_local_fault),
                cmocka_unit_test(cancelling_ends_it),
                cmocka_unit_test(a_broken_control_connection_ends_it),
                cmocka_unit_test(a_removed_device_ends_it),
                cmocka_unit_test(a_watch_is_looked_at_while_completions_flow),
                cmocka_unit_test(the_passive_end_takes_all_that_came),
                cmocka_unit_test(the_passive_end_sends_until_told_and_drains),
                cmocka_unit_test(the_passive_end_gives_up_at_the_deadline),
                cmocka_unit_test(a_rate_is_never_exceeded),
                cmocka_unit_test(a_paced_run_ends_in_time),
                cmocka_unit_test(an_error_among_receives_is_a_finding),
                cmocka_unit_test(polling_ends_at_the_deadline_and_sleeps_never),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
