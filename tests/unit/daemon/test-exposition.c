/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>

#include "daemon/exposition.h"

static const double bounds[] = { 1e-6, 0.0025, 1, 10 };
static const struct metric_family gauge = {
        .name = "rdma_canary_gauge", .type = METRIC_GAUGE, .help = "A gauge.", .labels = { "device" }
};
static const struct metric_family counter = { .name = "rdma_canary_bytes_total",
        .type = METRIC_COUNTER,
        .help = "Bytes from\nC:\\counters, \"quoted\".",
        .labels = { "device", "port" } };
static const struct metric_family plain = {
        .name = "rdma_canary_up", .type = METRIC_GAUGE, .help = "Without labels."
};
static const struct metric_family untyped = {
        .name = "rdma_canary_hw", .type = METRIC_UNTYPED, .help = "Who knows."
};
static const struct metric_family histogram = { .name = "rdma_canary_seconds",
        .type = METRIC_HISTOGRAM,
        .help = "Latency.",
        .labels = { "device" },
        .bounds = bounds,
        .n_bounds = ARRAY_SIZE(bounds) };
static const struct metric_family plain_histogram = { .name = "rdma_canary_turn_seconds",
        .type = METRIC_HISTOGRAM,
        .help = "Turns.",
        .bounds = bounds,
        .n_bounds = 1 };

static void check_page(const struct batch *const *batches, size_t n, size_t dropped, const char *page)
{
        cleanup(buf_done) struct buf out = { 0 };

        assert_int_equal(exposition_render(&out, batches, n), dropped);
        assert_int_equal(out.error, 0);
        assert_string_equal(buf_cstr(&out), page);
}

static void check_batch(const struct batch *b, const char *page)
{
        assert_int_equal(batch_error(b), 0);
        check_page(&b, 1, 0, page);
}

static void nothing_gives_an_empty_page(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        check_page(NULL, 0, 0, "");
        check_batch(b, "");
}

static void page_is_appended(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();
        cleanup(buf_done) struct buf out = { 0 };

        batch_add_u64(b, &plain, NO_LABELS, 1);
        buf_text(&out, "# before\n");
        assert_int_equal(exposition_render(&out, (const struct batch *const[]){ b }, 1), 0);
        assert_string_equal(buf_cstr(&out), "# before\n"
                                            "# HELP rdma_canary_up Without labels.\n"
                                            "# TYPE rdma_canary_up gauge\n"
                                            "rdma_canary_up 1\n");
}

static void families_have_one_header_and_their_samples_together(void **state)
{
        cleanup(batch_unrefp) struct batch *a = batch_new(), *b = batch_new();

        batch_add_u64(a, &gauge, LABELS("rxe1"), 2);
        batch_add_u64(a, &plain, NO_LABELS, 1);
        batch_add_u64(b, &counter, LABELS("rxe0", "2"), 20);
        batch_add_u64(b, &gauge, LABELS("rxe0"), 1);
        batch_add_u64(b, &counter, LABELS("rxe0", "1"), 10);
        batch_add_u64(b, &untyped, NO_LABELS, 3);
        check_page((const struct batch *const[]){ a, b }, 2, 0,
                "# HELP rdma_canary_bytes_total Bytes from\\nC:\\\\counters, \"quoted\".\n"
                "# TYPE rdma_canary_bytes_total counter\n"
                "rdma_canary_bytes_total{device=\"rxe0\",port=\"1\"} 10\n"
                "rdma_canary_bytes_total{device=\"rxe0\",port=\"2\"} 20\n"
                "# HELP rdma_canary_gauge A gauge.\n"
                "# TYPE rdma_canary_gauge gauge\n"
                "rdma_canary_gauge{device=\"rxe0\"} 1\n"
                "rdma_canary_gauge{device=\"rxe1\"} 2\n"
                "# HELP rdma_canary_hw Who knows.\n"
                "# TYPE rdma_canary_hw untyped\n"
                "rdma_canary_hw 3\n"
                "# HELP rdma_canary_up Without labels.\n"
                "# TYPE rdma_canary_up gauge\n"
                "rdma_canary_up 1\n");
}

static void values_are_spelled_as_prometheus_does(void **state)
{
        static const struct {
                double value;
                const char *text;
        } rows[] = {
                { NAN, "NaN" },
                { -NAN, "NaN" },
                { INFINITY, "+Inf" },
                { -INFINITY, "-Inf" },
                { 0, "0" },
                { 0.1, "0.1" },
                { 1.5e-9, "1.5e-09" },
                { 12500000000, "12500000000" },
                { 1e300, "1e+300" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                cleanup(batch_unrefp) struct batch *b = batch_new();
                char page[256];

                batch_add_double(b, &plain, NO_LABELS, rows[i].value);
                text_message(page, sizeof(page),
                        "# HELP rdma_canary_up Without labels.\n# TYPE rdma_canary_up gauge\n"
                        "rdma_canary_up %s\n",
                        rows[i].text);
                check_batch(b, page);
        }
}

/* A double holds 2^53 + 1 no more; a counter of bytes passes it in a day at 800 Gbit/s. */
static void integers_stay_exact(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_u64(b, &gauge, LABELS("a"), UINT64_C(9007199254740993));
        batch_add_u64(b, &gauge, LABELS("b"), UINT64_MAX);
        check_batch(b, "# HELP rdma_canary_gauge A gauge.\n"
                       "# TYPE rdma_canary_gauge gauge\n"
                       "rdma_canary_gauge{device=\"a\"} 9007199254740993\n"
                       "rdma_canary_gauge{device=\"b\"} 18446744073709551615\n");
}

static void label_values_are_escaped(void **state)
{
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_u64(b, &gauge, LABELS("a\\b\"c\nd"), 1);
        batch_add_u64(b, &gauge, LABELS(""), 2);
        check_batch(b, "# HELP rdma_canary_gauge A gauge.\n"
                       "# TYPE rdma_canary_gauge gauge\n"
                       "rdma_canary_gauge{device=\"\"} 2\n"
                       "rdma_canary_gauge{device=\"a\\\\b\\\"c\\nd\"} 1\n");
}

static void histograms_are_cumulative(void **state)
{
        static const uint64_t counts[] = { 1, 0, 5, UINT64_C(9007199254740993), 2 };
        static const uint64_t few[] = { 0, 0 };
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_histogram(b, &histogram, LABELS("rxe0"), counts, 4.25);
        batch_add_histogram(b, &plain_histogram, NO_LABELS, few, 0);
        check_batch(b, "# HELP rdma_canary_seconds Latency.\n"
                       "# TYPE rdma_canary_seconds histogram\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1e-06\"} 1\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"0.0025\"} 1\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1\"} 6\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"10\"} 9007199254740999\n"
                       "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"+Inf\"} 9007199254741001\n"
                       "rdma_canary_seconds_sum{device=\"rxe0\"} 4.25\n"
                       "rdma_canary_seconds_count{device=\"rxe0\"} 9007199254741001\n"
                       "# HELP rdma_canary_turn_seconds Turns.\n"
                       "# TYPE rdma_canary_turn_seconds histogram\n"
                       "rdma_canary_turn_seconds_bucket{le=\"1e-06\"} 0\n"
                       "rdma_canary_turn_seconds_bucket{le=\"+Inf\"} 0\n"
                       "rdma_canary_turn_seconds_sum 0\n"
                       "rdma_canary_turn_seconds_count 0\n");
}

static void duplicates_are_dropped_and_counted(void **state)
{
        static const uint64_t counts[] = { 1, 2, 3, 4, 5 };
        cleanup(batch_unrefp) struct batch *a = batch_new(), *b = batch_new();
        const char *page = "# HELP rdma_canary_seconds Latency.\n"
                           "# TYPE rdma_canary_seconds histogram\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1e-06\"} 1\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"0.0025\"} 3\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"1\"} 6\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"10\"} 10\n"
                           "rdma_canary_seconds_bucket{device=\"rxe0\",le=\"+Inf\"} 15\n"
                           "rdma_canary_seconds_sum{device=\"rxe0\"} 1\n"
                           "rdma_canary_seconds_count{device=\"rxe0\"} 15\n"
                           "# HELP rdma_canary_up Without labels.\n"
                           "# TYPE rdma_canary_up gauge\n"
                           "rdma_canary_up 1\n";

        batch_add_u64(a, &plain, NO_LABELS, 2);
        batch_add_histogram(a, &histogram, LABELS("rxe0"), counts, 1);
        batch_add_u64(b, &plain, NO_LABELS, 1);
        batch_add_u64(b, &plain, NO_LABELS, 1);
        batch_add_histogram(b, &histogram, LABELS("rxe0"), counts, 2);
        check_page((const struct batch *const[]){ a, b }, 2, 3, page);
        check_page((const struct batch *const[]){ b, a }, 2, 3, page);
}

/* Two tables that name the same family share its header; one that gives it another type loses its samples. */
static void one_name_has_one_type(void **state)
{
        static const struct metric_family twin = {
                .name = "rdma_canary_gauge", .type = METRIC_GAUGE, .help = "A gauge.", .labels = { "device" }
        };
        static const struct metric_family other_type = { .name = "rdma_canary_gauge",
                .type = METRIC_COUNTER,
                .help = "A counter.",
                .labels = { "device" } };
        cleanup(batch_unrefp) struct batch *b = batch_new();

        batch_add_u64(b, &other_type, LABELS("a"), 1);
        batch_add_u64(b, &twin, LABELS("c"), 3);
        batch_add_u64(b, &twin, LABELS("b"), 9);
        batch_add_u64(b, &gauge, LABELS("b"), 2);
        check_page((const struct batch *const[]){ b }, 1, 2,
                "# HELP rdma_canary_gauge A gauge.\n"
                "# TYPE rdma_canary_gauge gauge\n"
                "rdma_canary_gauge{device=\"b\"} 2\n"
                "rdma_canary_gauge{device=\"c\"} 3\n");
}

#define N_BATCHES 6

/* Every source in every order: the page must not change. */
static void order_of_batches_does_not_matter(void **state)
{
        static const uint64_t counts[] = { 1, 2, 3, 4, 5 }, others[] = { 5, 4, 3, 2, 1 };
        static const char *const devices[N_BATCHES] = { "rxe0", "rxe1", "mlx5_0", "mlx5_10", "mlx5_2",
                "rxe0" };
        struct batch *batches[N_BATCHES];
        cleanup(buf_done) struct buf first = { 0 }, page = { 0 };
        size_t orders = 0;

        for (size_t i = 0; i < N_BATCHES; i++) {
                batches[i] = batch_new();
                batch_add_u64(batches[i], &gauge, LABELS(devices[i]), i);
                batch_add_double(batches[i], &counter, LABELS(devices[i], "1"), i % 2 ? NAN : (double)i);
                batch_add_histogram(batches[i], &histogram, LABELS(devices[i]), i == 5 ? others : counts, 1);
                assert_int_equal(batch_error(batches[i]), 0);
        }
        for (unsigned code = 0; code < 720; code++) { /* 6! orders, as mixed-radix digits */
                const struct batch *order[N_BATCHES];
                struct batch *left[N_BATCHES];
                unsigned rest = code;

                memcpy(left, batches, sizeof(left));
                for (size_t i = 0; i < N_BATCHES; i++) {
                        size_t n = N_BATCHES - i, pick = rest % n;

                        rest /= (unsigned)n;
                        order[i] = left[pick];
                        left[pick] = left[n - 1];
                }
                buf_clear(&page);
                assert_int_equal(exposition_render(&page, order, N_BATCHES), 3);
                if (code == 0)
                        buf_bytes(&first, page.data, page.len);
                assert_string_equal(buf_cstr(&page), buf_cstr(&first));
                orders++;
        }
        assert_int_equal(orders, 720);
        for (size_t i = 0; i < N_BATCHES; i++)
                batch_unref(batches[i]);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nothing_gives_an_empty_page),
                cmocka_unit_test(page_is_appended),
                cmocka_unit_test(families_have_one_header_and_their_samples_together),
                cmocka_unit_test(values_are_spelled_as_prometheus_does),
                cmocka_unit_test(integers_stay_exact),
                cmocka_unit_test(label_values_are_escaped),
                cmocka_unit_test(histograms_are_cumulative),
                cmocka_unit_test(duplicates_are_dropped_and_counted),
                cmocka_unit_test(one_name_has_one_type),
                cmocka_unit_test(order_of_batches_does_not_matter),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
