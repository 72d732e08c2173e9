/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "daemon/schedule.h"

#define INTERVAL (30 * NS_PER_SEC)

static void test_both_ends_of_a_pair_probe_in_different_halves(void **state)
{
        char name[16];

        for (int i = 0; i < 50; i++) {
                (void)snprintf(name, sizeof(name), "host-%d", i);
                uint64_t there = schedule_offset_ns("host-a", name, "rxe0", 0, 2, INTERVAL);
                uint64_t back = schedule_offset_ns(name, "host-a", "rxe0", 0, 2, INTERVAL);
                assert_true(there < INTERVAL && back < INTERVAL);
                assert_int_equal(there < back ? back - there : there - back, INTERVAL / 2);
        }
}

static void test_kinds_of_one_pair_are_apart(void **state)
{
        uint64_t first = schedule_offset_ns("a", "b", "rxe0", 0, 3, INTERVAL);
        uint64_t second = schedule_offset_ns("a", "b", "rxe0", 1, 3, INTERVAL);
        uint64_t third = schedule_offset_ns("a", "b", "rxe0", 2, 3, INTERVAL);

        assert_int_equal(second - first, INTERVAL / 6);
        assert_int_equal(third - second, INTERVAL / 6);
}

static void test_pairs_spread_over_their_half(void **state)
{
        unsigned quarter[4] = { 0 };
        char name[16];

        for (int i = 0; i < 400; i++) {
                (void)snprintf(name, sizeof(name), "node%03d", i);
                quarter[schedule_offset_ns("a", name, "mlx5_0", 0, 1, INTERVAL) / (INTERVAL / 8)]++;
        }
        for (int i = 0; i < 4; i++)
                assert_in_range(quarter[i], 60, 140);
}

static void test_no_kinds_and_tiny_intervals_do_not_divide_by_zero(void **state)
{
        assert_true(schedule_offset_ns("a", "b", "d", 0, 0, INTERVAL) < INTERVAL);
        assert_int_equal(schedule_offset_ns("a", "b", "d", 0, 4, 1), 0);
}

static void test_next_is_on_the_grid_and_in_the_future(void **state)
{
        static const struct {
                uint64_t now, interval, offset, next;
        } rows[] = {
                { 0, 100, 0, 100 }, { 0, 100, 7, 7 }, { 7, 100, 7, 107 }, { 6, 100, 7, 7 },
                { 199, 100, 99, 299 }, { 198, 100, 99, 199 },
                { 150, 100, 150, 250 }, /* an offset past the interval counts modulo it */
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                assert_int_equal(
                        schedule_next_ns(rows[i].now, rows[i].interval, rows[i].offset), rows[i].next);
}

static void test_a_virtual_hour_has_one_turn_an_interval(void **state)
{
        uint64_t now = UINT64_C(1796000000) * NS_PER_SEC, end = now + 3600 * NS_PER_SEC;
        uint64_t offset = schedule_offset_ns("a", "b", "rxe0", 0, 2, INTERVAL), last = 0;
        unsigned turns = 0;

        while ((now = schedule_next_ns(now, INTERVAL, offset)) <= end) {
                if (last)
                        assert_int_equal(now - last, INTERVAL);
                last = now;
                turns++;
        }
        assert_int_equal(turns, 120);
}

static void test_entries_come_in_order_of_due_time(void **state)
{
        struct schedule_entry entries[200] = { 0 };
        struct schedule s;
        uint64_t last = 0;
        size_t n = 0;

        schedule_init(&s);
        assert_int_equal(schedule_first_due_ns(&s), DEADLINE_NEVER);
        for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
                assert_int_equal(schedule_set(&s, &entries[i], 1000 + i * 7919 % 200), 0);
        /* Some move, some go. */
        assert_int_equal(schedule_set(&s, &entries[5], 1), 0);
        assert_int_equal(schedule_set(&s, &entries[6], 5000), 0);
        for (size_t i = 10; i < 60; i++)
                schedule_remove(&s, &entries[i]);
        schedule_remove(&s, &entries[10]);
        assert_int_equal(schedule_first_due_ns(&s), 1);
        assert_ptr_equal(schedule_take_due(&s, 1), &entries[5]);
        assert_null(schedule_take_due(&s, 999));
        for (struct schedule_entry *e; (e = schedule_take_due(&s, 4999)); n++) {
                assert_true(e->due_ns >= last);
                last = e->due_ns;
        }
        assert_int_equal(n, 148);
        assert_ptr_equal(schedule_take_due(&s, 5000), &entries[6]);
        assert_null(schedule_take_due(&s, UINT64_MAX));
        schedule_done(&s);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_both_ends_of_a_pair_probe_in_different_halves),
                cmocka_unit_test(test_kinds_of_one_pair_are_apart),
                cmocka_unit_test(test_pairs_spread_over_their_half),
                cmocka_unit_test(test_no_kinds_and_tiny_intervals_do_not_divide_by_zero),
                cmocka_unit_test(test_next_is_on_the_grid_and_in_the_future),
                cmocka_unit_test(test_a_virtual_hour_has_one_turn_an_interval),
                cmocka_unit_test(test_entries_come_in_order_of_due_time),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
