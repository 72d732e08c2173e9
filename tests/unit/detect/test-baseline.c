/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>

#include "detect/baseline.h"

static void accept_times(struct baseline *b, double value, int times)
{
        for (int i = 0; i < times; i++)
                assert_int_equal(baseline_accept(b, value), 0);
}

/* Half of the values lie this share above, half below. */
static void accept_spread(struct baseline *b, double value, double share, int times)
{
        for (int i = 0; i < times; i++)
                assert_int_equal(baseline_accept(b, value * exp(i % 2 ? share : -share)), 0);
}

static void it_is_ready_after_an_hour(void **state)
{
        struct baseline b;

        baseline_init(&b);
        accept_times(&b, 1e8, BASELINE_READY - 1);
        assert_false(baseline_is_ready(&b));
        accept_times(&b, 1e8, 1);
        assert_true(baseline_is_ready(&b));
        assert_float_equal(baseline_value(&b) / 1e8, 1, 1e-5);
        assert_float_equal(baseline_scale(&b), BASELINE_SCALE_FLOOR, 1e-12);
}

static void what_is_no_value_is_refused(void **state)
{
        static const double values[] = { 0, -1, NAN, INFINITY, -INFINITY };
        struct baseline b;

        baseline_init(&b);
        for (size_t i = 0; i < ARRAY_SIZE(values); i++)
                assert_int_equal(baseline_accept(&b, values[i]), -EINVAL);
        assert_int_equal(b.accepted, 0);
}

static void changes_are_ratios_to_the_median(void **state)
{
        struct baseline b;

        baseline_init(&b);
        accept_times(&b, 2e-6, BASELINE_READY);
        assert_float_equal(baseline_change_ratio(&b, 1.4e-6), -0.3, 1e-4);
        assert_float_equal(baseline_change_ratio(&b, 2e-6), 0, 1e-4);
        assert_float_equal(baseline_change_ratio(&b, 4e-6), 1, 1e-4);
}

static void outliers_do_not_move_it(void **state)
{
        struct baseline b;

        baseline_init(&b);
        for (int i = 0; i < BASELINE_READY; i++)
                assert_int_equal(baseline_accept(&b, i % 10 == 0 ? 1 : 1e8), 0);
        assert_float_equal(baseline_value(&b) / 1e8, 1, 1e-5);
        assert_float_equal(baseline_scale(&b), BASELINE_SCALE_FLOOR, 1e-12);
}

static void the_scale_is_a_robust_deviation(void **state)
{
        struct baseline b;

        baseline_init(&b);
        accept_spread(&b, 1e8, 0.02, BASELINE_READY);
        assert_float_equal(baseline_value(&b) / 1e8, 1, 1e-4);
        assert_float_equal(baseline_scale(&b), 1.4826 * 0.02, 1e-4);
}

static void old_values_leave_the_ring(void **state)
{
        struct baseline b;

        baseline_init(&b);
        accept_times(&b, 1e8, BASELINE_VALUES);
        accept_times(&b, 5e7, BASELINE_VALUES / 2 - BASELINE_REFIT);
        assert_float_equal(baseline_value(&b) / 1e8, 1, 1e-5);
        accept_times(&b, 5e7, 2 * BASELINE_REFIT);
        assert_float_equal(baseline_value(&b) / 5e7, 1, 1e-5);
}

static void extremes_fit(void **state)
{
        struct baseline b;

        baseline_init(&b);
        accept_times(&b, 1e-300, BASELINE_READY);
        assert_true(baseline_value(&b) > 0);
        baseline_init(&b);
        accept_times(&b, 1e300, BASELINE_READY);
        assert_true(isfinite(baseline_value(&b)));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(it_is_ready_after_an_hour),
                cmocka_unit_test(what_is_no_value_is_refused),
                cmocka_unit_test(changes_are_ratios_to_the_median),
                cmocka_unit_test(outliers_do_not_move_it),
                cmocka_unit_test(the_scale_is_a_robust_deviation),
                cmocka_unit_test(old_values_leave_the_ring),
                cmocka_unit_test(extremes_fit),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
