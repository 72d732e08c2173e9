/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>

#include "tests/unit/engine/fake_verbs.h"

static struct fake *fake_of_operation(enum operation operation, enum transport transport, uint64_t messages)
{
        struct plan p;
        plan_defaults(&p, MEASURE_LATENCY, DEVICE_SOFTWARE);
        plan_set_operation(&p, operation, transport);
        plan_resolve(&p);
        p.budget_messages = messages;
        p.budget_ns = 0;
        p.warmup_messages = 0;
        struct fake *f = fake_new(&p);
        f->answers = true;
        struct fault fault;
        assert_int_equal(receives_fill(&f->ep, 0, &fault), 0);
        return f;
}

static struct fake *fake_pingpong(uint64_t messages)
{
        return fake_of_operation(OPERATION_WRITE, TRANSPORT_RC, messages);
}

static int run(struct fake *f, bool active, uint64_t limit_ns, const struct watch *watch, struct result *r)
{
        result_init(r);
        return pingpong_run(&f->ep, &f->ep.plan, active, clock_now_ns() + limit_ns, watch, r);
}

static void every_round_trip_is_a_sample(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(1000);
        f->ep.plan.warmup_messages = 7;
        struct result r;
        assert_int_equal(run(f, true, 5 * NS_PER_SEC, NULL, &r), 0);
        assert_int_equal(r.messages, 1000);
        assert_int_equal(r.bytes, 64000);
        assert_int_equal(r.own_bytes, 64448);
        assert_int_equal(r.latency.count, 1000);
        assert_int_equal(r.latency_histogram->count, 1000);
        assert_true(r.latency.min_ns <= r.latency.p50_ns && r.latency.p50_ns <= r.latency.max_ns);
        assert_true(f->outstanding_max <= f->ep.plan.depth);
        result_done(&r);
}

static void every_operation_takes_its_turns(void **state)
{
        for (enum operation o = 0; o < N_OPERATIONS; o++) {
                cleanup(fake_freep) struct fake *f = fake_of_operation(o, TRANSPORT_RC, 300);
                struct result r;
                assert_int_equal(run(f, true, 5 * NS_PER_SEC, NULL, &r), 0);
                assert_int_equal(r.messages, 300);
                assert_int_equal(r.lost, 0);
                if (!operation_is_halved(o)) /* its own completion is the answer */
                        assert_int_equal(f->signaled, f->posted);
                result_done(&r);
        }
}

static void what_is_lost_is_counted_and_no_sample(void **state)
{
        static const struct {
                enum operation operation;
                enum transport transport;
        } rows[] = {
                { OPERATION_WRITE, TRANSPORT_UC },
                { OPERATION_SEND, TRANSPORT_UC },
                { OPERATION_SEND, TRANSPORT_UD },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                cleanup(fake_freep) struct fake *f =
                        fake_of_operation(rows[i].operation, rows[i].transport, 50);
                f->drop = 20;
                struct result r;
                assert_int_equal(run(f, true, 5 * NS_PER_SEC, NULL, &r), 0);
                assert_int_equal(r.messages, 49);
                assert_int_equal(r.lost, 1);
                assert_true(r.lost_known);
                assert_int_equal(r.latency.count, 49);
                result_done(&r);
        }
}

static void time_ends_it(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(0);
        f->ep.plan.budget_ns = 20 * NS_PER_MS;
        struct result r;
        assert_int_equal(run(f, true, 5 * NS_PER_SEC, NULL, &r), 0);
        assert_true(r.messages > 10);
        assert_true(r.traffic_ns >= 20 * NS_PER_MS && r.traffic_ns < NS_PER_SEC);
        result_done(&r);
}

static void a_deadline_truncates_what_flows(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(UINT64_C(1) << 40);
        struct result r;
        assert_int_equal(run(f, true, 50 * NS_PER_MS, NULL, &r), 0);
        assert_true(r.truncated);
        assert_true(r.messages > 10 && r.latency.count == r.messages);
        result_done(&r);
}

static void silence_ends_at_the_deadline(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(1000);
        f->answers = false;
        struct result r;
        uint64_t began = clock_now_ns();
        assert_int_equal(run(f, true, 50 * NS_PER_MS, NULL, &r), -ETIMEDOUT);
        uint64_t took = clock_now_ns() - began;
        assert_true(took >= 50 * NS_PER_MS && took < NS_PER_SEC);
        assert_int_equal(r.fault.kind, OUTCOME_TRAFFIC);
        assert_non_null(strstr(r.fault.reason, "message 1 from 198.51.100.2"));
        result_done(&r);
}

static void an_error_ends_the_wait_for_an_answer(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(1000);
        f->answers = false;
        f->fail_at = 1;
        f->fail_with = IBV_WC_RETRY_EXC_ERR;
        struct result r;
        uint64_t began = clock_now_ns();
        assert_int_equal(run(f, true, 10 * NS_PER_SEC, NULL, &r), -ETIMEDOUT);
        assert_true(clock_now_ns() - began < NS_PER_SEC);
        assert_non_null(strstr(r.fault.reason, "no acknowledgement from 198.51.100.2"));
        result_done(&r);
}

static void completions_that_never_come_end_at_the_deadline(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(1000);
        f->silent_after = 1; /* the send queue fills up although the answers come */
        struct result r;
        assert_int_equal(run(f, true, 50 * NS_PER_MS, NULL, &r), -ETIMEDOUT);
        assert_true(f->outstanding_max <= f->ep.plan.depth);
        result_done(&r);
}

static void the_passive_end_stops_when_told(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(1000);
        f->answers = false;
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        struct watch watch = { .fd = ends[0] };
        assert_int_equal(write(ends[1], "x", 1), 1);
        struct result r;
        uint64_t began = clock_now_ns();
        assert_int_equal(run(f, false, 10 * NS_PER_SEC, &watch, &r), 0);
        assert_true(clock_now_ns() - began < NS_PER_SEC);
        assert_int_equal(r.fault.kind, OUTCOME_OK);
        assert_null(r.latency_histogram);
        close(ends[0]);
        close(ends[1]);
}

static void the_active_end_takes_it_as_breaking_off(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(1000);
        f->answers = false;
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        close(ends[1]);
        struct watch watch = { .fd = ends[0] };
        struct result r;
        assert_int_equal(run(f, true, 10 * NS_PER_SEC, &watch, &r), -ECONNRESET);
        assert_int_equal(r.fault.kind, OUTCOME_PEER);
        result_done(&r);
        close(ends[0]);
}

static void the_threads_timer_slack_is_put_back(void **state)
{
        cleanup(fake_freep) struct fake *f = fake_pingpong(10);
        int before = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
        struct result r;
        assert_int_equal(run(f, true, NS_PER_SEC, NULL, &r), 0);
        assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), before);
        result_done(&r);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_round_trip_is_a_sample),
                cmocka_unit_test(every_operation_takes_its_turns),
                cmocka_unit_test(what_is_lost_is_counted_and_no_sample),
                cmocka_unit_test(time_ends_it),
                cmocka_unit_test(a_deadline_truncates_what_flows),
                cmocka_unit_test(silence_ends_at_the_deadline),
                cmocka_unit_test(an_error_ends_the_wait_for_an_answer),
                cmocka_unit_test(completions_that_never_come_end_at_the_deadline),
                cmocka_unit_test(the_passive_end_stops_when_told),
                cmocka_unit_test(the_active_end_takes_it_as_breaking_off),
                cmocka_unit_test(the_threads_timer_slack_is_put_back),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
