/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "cli/limits.h"

static const struct result measured = {
        .average_bps = 10e9,
        .latency = { .p50_ns = 5000, .p99_ns = 9000, .p999_ns = 20000 },
};

static void check(const struct limits *l, enum measure measure, size_t missed, const char *says)
{
        cleanup(buf_done) struct buf out = { 0 };
        assert_int_equal(limits_missed(l, measure, &measured, &out), missed);
        assert_string_equal(buf_cstr(&out), says);
}

static void what_is_reached_is_silent(void **state)
{
        struct limits bandwidth = { .min_bw_bps = UINT64_C(10000000000) };
        struct limits latency = { .max_p50_ns = 5000, .max_p99_ns = 9000, .max_p999_ns = 20000 };
        check(&bandwidth, MEASURE_BANDWIDTH, 0, "");
        check(&latency, MEASURE_LATENCY, 0, "");
        check(&(struct limits){ 0 }, MEASURE_LATENCY, 0, "");
}

static void what_is_missed_is_said_with_value_and_limit(void **state)
{
        struct limits bandwidth = { .min_bw_bps = UINT64_C(10000000001) };
        struct limits latency = { .max_p50_ns = 6000, .max_p99_ns = 8000, .max_p999_ns = 10000 };
        check(&bandwidth, MEASURE_BANDWIDTH, 1,
                "rdma-canary: average bandwidth 80 Gbit/s (10000000000 B/s) is below --min-bw 80.0 Gbit/s "
                "(10000000001 B/s)\n");
        check(&latency, MEASURE_LATENCY, 2,
                "rdma-canary: 99 % latency 9 µs (9000 ns) is above --max-p99 8 µs (8000 ns)\n"
                "rdma-canary: 99.9 % latency 20 µs (20000 ns) is above --max-p999 10 µs (10000 ns)\n");
}

static void each_measure_has_its_own(void **state)
{
        struct limits all = { .min_bw_bps = UINT64_MAX, .max_p50_ns = 1 };
        struct limits bandwidth = { .min_bw_bps = 1 };
        assert_true(limits_given(&bandwidth, MEASURE_BANDWIDTH));
        assert_false(limits_given(&bandwidth, MEASURE_LATENCY));
        check(&all, MEASURE_LATENCY, 1,
                "rdma-canary: median latency 5 µs (5000 ns) is above --max-p50 1 ns (1 ns)\n");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_reached_is_silent),
                cmocka_unit_test(what_is_missed_is_said_with_value_and_limit),
                cmocka_unit_test(each_measure_has_its_own),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
