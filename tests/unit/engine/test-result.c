/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/fault.h"
#include "engine/result.h"

static void done_releases_and_may_be_repeated(void **state)
{
        struct result r;
        result_init(&r);
        assert_null(r.latency_histogram);
        assert_int_equal(r.fault.kind, OUTCOME_OK);
        r.latency_histogram = malloc(sizeof(*r.latency_histogram));
        result_done(&r);
        assert_null(r.latency_histogram);
        result_done(&r);
}

static void latency_holds_every_sample(void **state)
{
        cleanup(freep) struct histogram *h = malloc(sizeof(*h));
        assert_non_null(h);
        histogram_reset(h);
        for (uint64_t v = 1; v <= 100; v++)
                histogram_add(h, v);
        struct latency l;
        latency_from_histogram(&l, h);
        assert_int_equal(l.count, 100);
        assert_int_equal(l.min_ns, 1);
        assert_int_equal(l.max_ns, 100);
        assert_int_equal(l.p50_ns, 50);
        assert_int_equal(l.p90_ns, 90);
        assert_int_equal(l.p99_ns, 99);
        assert_int_equal(l.p999_ns, 100);
        assert_int_equal(l.p9999_ns, 100);
        assert_true(l.mean_ns > 50.4 && l.mean_ns < 50.6);
        assert_true(l.deviation_ns > 29.0 && l.deviation_ns < 29.1);
}

static void no_samples_are_all_zero(void **state)
{
        cleanup(freep) struct histogram *h = malloc(sizeof(*h));
        assert_non_null(h);
        histogram_reset(h);
        struct latency l;
        latency_from_histogram(&l, h);
        assert_int_equal(l.count, 0);
        assert_int_equal(l.p50_ns, 0);
        assert_true(l.mean_ns == 0 && l.deviation_ns == 0);
}

static void a_fault_is_cut_off_not_overrun(void **state)
{
        struct fault f = { 0 };
        assert_int_equal(fault_set(&f, OUTCOME_PEER, -ECONNRESET, "%0*d", 1000, 1), -ECONNRESET);
        assert_int_equal(f.kind, OUTCOME_PEER);
        assert_int_equal(f.error, -ECONNRESET);
        assert_int_equal(strlen(f.reason), ENGINE_REASON_MAX - 1);
        assert_int_equal(fault_set(NULL, OUTCOME_PEER, -EIO, "x"), -EIO);
}

static struct result sent(enum operation operation, enum transport transport, uint64_t messages)
{
        struct result r;
        result_init(&r);
        plan_defaults(&r.plan, MEASURE_BANDWIDTH, DEVICE_SOFTWARE);
        plan_set_operation(&r.plan, operation, transport);
        r.plan.message_bytes = 1000;
        r.own_bytes = messages * 1000;
        r.average_bps = 4e6;
        return r;
}

static void what_was_lost_is_counted_where_it_can_be(void **state)
{
        static const struct {
                enum operation operation;
                enum transport transport;
                bool known;
        } rows[] = {
                { OPERATION_SEND, TRANSPORT_UD, true },
                { OPERATION_WRITE_IMMEDIATE, TRANSPORT_UC, true },
                { OPERATION_WRITE, TRANSPORT_UC, false },
                { OPERATION_READ, TRANSPORT_RC, false },
        };
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                struct result r = sent(rows[i].operation, rows[i].transport, 100);
                struct fault f = { 0 };
                result_take_report(&r, &(struct report){ .received = 75 });
                assert_int_equal(r.lost_known, rows[i].known);
                assert_int_equal(r.lost, rows[i].known ? 25 : 0);
                assert_true(r.average_bps == (rows[i].known ? 3e6 : 4e6)); /* what arrived */
                assert_int_equal(result_judge(&r, "host-b", &f), 0);
        }
}

static void what_was_acknowledged_and_did_not_arrive_is_a_finding(void **state)
{
        struct result r = sent(OPERATION_SEND, TRANSPORT_RC, 100);
        struct fault f = { 0 };
        result_take_report(&r, &(struct report){ .received = 99 });
        assert_int_equal(result_judge(&r, "host-b", &f), -EBADMSG);
        assert_int_equal(f.kind, OUTCOME_TRAFFIC);
        assert_non_null(strstr(f.reason, "host-b: received 1 "));
}

static void wrong_bytes_of_either_end_are_a_finding(void **state)
{
        struct fault f = { 0 };
        struct result r = sent(OPERATION_WRITE, TRANSPORT_RC, 100);
        result_take_report(&r, &(struct report){ .verified_bytes = 1000, .wrong_bytes = 3 });
        assert_int_equal(result_judge(&r, "host-b", &f), -EBADMSG);
        assert_non_null(strstr(f.reason, "3 of 1000 bytes"));
        r = sent(OPERATION_READ, TRANSPORT_RC, 100);
        r.verified = (struct verification){ .bytes = 2000, .wrong = 1 };
        assert_int_equal(result_judge(&r, "host-b", &f), -EBADMSG);
        assert_non_null(strstr(f.reason, "1 of 2000 bytes"));
}

static void the_other_direction_has_its_own_rate(void **state)
{
        struct result r = sent(OPERATION_WRITE, TRANSPORT_RC, 100);
        r.plan.bidirectional = true;
        result_take_report(&r, &(struct report){ .messages = 50, .traffic_ns = 500000000 });
        assert_int_equal(r.peer_bytes, 50000);
        assert_true(r.peer_average_bps > 99999 && r.peer_average_bps < 100001);
}

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(done_releases_and_may_be_repeated),
                cmocka_unit_test(latency_holds_every_sample),
                cmocka_unit_test(no_samples_are_all_zero),
                cmocka_unit_test(what_was_lost_is_counted_where_it_can_be),
                cmocka_unit_test(what_was_acknowledged_and_did_not_arrive_is_a_finding),
                cmocka_unit_test(wrong_bytes_of_either_end_are_a_finding),
                cmocka_unit_test(the_other_direction_has_its_own_rate),
                cmocka_unit_test(a_fault_is_cut_off_not_overrun),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
