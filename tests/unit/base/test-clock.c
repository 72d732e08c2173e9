/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <limits.h>
#include <time.h>

#include "base/clock.h"

static uint64_t read_context(void *context)
{
        return *(uint64_t *)context;
}

static void clock_can_be_replaced(void **state)
{
        uint64_t now = 5;
        struct clock c = { .monotonic_ns = read_context, .realtime_ns = read_context, .context = &now };

        assert_true(clock_monotonic_ns(&c) == 5);
        now = UINT64_MAX;
        assert_true(clock_realtime_ns(&c) == UINT64_MAX);
}

static void system_clock_is_monotonic(void **state)
{
        uint64_t last = clock_monotonic_ns(&clock_system);

        for (int i = 0; i < 1000; i++) {
                uint64_t now = i % 2 ? clock_now_ns() : clock_monotonic_ns(&clock_system);

                assert_true(now >= last);
                last = now;
        }
}

static void system_clock_counts_nanoseconds(void **state)
{
        const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
        uint64_t start = clock_now_ns();

        while (nanosleep(&pause, NULL) != 0)
                ;
        assert_in_range(clock_now_ns() - start, 20 * NS_PER_MS, 20 * NS_PER_SEC);
}

static void realtime_is_since_the_epoch(void **state)
{
        uint64_t now_s = (uint64_t)time(NULL), read_s = clock_realtime_ns(&clock_system) / NS_PER_SEC;

        assert_in_range(read_s, now_s - 1, now_s + 5);
}

static void deadline_arithmetic(void **state)
{
        static const struct {
                uint64_t deadline, now, left;
        } rows[] = {
                { 100, 40, 60 },
                { 100, 100, 0 },
                { 100, 101, 0 },
                { 0, UINT64_MAX, 0 },
                { DEADLINE_NEVER, 0, UINT64_MAX },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                assert_true(deadline_left_ns(rows[i].deadline, rows[i].now) == rows[i].left);
        assert_true(deadline_min(1, 2) == 1);
        assert_true(deadline_min(DEADLINE_NEVER, 2) == 2);
}

static void poll_timeout_never_ends_early(void **state)
{
        uint64_t now = clock_now_ns();

        assert_int_equal(deadline_poll_ms(DEADLINE_NEVER), -1);
        assert_int_equal(deadline_poll_ms(0), 0);
        assert_int_equal(deadline_poll_ms(now), 0);
        assert_int_equal(deadline_poll_ms(DEADLINE_NEVER - 1), INT_MAX);
        /* Less than a millisecond ahead still waits; a machine may stop for a while between two lines. */
        for (int i = 0; i < 100; i++) {
                uint64_t deadline = clock_now_ns() + 60 * NS_PER_SEC + 1;
                int ms = deadline_poll_ms(deadline);
                uint64_t after = clock_now_ns();

                assert_true((uint64_t)ms * NS_PER_MS >= deadline_left_ns(deadline, after));
                assert_true(ms <= 60001);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(clock_can_be_replaced),
                cmocka_unit_test(system_clock_is_monotonic),
                cmocka_unit_test(system_clock_counts_nanoseconds),
                cmocka_unit_test(realtime_is_since_the_epoch),
                cmocka_unit_test(deadline_arithmetic),
                cmocka_unit_test(poll_timeout_never_ends_early),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
