/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/histogram.h"

static struct histogram *histogram_of(const uint64_t *values, size_t n)
{
        struct histogram *h = malloc(sizeof(*h));

        assert_non_null(h);
        histogram_reset(h);
        for (size_t i = 0; i < n; i++)
                histogram_add(h, values[i]);
        return h;
}

/* Log-uniform between 1 and 2^40, the same every time. */
static void fill_spread(uint64_t *values, size_t n)
{
        uint64_t x = 42;

        for (size_t i = 0; i < n; i++) {
                x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                values[i] = (uint64_t)exp2((double)(x >> 11) * 0x1p-53 * 40);
        }
}

static int compare_values(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static void empty_is_all_zero(void **state)
{
        cleanup(freep) struct histogram *h = histogram_of(NULL, 0);

        assert_int_equal(h->count, 0);
        assert_int_equal(h->min, 0);
        assert_int_equal(h->max, 0);
        assert_int_equal(histogram_quantile(h, 0.5), 0);
        assert_int_equal(histogram_quantile(h, 1), 0);
        assert_true(histogram_deviation(h) == 0);
        assert_int_equal(histogram_count_below(h, UINT64_MAX), 0);
}

static void one_value_is_every_quantile(void **state)
{
        static const uint64_t values[] = { 0, 1, 127, 128, 129, 255, 256, 1000003, (UINT64_C(1) << 40) - 1,
                UINT64_C(1) << 40, UINT64_MAX };

        for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
                cleanup(freep) struct histogram *h = histogram_of(&values[i], 1);

                assert_true(h->min == values[i]);
                assert_true(h->max == values[i]);
                for (int quarter = 0; quarter <= 4; quarter++)
                        assert_true(histogram_quantile(h, quarter / 4.0) == values[i]);
                assert_true(histogram_deviation(h) == 0);
        }
}

static void small_values_are_exact(void **state)
{
        uint64_t values[100];

        for (size_t i = 0; i < ARRAY_SIZE(values); i++)
                values[i] = i + 1;
        cleanup(freep) struct histogram *h = histogram_of(values, ARRAY_SIZE(values));

        for (unsigned percent = 1; percent <= 100; percent++)
                assert_int_equal(histogram_quantile(h, percent / 100.0), percent);
        assert_int_equal(histogram_quantile(h, 0), 1);
        assert_int_equal(histogram_quantile(h, 0.999), 100);
        assert_true(fabs(h->mean - 50.5) < 1e-9);
        assert_true(fabs(histogram_deviation(h) - 29.011491975882016) < 1e-9);
}

static void quantile_outside_is_an_end(void **state)
{
        static const uint64_t values[] = { 10, 20, 30 };
        cleanup(freep) struct histogram *h = histogram_of(values, ARRAY_SIZE(values));

        assert_int_equal(histogram_quantile(h, -1), 10);
        assert_int_equal(histogram_quantile(h, NAN), 10);
        assert_int_equal(histogram_quantile(h, 2), 30);
        assert_int_equal(histogram_quantile(h, INFINITY), 30);
}

static void quantiles_are_within_a_bucket(void **state)
{
        static const double quantiles[] = { 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999 };
        const size_t n = 50000;
        cleanup(freep) uint64_t *values = calloc(n, sizeof(*values));

        assert_non_null(values);
        fill_spread(values, n);
        cleanup(freep) struct histogram *h = histogram_of(values, n);

        qsort(values, n, sizeof(*values), compare_values);
        for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
                double exact = (double)values[(size_t)ceil(quantiles[i] * (double)n) - 1];
                double got = (double)histogram_quantile(h, quantiles[i]);

                if (fabs(got - exact) > exact / (1 << HISTOGRAM_SUB_BITS))
                        fail_msg("quantile %g: %g instead of %g", quantiles[i], got, exact);
        }
        assert_true(histogram_quantile(h, 0) == values[0]);
        assert_true(histogram_quantile(h, 1) == values[n - 1]);
}

static void quantiles_never_fall(void **state)
{
        static const uint64_t values[] = { 3, 3, 700, 701, 702, 90000, 90001, UINT64_C(1) << 41,
                UINT64_MAX - 5, UINT64_MAX };
        cleanup(freep) struct histogram *h = histogram_of(values, ARRAY_SIZE(values));
        uint64_t last = 0;

        for (int i = 0; i <= 1000; i++) {
                uint64_t value = histogram_quantile(h, i / 1000.0);

                assert_true(value >= last);
                assert_true(value >= 3);
                last = value;
        }
}

static void large_values_stay_exact_in_the_moments(void **state)
{
        static const uint64_t values[] = { UINT64_C(3000000000000), UINT64_C(5000000000000) };
        cleanup(freep) struct histogram *h = histogram_of(values, ARRAY_SIZE(values));

        assert_true(h->max == UINT64_C(5000000000000));
        assert_true(h->mean == 4e12);
        assert_true(fabs(histogram_deviation(h) - 1.4142135623730951e12) < 1);
        assert_true(histogram_quantile(h, 1) == UINT64_C(5000000000000));
}

static void deviation_survives_a_large_offset(void **state)
{
        uint64_t values[1000];

        for (size_t i = 0; i < ARRAY_SIZE(values); i++)
                values[i] = UINT64_C(1000000000000) + i % 2;
        cleanup(freep) struct histogram *h = histogram_of(values, ARRAY_SIZE(values));

        assert_true(fabs(histogram_deviation(h) - 0.50025) < 0.001);
}

static void merge_equals_adding_all(void **state)
{
        const size_t n = 2000;
        cleanup(freep) uint64_t *values = calloc(n, sizeof(*values));

        assert_non_null(values);
        fill_spread(values, n);
        for (size_t cut = 0; cut <= n; cut += 500) {
                cleanup(freep) struct histogram *all = histogram_of(values, n);
                cleanup(freep) struct histogram *a = histogram_of(values, cut);
                cleanup(freep) struct histogram *b = histogram_of(values + cut, n - cut);

                histogram_merge(a, b);
                assert_true(a->count == all->count && a->min == all->min && a->max == all->max);
                assert_memory_equal(a->bucket, all->bucket, sizeof(a->bucket));
                assert_true(fabs(a->mean / all->mean - 1) < 1e-12);
                assert_true(fabs(histogram_deviation(a) / histogram_deviation(all) - 1) < 1e-12);
        }
}

static void merge_of_empties_is_empty(void **state)
{
        cleanup(freep) struct histogram *a = histogram_of(NULL, 0), *b = histogram_of(NULL, 0);

        histogram_merge(a, b);
        assert_memory_equal(a, b, sizeof(*a));
}

static void count_below_counts_whole_buckets(void **state)
{
        static const uint64_t values[] = { 5, 10, 256, 257, 258, 1000, UINT64_C(1) << 50 };
        static const struct {
                uint64_t bound, n;
        } rows[] = {
                { 0, 0 },
                { 4, 0 },
                { 5, 1 },
                { 9, 1 },
                { 10, 2 },
                { 256, 2 }, /* shares its bucket with 257 */
                { 257, 4 },
                { 258, 4 },
                { 259, 5 },
                { 2000, 6 },
                { UINT64_C(1) << 60, 6 }, /* the last bucket has no end */
                { UINT64_MAX, 7 },
        };
        cleanup(freep) struct histogram *h = histogram_of(values, ARRAY_SIZE(values));

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                assert_int_equal(histogram_count_below(h, rows[i].bound), rows[i].n);
}

/* Published as a counter: neither more samples nor a larger bound may lower it. */
static void count_below_never_falls(void **state)
{
        static const uint64_t bounds[] = { 100, 300, 1000, 5000, 1000000, UINT64_C(1) << 39 };
        uint64_t last[ARRAY_SIZE(bounds)] = { 0 }, values[500];
        cleanup(freep) struct histogram *h = histogram_of(NULL, 0);

        fill_spread(values, ARRAY_SIZE(values));
        for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
                uint64_t smaller = 0;

                histogram_add(h, values[i]);
                for (size_t j = 0; j < ARRAY_SIZE(bounds); j++) {
                        uint64_t n = histogram_count_below(h, bounds[j]);

                        assert_true(n >= last[j] && n >= smaller && n <= h->count);
                        last[j] = smaller = n;
                }
        }
        assert_true(last[ARRAY_SIZE(bounds) - 1] > 450);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(empty_is_all_zero),
                cmocka_unit_test(one_value_is_every_quantile),
                cmocka_unit_test(small_values_are_exact),
                cmocka_unit_test(quantile_outside_is_an_end),
                cmocka_unit_test(quantiles_are_within_a_bucket),
                cmocka_unit_test(quantiles_never_fall),
                cmocka_unit_test(large_values_stay_exact_in_the_moments),
                cmocka_unit_test(deviation_survives_a_large_offset),
                cmocka_unit_test(merge_equals_adding_all),
                cmocka_unit_test(merge_of_empties_is_empty),
                cmocka_unit_test(count_below_counts_whole_buckets),
                cmocka_unit_test(count_below_never_falls),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
