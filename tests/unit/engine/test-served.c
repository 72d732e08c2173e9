/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "engine/served.h"

static void add(struct served *s, const char *peer, enum measure measure, uint64_t when, uint64_t bps)
{
        struct responder_served one = { .device = "rxe0",
                .measure = measure,
                .completed_total = 1,
                .last_realtime_ns = when,
                .average_bps = bps };

        (void)snprintf(one.peer, sizeof(one.peer), "%s", peer);
        served_add(s, &one);
}

static void counts_add_up_and_the_last_values_stay(void **state)
{
        struct served s = { 0 };

        add(&s, "b", MEASURE_BANDWIDTH, 1, 100);
        add(&s, "a", MEASURE_LATENCY, 2, 0);
        add(&s, "a", MEASURE_BANDWIDTH, 3, 300);
        add(&s, "b", MEASURE_BANDWIDTH, 4, 400);
        assert_int_equal(s.n, 3);
        assert_string_equal(s.items[0].peer, "a");
        assert_int_equal(s.items[0].measure, MEASURE_BANDWIDTH);
        assert_int_equal(s.items[1].measure, MEASURE_LATENCY);
        assert_int_equal(s.items[2].completed_total, 2);
        assert_int_equal(s.items[2].average_bps, 400);
        assert_int_equal(s.items[2].last_realtime_ns, 4);
        served_done(&s);
}

static void the_longest_ago_gives_way(void **state)
{
        struct served s = { 0 };
        char name[16];

        for (unsigned i = 0; i < RESPONDER_SERVED_MAX; i++) {
                (void)snprintf(name, sizeof(name), "n%04u", i);
                add(&s, name, MEASURE_BANDWIDTH, i == 77 ? 5 : 1000 + i, 1);
        }
        add(&s, "zz", MEASURE_BANDWIDTH, 9999, 1);
        assert_int_equal(s.n, RESPONDER_SERVED_MAX);
        for (size_t i = 0; i < s.n; i++)
                assert_string_not_equal(s.items[i].peer, "n0077");
        assert_string_equal(s.items[s.n - 1].peer, "zz");
        served_done(&s);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(counts_add_up_and_the_last_values_stay),
                cmocka_unit_test(the_longest_ago_gives_way),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
