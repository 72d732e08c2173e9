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

int main(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(done_releases_and_may_be_repeated),
                cmocka_unit_test(latency_holds_every_sample),
                cmocka_unit_test(no_samples_are_all_zero),
                cmocka_unit_test(a_fault_is_cut_off_not_overrun),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
